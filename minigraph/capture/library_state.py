"""State of a program's objects that code of Python's library reads: the slots and attributes of its classes.

A ``Fraction``, a ``UserDict``, an ``Enum`` or an object of a subclass of theirs has methods that the static analysis of
``reachable_state`` does not follow. What they may read of the object is in the names of their code.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import NamedTuple

from minigraph.capture.guards import ContentsGuard, Guard, is_a, items_of, value_at
from minigraph.capture.names_in_code import codes_in, names_in
from minigraph.capture.object_state import slots_in
from minigraph.capture.readable_attributes import CONSTRUCTION, is_external_class

NOT_READ = CONSTRUCTION | {  # methods whose results have other attributes, which code reads by name
    "__copy__", "__dir__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__sizeof__",
}  # fmt: skip


class ClassReads(NamedTuple):
    """The names in the methods of a class; whether they may read any attribute; the slots of its objects."""

    names: frozenset[str]
    any_name: bool
    slots: tuple[str, ...]


def guards_of_library_state(obj: object) -> Iterator[Guard]:
    """The attributes and slots of an object that methods of its classes in Python's library may read by name."""
    attributes = getattr(obj, "__dict__", None)
    for reads in _reads_of_object(obj):
        yield from (Guard(obj, name, value_at(obj, name)) for name in reads.slots)
        if type(attributes) is dict:
            yield from (Guard(obj, name, attributes[name]) for name in sorted(reads.names & attributes.keys()))


def guards_of_library_table(obj: object) -> Iterator[ContentsGuard]:
    """All attributes of an object, if methods of its classes in Python's library may read any."""
    attributes = getattr(obj, "__dict__", None)
    if type(attributes) is dict and any(reads.any_name for reads in _reads_of_object(obj)):
        yield ContentsGuard(attributes, items_of(attributes), type(obj).__name__)


def _reads_of_object(obj: object) -> Iterator[ClassReads]:
    """What each class of an object in Python's library reads of it."""
    if not isinstance(obj, type | ModuleType | FunctionType):
        bases = (base for base in type(obj).__mro__ if base is not object and is_external_class(base))
        yield from map(reads_of_class, bases)


@lru_cache(maxsize=4096)
def reads_of_class(base: type) -> ClassReads:
    """What the methods of a class may read of an object."""
    codes = [code for name, entry in vars(base).items() if name not in NOT_READ for code in _codes_of(entry)]
    any_name = base is SimpleNamespace or any(names_in(code).computes_names for code in codes)
    return ClassReads(frozenset(name for code in codes for name in code.co_names), any_name, tuple(slots_in(base)))


def _codes_of(entry: object) -> Iterator[CodeType]:
    """The code of a method, a property or a cached property."""
    for name in ("fget", "func", "__func__"):
        entry = getattr(entry, name, entry)
    return codes_in(entry.__code__) if is_a(entry, FunctionType) else iter(())
