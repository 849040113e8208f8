"""Scope guards: state that is set for one call, and restored when the call ends, however it ends.

Ctrl-C, or another signal handler's exception, is raised between two Python instructions: also inside of ``__exit__``,
or in a ``finally`` before its first call. State restored by Python code can therefore stay set for good. A guard
restores it in C: the guarded callable lives nowhere but on the value stack of the calling frame, so CPython drops it
when the call ends, and the callback of a weak reference to it, which is C as well, calls ``restore``. A ``finally``
does so too, for interpreters without reference counts; the second call does nothing.

Code that handles all errors of other code raises those of a signal handler again: who set a deadline must see it.

A child process has the locks of its parent, but not the threads that would release them. So a fork takes all locks.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, copy_context
from functools import partial
from operator import methodcaller
from threading import RLock
from types import CodeType, TracebackType
from typing import Any, TypeVar
from weakref import ref

import numpy as np

T = TypeVar("T")
Values = Mapping[ContextVar[Any], object]


class _ExitCallback(ref[Any]):
    """A weak reference to a guarded callable, with the function that its callback calls; initially a no-op."""

    restore: Callable[[], object] = dict


_call_restore, _set_variable = methodcaller("restore"), ContextVar.set
consume: Any = deque[Any](maxlen=0).extend  # consumes an iterator in C; the second time, it is empty


def _guard(fn: Callable[..., T], restore: Callable[[], object]) -> Callable[..., T]:
    """A callable like ``fn``; when it is dropped, C calls ``restore``."""
    guarded: Any = partial(fn)
    guarded.exit = callback = _ExitCallback(guarded, _call_restore)
    callback.restore = restore
    return guarded


def call_and_restore(restore: Callable[[], object], fn: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    """The result of ``fn(*args, **kwargs)``; when the call ends, C calls ``restore``, which may be called twice."""
    try:
        return _guard(fn, restore)(*args, **kwargs)
    finally:
        restore()


class AttachedList(list[T]):
    """A list under a key of a mapping, from which C removes it when an object is dropped.

    ``weakref.finalize`` is Python: a signal handler's exception in it is lost, and the item stays.

    >>> lines, owner = {}, {1}
    >>> lines["file"] = AttachedList(["text"], owner, lines, "file")
    >>> del owner
    >>> lines
    {}
    """

    def __init__(self, items: Iterable[T], owner: object, mapping: dict[Any, Any], key: object) -> None:
        super().__init__(items)
        self.owner = ref(owner, partial(mapping.pop, key))  # the callback's argument is the default of ``pop``


# ---- locks -----------------------------------------------------------------------------------------

# Each is held for a moment, in which nothing else is waited for. ``capture.fork_locks`` has those that are held longer.
LOCKS = parameter_lock, screen_lock, parser_lock, type_lock, settings_lock = [RLock() for _ in range(5)]


def hold_while_forking(locks: Iterable[Any]) -> None:
    """From now on, a fork waits until no other thread holds one of these locks; it takes the last of them first."""
    for lock in locks if hasattr(os, "register_at_fork") else ():
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


hold_while_forking(LOCKS)


# ---- context variables -----------------------------------------------------------------------------


def call_with_variables(values: Values, fn: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    """The result of ``fn(*args, **kwargs)``, called while context variables that have defaults have these values.

    >>> depth = ContextVar("depth", default=0)
    >>> call_with_variables({depth: 1}, depth.get), depth.get()
    (1, 0)
    """
    restore = partial(consume, map(_set_variable, values, [variable.get() for variable in values]))
    return call_and_restore(restore, _set_and_call, values, fn, args, kwargs)


def _set_and_call(values: Values, fn: Callable[..., T], args: tuple[object, ...], kwargs: dict[str, object]) -> T:
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

    __slots__ = ("_before", "value", "variable")

    def __init__(self, variable: ContextVar[Any], value: object) -> None:
        self.variable, self.value = variable, value

    def __enter__(self) -> Any:
        self._before = self.variable.get()
        self.variable.set(self.value)
        return self.value

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.variable.set(self._before)

    def call(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> T:
        """The result of ``fn(*args, **kwargs)``, called inside the block."""
        return call_with_variables({self.variable: self.value}, fn, *args, **kwargs)


# ---- numpy's floating-point errors -----------------------------------------------------------------


def _error_state_variables() -> Mapping[ContextVar[Any], Any]:
    """The context variables in which numpy keeps its error state, with their values under ``seterr(all="ignore")``."""
    context = copy_context()
    context.run(np.seterr, all="ignore")
    return {variable: value for variable, value in context.items() if variable.name.startswith("numpy")}


def call_ignoring_float_errors(fn: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    """The result of ``fn(*args, **kwargs)``, called as under ``np.errstate(all="ignore")``: inf and nan are values.

    >>> call_ignoring_float_errors(np.geterr)["over"], np.geterr()["over"]
    ('ignore', 'warn')
    """
    return call_with_variables(_IGNORE_FLOAT_ERRORS, fn, *args, **kwargs)


_IGNORE_FLOAT_ERRORS = _error_state_variables()


# ---- errors that are not of the code in which they are raised ---------------------------------------


def external_error(error: BaseException) -> BaseException | None:
    """The lack of memory, or the error of a signal handler or of numpy's error callback, that caused an error.

    ``None`` for other errors. These say nothing about the code that was running: it may succeed the next time.

    >>> external_error(ValueError()), external_error(MemoryError("for 1 TB"))
    (None, MemoryError('for 1 TB'))
    """
    seen = set[int]()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, MemoryError) or _is_from_handler(cause):
            return cause
        seen.add(id(cause))
        cause = cause.__cause__
    return None


def raise_external_error(error: BaseException) -> None:
    """Raise the lack of memory or the error of a handler that caused an error, if one did.

    Called first where any error of other code is handled.

    >>> raise_external_error(ValueError())
    """
    cause = external_error(error)
    if cause is not None:
        raise cause from cause.__cause__


def reraise_handler_error(error: BaseException) -> None:
    """Raise the error of a signal handler or of numpy's error callback that caused an error, if one did."""
    if not isinstance(error, MemoryError):
        raise_external_error(error)


def codes_of_signal_handlers() -> set[CodeType]:
    """The code of every function that handles a signal."""
    codes = set[CodeType]()
    for handler in filter(callable, map(signal.getsignal, signal.valid_signals())):
        while isinstance(handler, partial):
            handler = handler.func
        code = getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
        codes.update(() if code is None else (code,))
    return codes


def _is_from_handler(error: BaseException) -> bool:
    codes: set[CodeType | None] = {*codes_of_signal_handlers()}
    codes.add(getattr(np.geterrcall(), "__code__", None))  # numpy calls it under np.errstate(over="call")
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))
