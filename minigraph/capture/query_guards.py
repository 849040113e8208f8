"""Guards of state that ``getattr`` does not return: entries of classes, and results of functions of libraries."""

from __future__ import annotations

from abc import get_cache_token
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from minigraph.capture.container_contents import is_a
from minigraph.capture.guards import MISSING


class ClassGuard(NamedTuple):
    """Guards the entry of a class under a name, without calling descriptors such as properties."""

    owner: type
    name: str
    value: object

    @property
    def holds(self) -> bool:
        """Whether the class's own entry is the same object."""
        return vars(self.owner).get(self.name, MISSING) is self.value

    @property
    def description(self) -> str:
        """The class and the name."""
        return f"'{self.owner.__name__}.{self.name}'"

    @property
    def key(self) -> Hashable:
        """The class and the name."""
        return id(self.owner), self.name, ClassGuard


def names_of_class(cls: type) -> tuple[str, ...]:
    """The names that a class itself defines, in order, without the one that ``copy`` and ``pickle`` add."""
    return tuple(name for name in vars(cls) if name != "__slotnames__")


class ClassNamesGuard(NamedTuple):
    """Guards ``names_of_class`` of a class."""

    owner: type
    value: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no name was added or removed."""
        return tuple(vars(self.owner)) == self.value or names_of_class(self.owner) == self.value

    @property
    def changed_name(self) -> str:
        """A name that was added or removed since, if there is one."""
        return min({*names_of_class(self.owner)} ^ {*self.value}, default="")

    @property
    def description(self) -> str:
        """The class."""
        return f"the attributes of '{self.owner.__name__}'"

    @property
    def key(self) -> Hashable:
        """The class."""
        return id(self.owner), ClassNamesGuard


class UnshadowedGuard(NamedTuple):
    """Guards that an object itself has no attribute of a name under which a method of its class is found."""

    owner: object
    name: str

    @property
    def holds(self) -> bool:
        """Whether the method is still found."""
        return self.name not in vars(self.owner)

    @property
    def description(self) -> str:
        """The class and the name."""
        return f"'{self.name}' of a {type(self.owner).__name__}"

    @property
    def key(self) -> Hashable:
        """The object and the name."""
        return id(self.owner), self.name, UnshadowedGuard


class QueryGuard(NamedTuple):
    """Guards the result of a function without arguments that changes with the state of a library."""

    query: Callable[[], object]
    answer: object
    description: str

    @property
    def holds(self) -> bool:
        """Whether the result is the same."""
        return self.query() == self.answer

    @property
    def key(self) -> Hashable:
        """The function."""
        return self.query


def registered_classes() -> QueryGuard:
    """The guard that no class is registered as a subclass of an abstract class."""
    return QueryGuard(get_cache_token, get_cache_token(), "the registered abstract classes")


def is_change_count(guard: object) -> bool:
    """Whether a guard is on a Cell's count of changed attributes, which says that but not what has changed."""
    return getattr(guard, "name", "") == "_version"


def guards_of_field_names(values: Iterable[object]) -> list[QueryGuard]:
    """The guards of the names of the fields of numpy's structured dtypes, which can be renamed in place."""
    arrays = (np.ndarray, np.generic)
    found = (value.dtype if is_a(value, arrays) else value for value in values if is_a(value, (*arrays, np.dtype)))
    dtypes = {id(dtype): dtype for dtype in found if dtype.names}
    return [QueryGuard(partial(getattr, dtype, "names"), dtype.names, "a dtype's names") for dtype in dtypes.values()]
