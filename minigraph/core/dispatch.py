"""What is open while operators are called: who makes their values, and who listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol


class Interpreter(Protocol):
    """Who makes the value of an operator call; ``typed``: its values have shapes, so attributes get one spelling."""

    typed: bool

    def lift(self, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands as this interpreter's values: numbers wrapped, dtypes promoted."""

    def emit(self, op: Any, args: tuple[Any, ...], attrs: Mapping[str, Any]) -> Any:
        """The result (a tuple when there are several)."""


class Listener(Protocol):
    """Who is told of every call after it happened: a tape."""

    def record(self, op: Any, args: tuple[Any, ...], attrs: Mapping[str, Any], out: Any) -> None:
        """One call, with lifted operands and its result."""


@dataclass(frozen=True, slots=True)
class Open:
    """What is open in one thread: who makes values, and who listens, outermost first; ``record`` tells all of them."""

    interpreter: Interpreter
    listeners: tuple[Listener, ...] = ()
    record: Callable[[Any, tuple[Any, ...], Mapping[str, Any], Any], None] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        one = len(self.listeners) == 1  # nearly always
        object.__setattr__(self, "record", self.listeners[0].record if one else partial(_tell, self.listeners))


def _tell(listeners: tuple[Listener, ...], *call: Any) -> None:
    for listener in listeners:
        listener.record(*call)
