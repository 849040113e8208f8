"""The state of single Python objects: how it is read, and how it is restored, without the methods of their classes."""

from __future__ import annotations

import gc
import itertools
import pickle
import random
import zlib
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from operator import length_hint
from types import CellType, GeneratorType
from typing import Any

import numpy as np

from minigraph.capture.container_contents import items_of, read_plainly, restore
from minigraph.capture.guards import MISSING, ContentsGuard, ElementsGuard, array_of, value_at
from minigraph.capture.query_guards import ClassNamesGuard

CONTAINER_TYPES = (list, dict, set, deque, bytearray)
GENERATOR_TYPES = (np.random.Generator, np.random.RandomState, random.Random)
RandomGenerator = np.random.Generator | np.random.RandomState | random.Random


def items_in(container: Any) -> tuple[object, ...]:
    """The contents of a container, read without the methods of its class."""
    if isinstance(container, dict):
        kind = OrderedDict if isinstance(container, OrderedDict) else dict  # each has an order of its own
        return (*kind.keys(container), *kind.values(container))
    base = next(kind for kind in CONTAINER_TYPES if isinstance(container, kind))
    return tuple(base.__iter__(container))


def read_attributes(table: dict[str, object]) -> tuple[object, ...]:
    """The attributes of an object, without the jitted methods that are stored in it at first look-up."""
    return items_of({name: value for name, value in table.items() if not _is_jitted(value)})


def set_attributes(table: dict[str, object], before: tuple[object, ...]) -> None:
    """Restore the attributes of an object."""
    jitted = {name: value for name, value in table.items() if _is_jitted(value)}
    restore(table, before)
    table.update(jitted)


def _is_jitted(value: object) -> bool:
    return str(type(value).__module__).startswith("minigraph.compilation.")


def read_variable(table: dict[str, object], name: str) -> tuple[object, ...]:
    """A variable of a module, in a tuple."""
    return (dict.get(table, name, MISSING),)


def set_variable(table: dict[str, object], name: str, before: tuple[object, ...]) -> None:
    """Set or delete a variable of a module."""
    table[name] = before[0]
    if before[0] is MISSING:
        del table[name]


def read_cell(cell: CellType) -> tuple[object, ...]:
    """The value of a closure variable, in a tuple."""
    return (value_at(cell, "cell_contents"),)


def set_cell(cell: CellType, before: tuple[object, ...]) -> None:
    """Set or clear a closure variable."""
    cell.cell_contents = before[0]
    if before[0] is MISSING:
        del cell.cell_contents


def set_class(cls: type, before: tuple[Any, ...]) -> None:
    """Restore the attributes of a class."""
    half = len(before) // 2
    old = dict(zip(before[:half], before[half:], strict=True))
    for name in vars(cls).keys() - old.keys():
        delattr(cls, name)
    for name, value in old.items():
        if vars(cls).get(name, MISSING) is not value:
            setattr(cls, name, value)


def read_array(array: np.ndarray) -> tuple[object, ...]:
    """The shape and a checksum of an array."""
    return array.shape, zlib.crc32(np.ascontiguousarray(array).tobytes())


def set_array(array: np.ndarray, copy: np.ndarray, was_writeable: bool, before: tuple[object, ...] = ()) -> None:
    """Restore the elements of an array from a copy, and whether it can be written to."""
    if was_writeable:
        array.flags.writeable = True
    array[...] = copy


def slots_of(kind: type) -> Iterator[str]:
    """The names of the slots of a class and its bases."""
    for base in kind.__mro__:
        yield from slots_in(base)


def slots_in(base: type) -> Iterator[str]:
    """The names of the slots that a class itself defines."""
    slots = vars(base).get("__slots__", ())
    for name in (slots,) if isinstance(slots, str) else slots:
        if name not in ("__dict__", "__weakref__"):
            yield f"_{base.__name__.lstrip('_')}{name}" if name[:2] == "__" and name[-2:] != "__" else name


