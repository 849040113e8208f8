"""What captured code reads in Python beside its arguments, so that ``@jit`` notices when it changes.

A graph keeps the numbers, flags and tensors its function found in globals, in closures and in attributes: of its
own object, of objects it names, of objects among its arguments. A guard remembers one such place; when it no
longer holds, the function is captured again. Which attributes are read is told by the names in the code. Not
guarded are containers changed in place (a list, a dict, the array of a captured tensor) and installed modules.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from inspect import unwrap
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType, NoneType
from typing import Any, NamedTuple

from minigraph.ir.values import exact
from minigraph.loc import is_ours
from minigraph.tensor import Tensor
from minigraph.types import DType

PLAIN = (bool, int, float, complex, str, bytes, NoneType)
CONTAINERS = (tuple, list, dict, set, frozenset)
IMPLIED = ("__call__", "bprop", "construct", "_version")  # read unnamed; in the last a Cell counts its own changes
FOREIGN = sys.stdlib_module_names | {"numpy"}
MISSING = object()


class Guard(NamedTuple):
    """A place and the value it had when the code that reads it was captured.

    The place is the attribute ``name`` of ``owner``, or its entry ``name`` where ``owner`` is a module's globals.
    """

    owner: Any
    name: str
    value: Any

    @property
    def holds(self) -> bool:
        """Whether the value is still the same, bit for bit; whether it is the same one if it is not plain."""
        now = _found(self.owner, self.name)
        if now is self.value:
            return True
        return now.__class__ is self.value.__class__ and is_plain(now) and exact(now) == exact(self.value)

    @property
    def place(self) -> str:
        """The place in words."""
        return "a closed-over value" if self.name == "cell_contents" else f"'{self.name}'"


def guards_of(fn: Callable[..., Any], beside: Iterable[Any] = ()) -> list[Guard]:
    """A guard for everything that a function, and the user's functions and objects it names, read.

    ``beside`` are the objects it gets hold of otherwise: its arguments.

    >>> scale = 2.0
    >>> [guard.value for guard in guards_of(lambda x: x * scale)]
    [2.0]
    """
    reach = _Reach()
    waiting: list[Any] = [fn, *beside]
    while reach.enter(waiting):
        waiting = [guard.value for guard in reach.places()]
    return [guard for guard in reach.places() if _is_guarded(guard.value) and guard.holds]


def once(guards: Iterable[Guard]) -> list[Guard]:
    """The first guard of every place."""
    first: dict[tuple[int, str], Guard] = {}
    for guard in guards:
        first.setdefault((id(guard.owner), guard.name), guard)
    return list(first.values())


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, a flag, ``None``, or a tuple of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, PLAIN)


class _Reach:
    """The functions and objects that code gets hold of, and all names in it."""

    def __init__(self) -> None:
        self.things: dict[int, Any] = {}  # by id; kept, so that ids stay their own
        self.names = set(IMPLIED)

    def enter(self, values: Iterable[Any]) -> bool:
        """Take in what values are made of; returns whether anything was new."""
        parts = [part for value in values for part in _parts(value) if _is_looked_into(part)]
        new = {id(part): part for part in parts if id(part) not in self.things}
        self.things |= new
        for part in new.values():
            if isinstance(part, FunctionType):
                self.names.update(_names_in(part))
        return bool(new)

    def places(self) -> list[Guard]:
        """All places that the names stand for, with the values now."""
        return once(guard for thing in self.things.values() for guard in self._places_of(thing))

    def _places_of(self, thing: Any) -> Iterator[Guard]:
        return _places_of_function(thing) if isinstance(thing, FunctionType) else self._places_of_object(thing)

    def _places_of_object(self, thing: Any) -> Iterator[Guard]:
        """Attributes of the object itself, then those its classes give it."""
        own = {} if isinstance(thing, type) else getattr(thing, "__dict__", {})
        for name in sorted(self.names & own.keys()):
            yield Guard(thing, name, own[name])
        for base in thing.__mro__ if isinstance(thing, type) else type(thing).__mro__:
            if base.__module__.partition(".")[0] not in FOREIGN:
                for name in sorted(self.names & vars(base).keys()):
                    value = _given_by_class(vars(base)[name], thing)
                    if value is not MISSING:
                        yield Guard(thing, name, value)


def _parts(value: Any) -> Iterator[Any]:
    """The value itself, or, of a callable, the Python function behind it and the objects it brings along."""
    function, owner = _taken_apart(value)
    yield value if function is None else owner
    while isinstance(value, partial):
        yield from (*value.args, *value.keywords.values())
        value = value.func
    if function is not None:
        yield from (function, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def _places_of_function(function: FunctionType) -> Iterator[Guard]:
    """What the function closes over, and the globals it names."""
    for cell in function.__closure__ or ():
        value = _found(cell, "cell_contents")
        if value is not MISSING:
            yield Guard(cell, "cell_contents", value)
    for name in dict.fromkeys(_names_in(function)):
        if name in function.__globals__:
            yield Guard(function.__globals__, name, function.__globals__[name])


def _given_by_class(raw: Any, thing: Any) -> Any:
    """What an entry of a class's dictionary is as an attribute of an object, without running the user's code."""
    if isinstance(raw, staticmethod | classmethod):
        return raw.__func__
    if isinstance(thing, type):
        return MISSING if hasattr(type(raw), "__get__") and not isinstance(raw, FunctionType) else raw
    if isinstance(raw, MemberDescriptorType):
        return _found(thing, raw.__name__)
    raw = raw.fget if isinstance(raw, property) else raw
    if isinstance(raw, FunctionType):
        return MethodType(raw, thing)
    return MISSING if hasattr(type(raw), "__get__") else raw


def _is_looked_into(thing: Any) -> bool:
    """Whether what a thing reads, or has as attributes, may be Python values of the user's."""
    if isinstance(thing, FunctionType):
        return bool(thing.__closure__) or not is_ours(thing.__code__.co_filename)
    if isinstance(thing, ModuleType):
        return _is_users_module(thing)
    if isinstance(thing, type):
        return thing.__module__.partition(".")[0] not in FOREIGN
    return not isinstance(thing, (*PLAIN, *CONTAINERS, Tensor, DType, MethodType)) and (
        hasattr(thing, "__dict__") or hasattr(thing, "__slots__")
    )


def _is_users_module(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    installed = "site-packages" in file or "dist-packages" in file or is_ours(file)
    return not installed and module.__name__.partition(".")[0] not in FOREIGN


def _is_guarded(value: Any) -> bool:
    """Whether it matters that another value takes the place of this one."""
    return isinstance(value, Tensor | DType | FunctionType) or is_plain(value) or _is_looked_into(value)


def _found(owner: Any, name: str) -> Any:
    """What stands at a place now, or ``MISSING``."""
    try:
        return owner.get(name, MISSING) if owner.__class__ is dict else getattr(owner, name, MISSING)
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


def _names_in(function: FunctionType) -> Iterator[str]:
    """Every name of a global or an attribute in a user's function and the functions written inside of it."""
    waiting = [] if is_ours(function.__code__.co_filename) else [function.__code__]
    while waiting:
        inner = waiting.pop()
        yield from inner.co_names
        waiting += [const for const in inner.co_consts if isinstance(const, CodeType)]
