"""What captured code depends on in Python beside its arguments, remembered so that ``@jit`` notices a change.

A graph keeps the numbers, flags and tensors its function found in globals, in closures, in attributes and in
containers. Each kind of guard remembers one thing as it was when the code was captured; when one no longer holds,
the function is captured again. ``minigraph.capture.reachable_state`` finds the places that a function reads.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from operator import is_
from types import NoneType
from typing import Any, NamedTuple, Protocol

import numpy as np

from minigraph.core.tensor import Parameter, Tensor
from minigraph.ir.values import exact

PLAIN = (bool, int, float, complex, str, bytes, NoneType, np.generic)
CHANGEABLE = (list, dict, set, deque, bytearray)
CONTAINERS = (*CHANGEABLE, tuple, frozenset)


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, a flag, ``None``, or a tuple of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, PLAIN)


def items_of(container: Any) -> tuple[Any, ...]:
    """What is in a container; of a dict, keys and then values."""
    return (*container, *container.values()) if isinstance(container, dict) else tuple(container)


def restore(container: Any, items: tuple[Any, ...]) -> None:
    """Let a container hold what ``items_of`` gave.

    >>> table = {"a": 1}
    >>> before = items_of(table)
    >>> table["b"] = 2
    >>> restore(table, before)
    >>> table
    {'a': 1}
    """
    container.clear()
    if isinstance(container, dict):
        container.update(zip(items[: len(items) // 2], items[len(items) // 2 :], strict=True))
    else:
        (container.update if isinstance(container, set) else container.extend)(items)


def nested(value: Any) -> Iterator[Any]:
    """A value and what is in it, each once: contents of containers, what partials bring; nothing plain."""
    waiting, seen = [value], set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, PLAIN) or id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, CONTAINERS):
            waiting += items_of(item)
        elif isinstance(item, partial):
            waiting += [item.func, *item.args, *item.keywords.values()]


MISSING = object()  # what stands at a place where nothing is
SMALL = 4096  # bytes; so much is compared faster as Python's bytes


class Condition(Protocol):
    """Anything that captured code depends on."""

    @property
    def holds(self) -> bool:
        """Whether it is still as it was."""

    @property
    def place(self) -> str:
        """What has changed if it does not hold, in words."""

    @property
    def key(self) -> Hashable:
        """Equal for two that watch one thing."""


class Guard(NamedTuple):
    """A place and the value it had: the attribute ``name`` of ``owner``, or its entry where that is a dict of globals.

    ``label`` is what the program calls the place, where that is not its name (a closed-over variable).
    """

    owner: Any
    name: str
    value: Any
    label: str = ""

    @property
    def holds(self) -> bool:
        """Whether the value is still the same, bit for bit; whether it is the same one if it is not plain."""
        now = found(self.owner, self.name)
        return now is self.value or _alike(now, self.value)

    @property
    def place(self) -> str:
        """The place in words."""
        return f"'{self.label or self.name}'"

    @property
    def key(self) -> Hashable:
        """The place."""
        return id(self.owner), self.name


class Contents(NamedTuple):
    """A list, dict or set and what was in it: plain values by their bits, everything else by identity."""

    container: Any
    items: tuple[Any, ...]
    label: str

    @property
    def holds(self) -> bool:
        """Whether the same is in it, in the same order."""
        now = items_of(self.container)
        return len(now) == len(self.items) and (all(map(is_, now, self.items)) or all(map(_same, now, self.items)))

    @property
    def place(self) -> str:
        """The container in words."""
        return f"what is in '{self.label}'"

    @property
    def key(self) -> Hashable:
        """The container."""
        return id(self.container), Contents


class Elements(NamedTuple):
    """The elements that a tensor or a numpy array had; it may be garbage before the guard is.

    ``bits`` are those of ``before``, where they are few.
    """

    thing: weakref.ref[Any]
    before: np.ndarray
    bits: bytes | None
    label: str

    @property
    def holds(self) -> bool:
        """Whether the elements are the same, bit for bit."""
        thing = self.thing()
        if thing is None:
            return True
        now, before = array_of(thing), self.before
        if now.shape != before.shape or now.dtype != before.dtype:
            return False
        return now.tobytes() == self.bits if self.bits is not None else np.array_equal(_words(now), _words(before))

    @property
    def place(self) -> str:
        """The elements in words."""
        return f"the elements of '{self.label}'" if self.label else "the elements of a captured tensor"

    @property
    def key(self) -> Hashable:
        """The tensor or array."""
        return id(self.thing()), Elements


class Types(NamedTuple):
    """The shapes and dtypes that Parameters had; what is in them may change."""

    parameters: tuple[Parameter, ...]
    types: list[Any]

    @property
    def holds(self) -> bool:
        """Whether all have the same shape and dtype."""
        return types_of(self.parameters) == self.types

    @property
    def place(self) -> str:
        """What has changed, in words."""
        return "a Parameter's shape or dtype"

    @property
    def key(self) -> Hashable:
        """The Parameters."""
        return Types, *map(id, self.parameters)


class Never(NamedTuple):
    """Something that is another one at every call, such as random numbers."""

    place: str
    holds: bool = False

    @property
    def key(self) -> Hashable:
        """Its words."""
        return self.place


def types_of(tensors: Iterable[Tensor]) -> list[Any]:
    """The shapes and dtypes of tensors."""
    return [(tensor.array.shape, tensor.array.dtype) for tensor in tensors]


def elements_of(thing: Tensor | np.ndarray, label: str = "", before: np.ndarray | None = None) -> Elements:
    """The guard of a tensor or array; ``before`` are its elements now, if there is a copy already."""
    kept = array_of(thing).copy() if before is None else before
    return Elements(weakref.ref(thing), kept, kept.tobytes() if kept.nbytes <= SMALL else None, label)


def once(guards: Iterable[Condition]) -> list[Any]:
    """The first guard of every place; none of what is garbage by now."""
    first: dict[Hashable, Condition] = {}
    for guard in guards:
        if not isinstance(guard, Elements) or guard.thing() is not None:
            first.setdefault(guard.key, guard)
    return list(first.values())


def inside(value: Any, label: str) -> Iterator[Condition]:
    """Guards for what can change in a value while the value stays the same one: containers, arrays, tensors.

    Parameters are not among them, because a graph reads those when it runs.
    """
    for item in nested(value):
        if isinstance(item, CHANGEABLE):
            yield Contents(item, items_of(item), label)
        elif _may_be_written(item):
            yield elements_of(item, label)


def _may_be_written(item: Any) -> bool:
    """Whether an array, or that of a tensor that is no Parameter, can change in place."""
    if isinstance(item, Tensor):
        return not (item.traced or isinstance(item, Parameter)) and item.array.flags.writeable
    return isinstance(item, np.ndarray) and item.flags.writeable


def found(owner: Any, name: str) -> Any:
    """What stands at a place now, or ``MISSING``."""
    try:
        return owner.get(name, MISSING) if owner.__class__ is dict else getattr(owner, name, MISSING)
    except ValueError:  # what Python says of a closed-over variable that is not set yet, or no more
        return MISSING


def _words(array: np.ndarray) -> np.ndarray:
    """The bytes of an array, eight at a time where they are so many."""
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return flat.view(np.uint64) if flat.size % 8 == 0 else flat


def array_of(thing: Any) -> np.ndarray:
    """The array of a tensor; an array itself."""
    return thing if isinstance(thing, np.ndarray) else thing.array


def _same(now: Any, before: Any) -> bool:
    return now is before or _alike(now, before)


def _alike(now: Any, before: Any) -> bool:
    """Whether both are plain values of one kind with the same bits."""
    return now.__class__ is before.__class__ and is_plain(now) and exact(now) == exact(before)
