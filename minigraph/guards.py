"""What captured code reads in Python beside its arguments, so that ``@jit`` notices when it changes.

A graph keeps the numbers, flags and tensors its function found in globals, in closures and on its object.
A guard remembers one such place; when it no longer holds, the function is captured again. Containers that
are changed in place (a list, a dict, the array of a captured tensor) are not guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from inspect import unwrap
from types import CodeType, FunctionType, MethodType, NoneType
from typing import Any, NamedTuple

from minigraph.ir.values import exact
from minigraph.loc import is_ours
from minigraph.tensor import Tensor
from minigraph.types import DType

PLAIN = (bool, int, float, complex, str, bytes, NoneType)
MISSING = object()


class Guard(NamedTuple):
    """A place, ``owner.name``, and the value it had when the code that reads it was captured."""

    owner: Any
    name: str
    value: Any

    @property
    def holds(self) -> bool:
        """Whether the value is still the same, bit for bit; of tensors and functions, whether it is the same one."""
        now = _found(self.owner, self.name)
        if now is self.value:
            return True
        return now.__class__ is self.value.__class__ and is_plain(now) and exact(now) == exact(self.value)

    @property
    def place(self) -> str:
        """The place in words."""
        return "a closed-over value" if self.name == "cell_contents" else f"'{self.name}'"


class Names:
    """A dictionary of names, seen as attributes."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.__dict__ = names


def guards_of(fn: Callable[..., Any]) -> list[Guard]:
    """A guard for everything plain that a function, and the user's functions it names, reads.

    >>> scale = 2.0
    >>> [guard.value for guard in guards_of(lambda x: x * scale)]
    [2.0]
    """
    found: list[Guard] = []
    seen: set[tuple[CodeType, int]] = set()
    waiting: list[Any] = [fn]
    while waiting:
        function, owner = _taken_apart(waiting.pop())
        if function is None or (function.__code__, id(owner)) in seen or is_ours(function.__code__.co_filename):
            continue
        seen.add((function.__code__, id(owner)))
        if hasattr(owner, "_version"):  # a Cell counts its own changes
            found.append(Guard(owner, "_version", owner._version))
        for guard in _places(function, owner):
            if isinstance(guard.value, Tensor | DType) or is_plain(guard.value):
                found.append(guard)
            elif _taken_apart(guard.value)[0] is not None:
                waiting.append(guard.value)
                if isinstance(guard.value, FunctionType):
                    found.append(guard)
    return found


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, a flag, ``None``, or a tuple of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, PLAIN)


def _found(owner: Any, name: str) -> Any:
    """What stands at a place now, or ``MISSING``."""
    try:
        return getattr(owner, name, MISSING)
    except ValueError:  # what Python says of a closed-over variable that is not set yet, or no more
        return MISSING


def _taken_apart(function: Any) -> tuple[FunctionType | None, Any]:
    """The Python function behind a callable, and the object it is bound to."""
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function) if callable(function) and not isinstance(function, type) else None
    if isinstance(function, MethodType):
        plain = function.__func__
        return (plain if isinstance(plain, FunctionType) else None), function.__self__
    return (function if isinstance(function, FunctionType) else None), None


def _places(function: FunctionType, owner: Any) -> Iterator[Guard]:
    """Where the function reads from: closure, globals, and the object it is bound to, with the values now."""
    for cell in function.__closure__ or ():
        value = _found(cell, "cell_contents")
        if value is not MISSING:
            yield Guard(cell, "cell_contents", value)
    named, attributes = Names(function.__globals__), getattr(owner, "__dict__", {})
    for name in dict.fromkeys(_names_in(function.__code__)):
        if name in function.__globals__:
            yield Guard(named, name, function.__globals__[name])
        if name in attributes:
            yield Guard(owner, name, attributes[name])
        elif isinstance(getattr(type(owner), name, None), FunctionType):
            yield Guard(owner, name, getattr(owner, name))


def _names_in(code: CodeType) -> Iterator[str]:
    """Every name of a global or an attribute in a function and the functions written inside of it."""
    waiting = [code]
    while waiting:
        inner = waiting.pop()
        yield from inner.co_names
        waiting += [const for const in inner.co_consts if isinstance(const, CodeType)]
