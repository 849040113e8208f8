"""Captures the output of a call, while output of other threads still reaches the screen."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from itertools import chain, filterfalse
from operator import attrgetter
from typing import Any, TextIO, TypeVar

from minigraph.core.scope_guard import call_and_restore, call_with_variables, consume, screen_lock

T = TypeVar("T")

_captured: ContextVar[TextIO | None] = ContextVar("captured output", default=None)
_open_calls = set[object]()


class _Router:
    """Replaces ``sys.stdout`` while output is captured: the output of each context goes to its stream, or to the
    screen.

    A reference that is kept afterwards writes to the screen. Another thread's ``redirect_stdout`` that began meanwhile
    puts the router back at its end; then the first output takes it off.
    """

    open_calls = _open_calls

    def __init__(self, screen: TextIO) -> None:
        self.screen = screen

    def __getattr__(self, name: str) -> Any:
        captured = _captured.get()
        if sys.stdout is self and not _open_calls:
            with screen_lock:
                sys.stdout = sys.stdout if _open_calls else self.screen
        return getattr(self.screen if captured is None else captured, name)


_routers = deque[_Router](maxlen=8)  # the newest, kept: ``print`` holds no reference to the stream that it writes to


def _router_of(screen: TextIO) -> Any:
    for router in _routers:  # not a generator, in whose end an exception would be lost
        if router.screen is screen:
            return router
    _routers.append(router := _Router(screen))
    return router


def current_output() -> TextIO | None:
    """The stream that output of this context goes to; ``None`` without a screen."""
    stream = sys.stdout
    if not isinstance(stream, _Router):
        return stream
    captured = _captured.get()
    return stream.screen if captured is None else captured


def call_printing_to(stream: TextIO, fn: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    """The result of ``fn(*args, **kwargs)``; its output goes to ``stream``, the output of other threads does not.

    >>> from io import StringIO
    >>> stream = StringIO()
    >>> call_printing_to(stream, print, "captured")
    >>> stream.getvalue()
    'captured\\n'
    """
    call = object()
    # All of this is C: when the last call has ended, ``sys.stdout``, if it is still a router, becomes the screen again.
    routers = filter(partial(type.__instancecheck__, _Router), map(getattr, [sys], ["stdout"]))
    screens = map(attrgetter("screen"), filterfalse(attrgetter("open_calls"), routers))
    restore = partial(consume, chain(map(_open_calls.discard, [call]), map(setattr, [sys], ["stdout"], screens)))
    return call_and_restore(restore, _print_and_call, call, stream, fn, args, kwargs)


def _print_and_call(
    call: object, stream: TextIO, fn: Callable[..., T], args: tuple[object, ...], kwargs: dict[str, Any]
) -> T:  # fmt: skip
    with screen_lock:
        _open_calls.add(call)
        if sys.stdout is not None and not isinstance(sys.stdout, _Router):
            sys.stdout = _router_of(sys.stdout)
    return call_with_variables({_captured: stream}, fn, *args, **kwargs)
