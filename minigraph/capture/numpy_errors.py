"""Floating-point errors of numpy, such as a division by zero: a program sets whether they are raised or reported.

Operators ignore them in every mode. The program's own computations with numpy do not: while a function is captured,
reports go to a log, because eager mode makes them at every call. Calls of numpy that a graph makes at every run have
the setting of the time of capture, which is guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar, copy_context
from operator import is_
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from minigraph.capture.container_contents import is_a, nested_values
from minigraph.capture.query_guards import QueryGuard
from minigraph.capture.structure import unknown_state
from minigraph.core.location import Loc, user_loc
from minigraph.core.scope_guard import Values, call_with_variables

T = TypeVar("T")
NUMPY_TYPES = (np.ndarray, np.generic, np.ufunc, type(np.sum))
ADVICE = "a graph would not report it at every call: compute it outside of @jit, or under np.errstate"
SILENT = ("ignore", "raise")  # the modes in which numpy logs nothing


class ErrorState(NamedTuple):
    """A setting of numpy: the mode for each kind of error, and where ``call`` and ``log`` report to."""

    modes: dict[str, Any]
    target: Any

    @classmethod
    def current(cls) -> ErrorState:
        """The setting now."""
        return cls(dict(np.geterr()), np.geterrcall())

    def variables(self) -> Values:
        """The context variables in which numpy keeps this setting."""
        context = copy_context()
        context.run(np.seterrcall, self.target)
        context.run(np.seterr, **self.modes)
        return {variable: value for variable, value in context.items() if variable.name.startswith("numpy")}


VARIABLES = tuple(ErrorState.current().variables())


class ErrorLog:
    """The first report of an error while a function is captured; numpy calls ``write``."""

    def __init__(self, outer: ErrorState) -> None:
        self.outer = outer
        self.first: tuple[str, Loc | None] | None = None

    def write(self, message: str) -> None:
        """Keep the first report, with the user's line."""
        self.first = self.first or (message.strip().removeprefix("Warning: "), user_loc())

    def error(self) -> Exception:
        """The error for a report that no graph makes."""
        assert self.first is not None
        return unknown_state(f"numpy reports: {self.first[0]}", ADVICE, self.first[1])


_log: ContextVar[ErrorLog | None] = ContextVar("log", default=None)


def call_with_error_log(log: ErrorLog, fn: Callable[..., T], /, *args: object) -> T:
    """The result of ``fn(*args)``, in which errors that would be reported go to the log instead."""
    modes = {kind: mode if mode in SILENT else "log" for kind, mode in log.outer.modes.items()}
    return call_with_variables({**ErrorState(modes, log).variables(), _log: log}, fn, *args)


def error_state_of_program() -> ErrorState:
    """The program's setting, also while a function is captured."""
    state, log = ErrorState.current(), _log.get()
    if log is None:
        return state
    modes = {kind: log.outer.modes[kind] if mode == "log" else mode for kind, mode in state.modes.items()}
    return ErrorState(modes, log.outer.target if state.target is log else state.target)


def guards_of_error_state(names: Iterable[str], values: Iterable[object]) -> list[QueryGuard]:
    """The guard of the setting, for a function that may compute with numpy: it uses ``names``, and reads ``values``."""
    if "asnumpy" not in names and not any(_is_of_numpy(item) for value in values for item in nested_values(value)):
        return []
    return [QueryGuard(_Comparison().holds, True, "numpy's handling of floating-point errors")]


class _Comparison:
    """Compares the setting with that of its creation: first the context variables, since ``geterr`` is slow."""

    def __init__(self) -> None:
        self._state, self._values = ErrorState.current(), _values()

    def holds(self) -> bool:
        """Whether the setting is the same."""
        values = _values()
        if all(map(is_, values, self._values)):
            return True
        is_same = ErrorState.current() == self._state
        self._values = values if is_same else self._values
        return is_same


def _values() -> list[object]:
    return [variable.get() for variable in VARIABLES]


def _is_of_numpy(value: object) -> bool:
    """Whether a value is an array or number of numpy, a class of them, a function or a module."""
    if is_a(value, (FunctionType, ModuleType)):
        name = vars(value).get("__name__") if is_a(value, ModuleType) else value.__module__
        return str(name).partition(".")[0] == "numpy"
    return is_a(value, NUMPY_TYPES) or (is_a(value, type) and issubclass(value, np.generic))
