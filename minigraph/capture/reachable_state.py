"""What a function gets hold of: its globals, its closure, attributes of its object, and what those name in turn.

Which attributes are read is told by the names in the code: of the function, of the user's functions it calls, of
methods of the objects it reaches. Installed modules are not looked into.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from inspect import unwrap
from types import BuiltinFunctionType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from minigraph.capture.guards import CONTAINERS, MISSING, PLAIN, Guard, found, inside, nested, once
from minigraph.core.location import is_ours
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType

IMPLIED = ("__call__", "bprop", "construct", "_version")  # read unnamed; in the last a Cell counts its own changes
DEFAULTS = ("__defaults__", "__kwdefaults__")
ASKING = {"getattr", "hasattr"}
FOREIGN = sys.stdlib_module_names | {"numpy"}


def guards_of(fn: Callable[..., Any], beside: Iterable[Any] = ()) -> list[Any]:
    """A guard for everything that a function, and the user's functions and objects it names, read.

    ``beside`` are the objects it gets hold of otherwise: its arguments.

    >>> scale = 2.0
    >>> [guard.value for guard in guards_of(lambda x: x * scale)]
    [2.0]
    """
    reach = Reach(fn, beside)
    return reach.standing(reach.guards())


class Reach:
    """The functions and objects that code gets hold of, and all names in it."""

    def __init__(self, fn: Callable[..., Any], beside: Iterable[Any] = ()) -> None:
        self.things: dict[int, Any] = {}  # by id; kept, so that ids stay their own
        self.names = set(IMPLIED)
        self.asked = set[str]()  # the words that code may ask for with getattr and hasattr
        self.set_attributes, self.set_globals = set[str](), set[str]()  # the names that code gives values to
        self._start = (fn, *beside)
        waiting: list[Any] = list(self._start)
        while self._enter(waiting):
            waiting = [guard.value for guard in self._places()]

    @property
    def functions(self) -> list[FunctionType]:
        """The user's functions."""
        return [thing for thing in self.things.values() if isinstance(thing, FunctionType)]

    def guards(self) -> list[Any]:
        """A guard for each place, and for what can change inside of its value.

        Those with the value ``MISSING`` are attributes and globals that the code may come to set.
        """
        places = [guard for guard in self._places() if _is_guarded(guard.value) and guard.holds]
        bound = [part for start in self._start if isinstance(start, partial) for part in inside(start, "partial")]
        parts = (part for guard in places for part in inside(guard.value, guard.label or guard.name))
        return once([*places, *parts, *bound])

    def standing(self, guards: Iterable[Any]) -> list[Any]:
        """The guards of what the code read: not of what it may come to set, but of what it asked for in vain."""
        return [g for g in guards if getattr(g, "value", None) is not MISSING or g.name in self.asked]

    def _enter(self, values: Iterable[Any]) -> bool:
        """Take in what values are made of; returns whether anything was new."""
        parts = [part for value in values for part in _parts(value) if _is_looked_into(part)]
        new = {id(part): part for part in parts if id(part) not in self.things}
        self.things |= new
        for part in new.values():
            for code in _codes_of(part):
                self.names.update(code.co_names)
                self.asked |= _words_asked_in(code)
                self.set_attributes |= _names_set_in(code, "STORE_ATTR")
                self.set_globals |= _names_set_in(code, "STORE_GLOBAL")
        return bool(new)

    def _places(self) -> list[Guard]:
        """All places that the names stand for, with the values now."""
        return once(guard for thing in self.things.values() for guard in self._places_of(thing))

    def _places_of(self, thing: Any) -> Iterator[Guard]:
        return self._places_of_function(thing) if isinstance(thing, FunctionType) else self._places_of_object(thing)

    def _places_of_function(self, function: FunctionType) -> Iterator[Guard]:
        """What the function closes over, and the globals it names."""
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            value = found(cell, "cell_contents")
            if value is not MISSING:
                yield Guard(cell, "cell_contents", value, name)
        if not is_ours(function.__code__.co_filename):
            for name in DEFAULTS:
                if getattr(function, name):
                    yield Guard(function, name, getattr(function, name), f"a default of {function.__name__}")
        for name in dict.fromkeys(name for code in _codes_of(function) for name in code.co_names):
            value = function.__globals__.get(name, MISSING)
            if value is not MISSING or name in self.set_globals:
                yield Guard(function.__globals__, name, value)

    def _places_of_object(self, thing: Any) -> Iterator[Guard]:
        """Attributes of the object itself, then those its classes give it, then those it may be given."""
        own = {} if isinstance(thing, type) else getattr(thing, "__dict__", {})
        names = self.names | self.asked
        for name in sorted(names & own.keys()):
            yield Guard(thing, name, own[name])
        for base in thing.__mro__ if isinstance(thing, type) else type(thing).__mro__:
            if base.__module__.partition(".")[0] not in FOREIGN:
                for name in sorted(names & vars(base).keys()):
                    value = _given_by_class(vars(base)[name], thing)
                    if value is not MISSING:
                        yield Guard(thing, name, value)
        if not hasattr(type(thing), "__getattr__"):
            new = (name for name in sorted(self.set_attributes | self.asked) if not hasattr(type(thing), name))
            yield from (Guard(thing, name, MISSING) for name in new)


def _parts(value: Any) -> Iterator[Any]:
    """The value itself; of a container, its items; of a callable, the Python function and the objects it brings."""
    for item in nested(value):
        if not isinstance(item, CONTAINERS):
            function, owner = _taken_apart(item)
            yield item if function is None else owner
            if function is not None:
                yield from (function, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def _given_by_class(raw: Any, thing: Any) -> Any:
    """What an entry of a class's dictionary is as an attribute of an object, without running the user's code."""
    if isinstance(raw, staticmethod | classmethod):
        return raw.__func__
    if isinstance(thing, type):
        return MISSING if hasattr(type(raw), "__get__") and not isinstance(raw, FunctionType) else raw
    if isinstance(raw, MemberDescriptorType):
        return found(thing, raw.__name__)
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
    return not isinstance(value, ModuleType | type | BuiltinFunctionType | np.ufunc) or _is_looked_into(value)


def _taken_apart(function: Any) -> tuple[FunctionType | None, Any]:
    """The Python function behind a callable, and the object it is bound to."""
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function) if callable(function) and not isinstance(function, type) else None
    if isinstance(function, MethodType):
        plain = function.__func__
        return (plain if isinstance(plain, FunctionType) else None), function.__self__
    return (function if isinstance(function, FunctionType) else None), None


def _codes_of(thing: Any) -> Iterator[CodeType]:
    """The code of a user's function and of the functions written inside of it; nothing of anything else."""
    ours = not isinstance(thing, FunctionType) or is_ours(thing.__code__.co_filename)
    return iter(()) if ours else codes_in(thing.__code__)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of the functions written inside of it."""
    waiting = [code]
    while waiting:
        inner = waiting.pop()
        yield inner
        waiting += [const for const in inner.co_consts if isinstance(const, CodeType)]


@lru_cache(maxsize=4096)
def _names_set_in(code: CodeType, instruction: str) -> frozenset[str]:
    """The attributes or globals that code gives values to."""
    return frozenset(step.argval for step in dis.get_instructions(code) if step.opname == instruction)


def _words_asked_in(code: CodeType) -> frozenset[str]:
    """The words in code that asks for attributes by words."""
    if ASKING.isdisjoint(code.co_names):
        return frozenset()
    return frozenset(const for const in code.co_consts if isinstance(const, str) and const.isidentifier())
