"""The dispatch context of a thread: the interpreter that makes values, and the observers that record calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from minigraph.core.aliases import Attrs, CallResult

if TYPE_CHECKING:
    from minigraph.core.op import Op


def require_gil() -> None:
    """Refuse a free-threaded Python: dispatch, caches and programs rely on the global interpreter lock."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():  # since Python 3.13
        text = "minigraph: free-threaded Python is not supported, because caches rely on the global interpreter lock"
        raise ImportError(f"{text}; start Python with -X gil=1, or use the build with the lock")


require_gil()


class Interpreter(Protocol):
    """Makes the value of an operator call; ``typed``: its values have shapes, so attributes are made canonical."""

    typed: bool

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands as values of this interpreter: numbers wrapped, dtypes promoted."""

    def emit(self, op: Op, args: tuple[Any, ...], attrs: Attrs) -> CallResult:
        """The result of the call; a tuple if there are several."""


class Observer(Protocol):
    """Is notified of every operator call after it was made; a tape is an observer."""

    def record(self, op: Op, args: tuple[Any, ...], attrs: Attrs, out: CallResult) -> None:
        """Record one call, with its lifted operands and its result."""


@dataclass(frozen=True, slots=True)
class DispatchContext:
    """What is active in one thread: an interpreter and the observers, outermost first; ``record`` notifies them all."""

    interpreter: Interpreter
    observers: tuple[Observer, ...] = ()
    record: Callable[[Op, tuple[Any, ...], Attrs, CallResult], None] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        has_one = len(self.observers) == 1  # nearly always
        object.__setattr__(self, "record", self.observers[0].record if has_one else partial(_notify, self.observers))


def _notify(observers: tuple[Observer, ...], op: Op, args: tuple[Any, ...], attrs: Attrs, out: CallResult) -> None:
    for observer in observers:
        observer.record(op, args, attrs, out)