def read_slot(obj: object, name: str) -> tuple[object, ...]:
    """The value of a slot, in a tuple."""
    return (read_plainly(obj, name, MISSING),)


def set_slot(obj: object, name: str, before: tuple[object, ...]) -> None:
    """Set or delete a slot."""
    if before[0] is MISSING:
        object.__delattr__(obj, name)
    else:
        object.__setattr__(obj, name, before[0])


def read_generator(generator: GeneratorType[Any, Any, Any]) -> tuple[object, ...]:
    """Where a generator has stopped, and its variables."""
    frame = generator.gi_frame
    return () if frame is None else (frame.f_lasti, *frame.f_locals.values())


def read_iterator(iterator: object) -> tuple[object, ...]:
    """The state of an iterator of Python's, and the iterators inside of it.

    Python 3.12 warns when those of ``itertools`` are reduced, and 3.14 cannot: what they refer to is read instead, and
    how many items a ``repeat`` has left, or the number of a ``count``. The index of a ``cycle`` is not visible.

    >>> read_iterator(iter([1, 2]))[1:], read_iterator(itertools.repeat("x", 2))[-1]
    (([1, 2], 0), 2)
    """
    if isinstance(iterator, itertools.repeat | itertools.count):
        is_count = isinstance(iterator, itertools.count)
        return *gc.get_referents(iterator), repr(iterator) if is_count else length_hint(iterator, -1)
    if type(iterator).__module__ == "itertools":
        return tuple(gc.get_referents(iterator))
    try:
        reduced = iterator.__reduce__()
    except TypeError:
        return ()
    parts = reduced if isinstance(reduced, tuple) else ()
    return tuple(item for part in parts for item in (part if isinstance(part, tuple) else (part,)))


def read_random(generator: RandomGenerator) -> tuple[object, ...]:
    """The state of a random generator, as bytes."""
    return (pickle.dumps(state_of(generator)),)


def set_random(generator: RandomGenerator, before: tuple[Any, ...]) -> None:
    """Restore the state of a random generator."""
    set_state(generator, pickle.loads(before[0]))


def state_of(generator: RandomGenerator) -> Any:
    """The state of a random generator of Python or numpy."""
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.get_state(legacy=False) if isinstance(generator, np.random.RandomState) else generator.getstate()


def mark_state(generator: RandomGenerator) -> None:
    """Mark the state of a numpy generator, so that seeding it with the same seed again counts as a change.

    Python's own generators need no mark: ``call_monitor`` refuses all calls of them.
    """
    state = state_of(generator)
    if "gauss" in state:
        set_state(generator, state | {"has_gauss": 1, "gauss": SEED_MARK})
    elif "uinteger" in state:
        set_state(generator, state | {"has_uint32": 1, "uinteger": int(SEED_MARK)})


SEED_MARK = 2825351147.0  # an arbitrary cached number, which no generator holds after seeding


def set_state(generator: RandomGenerator, state: Any) -> None:
    """Restore the state of a random generator."""
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        (generator.set_state if isinstance(generator, np.random.RandomState) else generator.setstate)(state)


def keep_iterator(before: tuple[object, ...]) -> None:
    """Do nothing: iterators cannot be restored, so a function that reaches one from outside is not traced at all."""


def restore_guarded(guard: Any) -> None:
    """Restore the state that a guard recorded."""
    if isinstance(guard, ContentsGuard):
        restore(guard.container, guard.items)
    elif isinstance(guard, ElementsGuard):
        set_array(array_of(guard.target()), guard.before, bool(guard.is_writeable))
    elif isinstance(guard, ClassNamesGuard):
        for name in vars(guard.owner).keys() - set(guard.value):
            delattr(guard.owner, name)
    elif isinstance(guard.owner, dict):
        guard.owner.update({guard.name: guard.value})
        if guard.value is MISSING:
            del guard.owner[guard.name]
    elif guard.value is MISSING:
        with suppress(AttributeError):  # set in its class, which has a guard of its own
            delattr(guard.owner, guard.name)
    else:
        setattr(guard.owner, guard.name, guard.value)
