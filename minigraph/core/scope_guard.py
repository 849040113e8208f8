"""Scope guards: state that is set for one call, and restored when the call ends, whatever ends it.

Ctrl-C, or another signal handler's exception, is raised between two Python instructions: also inside of ``__exit__``,
or in a ``finally`` before its first call. State restored by Python code can therefore stay set for good. A guard
restores it in C: the guarded callable lives nowhere but on the value stack of the calling frame, so CPython drops it
when the call ends, and the callback of a weak reference to it, which is C as well, calls ``restore``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from operator import methodcaller
from types import TracebackType
from typing import Any, TypeVar
from weakref import ref

T = TypeVar("T")


class _Exit(ref[Any]):
    """A weak reference to a guarded callable, and what to call when that is dropped."""

    restore: Callable[[], object]


_call_restore = methodcaller("restore")
_consume: Any = deque[Any](maxlen=0).extend  # consumes an iterator in C


def call_guarded(restore: Callable[[], object], fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """The result of ``fn(*args, **kwargs)``; ``restore`` is called when the call ends, whatever ends it.

    ``restore`` takes no arguments and must be implemented in C (``gc.enable``, ``partial(variable.set, value)``), so
    that nothing can interrupt it. It is called twice, and also if ``fn`` has not begun.

    >>> events = []
    >>> call_guarded(events.clear, events.append, 1), events
    (None, [])
    """
    try:
        return _guard(fn, restore)(*args, **kwargs)
    finally:
        restore()  # for interpreters without reference counts


def _guard(fn: Callable[..., T], restore: Callable[[], object]) -> Callable[..., T]:
    """A callable like ``fn``; when it is dropped, C calls ``restore``."""
    call: Any = partial(fn)
    call.exit = _Exit(call, _call_restore)
    call.exit.restore = restore
    return call


def call_with_variables(values: Mapping[ContextVar[Any], Any], fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """The result of ``fn(*args, **kwargs)``, called while context variables that have defaults have these values.

    >>> depth = ContextVar("depth", default=0)
    >>> call_with_variables({depth: 1}, depth.get), depth.get()
    (1, 0)
    """
    before = [variable.get() for variable in values]
    restore = partial(_consume, map(ContextVar.set, [*values], before))
    return call_guarded(restore, _set_and_call, values, fn, args, kwargs)


def _set_and_call(values: Any, fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    for variable, value in values.items():
        variable.set(value)
    return fn(*args, **kwargs)


class VariableBlock:
    """A block in which a context variable that has a default has another value.

    An exception raised inside of ``__enter__`` or ``__exit__`` (a signal handler's) leaves the value set; ``call``
    cannot. Unlike a generator, a block that was left half-way is never closed later, by the garbage collector.

    >>> depth = ContextVar("depth", default=0)
    >>> with VariableBlock(depth, 1) as value:
    ...     depth.get(), value
    (1, 1)
    >>> depth.get(), VariableBlock(depth, 2).call(depth.get)
    (0, 2)
    """

    __slots__ = ("_before", "_value", "_variable")

    def __init__(self, variable: ContextVar[Any], value: Any) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> Any:
        self._before = self._variable.get()
        self._variable.set(self._value)
        return self._value

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._variable.set(self._before)

    def call(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """The result of ``fn(*args, **kwargs)``, called inside the block."""
        return call_with_variables({self._variable: self._value}, fn, *args, **kwargs)
