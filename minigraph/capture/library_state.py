"""State of the program's objects that methods of the standard library and numpy read: their slots and attributes.

A ``Fraction``, a ``UserDict``, an ``Enum`` or an object of a subclass of theirs has methods that the static analysis of
``reachable_state`` does not follow. What they may read of the object is in the names of their code.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import NamedTuple

from minigraph.capture.container_contents import is_a, items_of, read_plainly
from minigraph.capture.guards import MISSING, ContentsGuard, Guard
from minigraph.capture.names_in_code import codes_in, names_in
from minigraph.capture.object_state import slots_in
from minigraph.capture.readable_attributes import CONSTRUCTION, is_external_class

IGNORED_METHODS = CONSTRUCTION | {  # they make a new object or a description, whose attributes are guarded themselves
    "__copy__", "__dir__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__sizeof__",
}  # fmt: skip


class AttributesRead(NamedTuple):
    """The names in the methods of a class; whether they may read any attribute; the slots of its objects."""

    names: frozenset[str]
    reads_any_name: bool
    slots: tuple[str, ...]


def guards_of_library_state(obj: object) -> Iterator[Guard]:
    """The attributes and slots of an object that methods of its external classes may read by name."""
    attributes = read_plainly(obj, "__dict__")
    for reads in _attributes_read_of(obj):
        yield from (Guard(obj, name, read_plainly(obj, name, MISSING)) for name in reads.slots)
        if type(attributes) is dict:
            yield from (Guard(obj, name, attributes[name]) for name in sorted(reads.names & attributes.keys()))


def guards_of_library_namespace(obj: object) -> Iterator[ContentsGuard]:
    """All attributes of an object, if methods of its external classes may read any."""
    attributes = read_plainly(obj, "__dict__")
    if type(attributes) is dict and any(reads.reads_any_name for reads in _attributes_read_of(obj)):
        yield ContentsGuard(attributes, items_of(attributes), type(obj).__name__)


def _attributes_read_of(obj: object) -> Iterator[AttributesRead]:
    """What each external class of an object, of the standard library or numpy, reads of it."""
    if not isinstance(obj, type | ModuleType | FunctionType):
        bases = (base for base in type(obj).__mro__ if base is not object and is_external_class(base))
        yield from map(attributes_read_by_class, bases)


@lru_cache(maxsize=4096)
def attributes_read_by_class(base: type) -> AttributesRead:
    """What the methods of a class may read of an object."""
    codes = [code for name, entry in vars(base).items() if name not in IGNORED_METHODS for code in _codes_of(entry)]
    reads_any_name = base is SimpleNamespace or any(names_in(code).computes_names for code in codes)
    names = frozenset(name for code in codes for name in code.co_names)
    return AttributesRead(names, reads_any_name, tuple(slots_in(base)))


def _codes_of(entry: object) -> Iterator[CodeType]:
    """The code of a method, a property or a cached property."""
    for name in ("fget", "func", "__func__"):
        entry = read_plainly(entry, name, entry)
    return codes_in(entry.__code__) if is_a(entry, FunctionType) else iter(())
