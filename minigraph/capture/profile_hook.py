"""Calls a function under Python's profile hook, which is taken off when the call ends, however it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from minigraph.core.scope_guard import call_and_restore, consume

T = TypeVar("T")
Hook = Callable[..., object]


def call_with_profiler(hook: Hook, fn: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    """The result of ``fn(*args, **kwargs)``, called under a profile hook, unless the thread has another one.

    >>> call_with_profiler(lambda *event: None, sys.getprofile) is None, sys.getprofile()
    (False, None)
    """
    if sys.getprofile() is not None:
        return fn(*args, **kwargs)
    restore = partial(consume, map(sys.setprofile, [None]))
    return call_and_restore(restore, _profile_and_call, hook, fn, args, kwargs)


def _profile_and_call(hook: Hook, fn: Callable[..., T], args: tuple[object, ...], kwargs: dict[str, object]) -> T:
    sys.setprofile(hook)
    return fn(*args, **kwargs)
