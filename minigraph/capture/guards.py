"""What captured code depends on in Python beside its arguments, remembered so that ``@jit`` notices a change.

A graph keeps the numbers, flags and tensors its function found in globals, in closures, in attributes and in
containers. Each kind of guard remembers one thing as it was when the code was captured; when one no longer holds,
the function is captured again. ``minigraph.capture.reach`` finds the places that a function reads.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import is_
from typing import Any, NamedTuple, Protocol

import numpy as np

from minigraph.ground.codes import code_of
from minigraph.ground.contents import CHANGEABLE, is_plain, items_of, nested
from minigraph.ir.values import exact
from minigraph.tensor import Parameter, Tensor

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


def all_hold(guards: Sequence[Any]) -> Callable[[], bool]:
    """A function that tells whether all guards hold: a line for each, because it runs before every compiled call.

    A line looks whether the same object is still in its place; only if not, the guard is asked.

    >>> owner = Parameter(1)
    >>> holds = all_hold([Guard(owner, "name", owner.name)])
    >>> was = holds()
    >>> owner.name = "other"
    >>> was, holds()
    (True, False)
    """
    names: dict[str, Any] = {}
    lines = [f"    if {failing}: return False" for failing in failing_of(guards, names)]
    exec(code_of("\n".join(["def holds():", *lines, "    return True"]), "<guards>"), names)
    found: Callable[[], bool] = names.pop("holds")
    return found


def failing_of(guards: Sequence[Any], names: dict[str, Any]) -> list[str]:
    """Expressions, one for each guard, which tell that it does not hold; what is in them goes into ``names``."""
    names["missing"] = MISSING
    found = []
    for k, guard in enumerate(guards):
        names[f"g{k}"] = guard
        found.append(f"{_expression(guard, k, names)}not g{k}.holds")
    return found


def _expression(guard: Any, k: int, names: dict[str, Any]) -> str:
    """What is asked before a guard is; the objects it needs go into ``names``."""
    if not isinstance(guard, Guard) or guard.name == "cell_contents":
        return ""
    names |= {f"o{k}": guard.owner, f"v{k}": guard.value}
    look = f"o{k}.get(" if guard.owner.__class__ is dict else f"getattr(o{k}, "
    return f"{look}{guard.name!r}, missing) is not v{k} and "


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
