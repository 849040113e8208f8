"""Guards: conditions on Python state under which a compiled graph is valid.

A trace specialises a function: numbers, flags, functions and constant tensors that it read from globals, closures,
attributes and containers become part of the graph. As in tracing just-in-time compilers (Gal et al., *Trace-based
Just-in-Time Type Specialization for Dynamic Languages*, PLDI 2009), each such assumption is a guard, checked before
every call; if one fails, the function is traced again. Types and static values of arguments are not guarded: they
are the cache key.

Each class here guards one kind of state. Plain values are compared by their bits, other objects by identity; mutable
containers, arrays and tensors are also compared by their contents. ``minigraph.capture.reachable_state`` determines
what a function may read.

Invariant: if all guards hold, tracing again would give the same graph. Of Parameters, which a graph reads when it
runs, only the types are guarded. State that differs at every call (clocks, random numbers) has a ``FailingGuard``.
Not handled: state that ``reachable_state`` does not find, above all in installed modules and extension types.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from operator import is_
from types import CellType
from typing import Any, NamedTuple, Protocol

import numpy as np

from minigraph.capture.container_contents import (
    MUTABLE_TYPES,
    is_a,
    is_plain_value,
    items_of,
    nested_values,
)
from minigraph.core.machine import MAX_BYTES_COPY
from minigraph.core.tensor import Parameter, Tensor
from minigraph.ir.exact_keys import exact_key

IMPLEMENTATION = ("__code__", "__class__")  # attributes that are guarded without reading the objects that they refer to
MISSING = object()  # the value of a missing attribute or global


class Condition(Protocol):
    """A condition on Python state that a compiled graph assumes."""

    @property
    def holds(self) -> bool:
        """Whether the condition is true."""

    @property
    def description(self) -> str:
        """The guarded state in words, for messages."""

    @property
    def key(self) -> Hashable:
        """Equal for two guards of the same state."""


class Guard(NamedTuple):
    """Guards the value of an attribute ``name`` of ``owner``, or of a global if ``owner`` is a dict of globals.

    ``label`` is the name in the program, if that differs (for a closure variable).
    """

    owner: Any
    name: str
    value: Any
    label: str = ""

    @property
    def holds(self) -> bool:
        """Whether a plain value has the same bits, and any other value is the same object."""
        now = value_at(self.owner, self.name)
        return now is self.value or is_same_value(now, self.value)

    @property
    def description(self) -> str:
        """The name in quotes."""
        return f"'{self.label or self.name}'"

    @property
    def key(self) -> Hashable:
        """The owner and the name."""
        return id(self.owner), self.name


class ContentsGuard(NamedTuple):
    """Guards the contents of a list, dict or set: plain values by their bits, other objects by identity."""

    container: Any
    items: tuple[Any, ...]
    label: str

    @property
    def holds(self) -> bool:
        """Whether the contents are the same, in the same order."""
        now = items_of(self.container)
        if len(now) != len(self.items):
            return False
        return all(map(is_, now, self.items)) or all(map(is_same_value, now, self.items))

    @property
    def description(self) -> str:
        """The container in words."""
        return f"the contents of '{self.label}'"

    @property
    def key(self) -> Hashable:
        """The container."""
        return id(self.container), ContentsGuard


class ElementsGuard(NamedTuple):
    """Guards the elements of a tensor or a numpy array, which it references weakly.

    ``bits`` are the bytes of ``before``, if it is small.
    """

    target: weakref.ref[Any]
    before: np.ndarray
    bits: bytes | None
    label: str
    is_writeable: bool | None = None  # of a numpy array, because a program may read its flag

    @property
    def holds(self) -> bool:
        """Whether the elements are the same, bit for bit."""
        target = self.target()
        if target is None:
            return True
        now, before = array_of(target), self.before
        if now.shape != before.shape or now.dtype != before.dtype:
            return False
        if self.is_writeable is not None and now.flags.writeable is not self.is_writeable:
            return False
        return now.tobytes() == self.bits if self.bits is not None else np.array_equal(_words(now), _words(before))

    @property
    def description(self) -> str:
        """The elements in words."""
        return f"the elements of '{self.label}'" if self.label else "the elements of a captured tensor"

    @property
    def key(self) -> Hashable:
        """The tensor or array."""
        return id(self.target()), ElementsGuard


class FailingGuard(NamedTuple):
    """A guard that always fails, for state that differs at every call, such as random numbers."""

    description: str
    holds: bool = False

    @property
    def key(self) -> Hashable:
        """The description."""
        return self.description


def elements_guard(target: Tensor | np.ndarray, label: str = "", before: np.ndarray | None = None) -> ElementsGuard:
    """The guard of a tensor's or array's elements; ``before`` is a copy of them, if there is one."""
    copy = array_of(target).copy() if before is None else before
    bits = copy.tobytes() if copy.nbytes <= MAX_BYTES_COPY else None
    is_writeable = target.flags.writeable if isinstance(target, np.ndarray) else None
    return ElementsGuard(weakref.ref(target), copy, bits, label, is_writeable)


def unique_guards(guards: Iterable[Condition]) -> list[Any]:
    """The guards without duplicates, and without guards on garbage-collected tensors and arrays."""
    first: dict[Hashable, Condition] = {}
    for guard in guards:
        if not isinstance(guard, ElementsGuard) or guard.target() is not None:
            first.setdefault(guard.key, guard)
    return list(first.values())


def guards_inside(value: object, label: str) -> Iterator[Condition]:
    """The guards of the mutable contents of a value: of containers, arrays and tensors nested in it.

    Not of Parameters, because a graph reads those when it runs.
    """
    for item in nested_values(value):
        if is_a(item, (*MUTABLE_TYPES, memoryview)):
            yield ContentsGuard(item, items_of(item), label)
        elif _may_change(item):
            yield elements_guard(item, label)
        elif is_a(item, partial):
            yield from (Guard(item, name, getattr(item, name), label) for name in ("func", "args", "keywords"))
        elif is_a(item, CellType):
            yield Guard(item, "cell_contents", value_at(item, "cell_contents"), label)


def _may_change(item: object) -> bool:
    """Whether an item is an array, or a tensor other than a Parameter whose memory can be written to."""
    if is_a(item, Tensor):
        return not (item.is_traced or is_a(item, Parameter)) and has_writeable_memory(item.array)
    return is_a(item, np.ndarray)  # its flags may be set


def has_writeable_memory(array: np.ndarray) -> bool:
    """Whether the elements of an array can be written to, perhaps through its base."""
    base: Any = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return True
        base = base.base
    return not (base is None or isinstance(base, bytes))


def value_at(owner: object, name: str) -> Any:
    """The current value of an attribute or global, or ``MISSING``."""
    try:
        return owner.get(name, MISSING) if owner.__class__ is dict else getattr(owner, name, MISSING)
    except ValueError:  # an empty cell: a closure variable that is unset or deleted
        return MISSING


def _words(array: np.ndarray) -> np.ndarray:
    """The bytes of an array, as 64-bit words if possible."""
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return flat.view(np.uint64) if flat.size % 8 == 0 else flat


def array_of(target: Any) -> np.ndarray:
    """The array of a tensor; an array itself."""
    if not isinstance(target, np.ndarray):
        return target.array
    is_numpys = type(target).__module__.startswith("numpy")
    return target if is_numpys else np.asarray(target)  # without the methods of a program's class


def is_same_value(now: object, before: object) -> bool:
    """Whether both are the same object, or plain values of one type with the same bits."""
    return now is before or (
        now.__class__ is before.__class__ and is_plain_value(now) and exact_key(now) == exact_key(before)
    )
