"""Guards that look at what ``getattr`` does not give: entries of classes, and answers of functions of libraries."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from minigraph.capture.guards import MISSING


class ClassGuard(NamedTuple):
    """Guards what a class has under a name, without calling descriptors such as properties."""

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


class QueryGuard(NamedTuple):
    """Guards the answer of a function without arguments, by which a library reports whether its state has changed."""

    query: Callable[[], object]
    answer: object
    description: str

    @property
    def holds(self) -> bool:
        """Whether the answer is the same."""
        return self.query() == self.answer

    @property
    def key(self) -> Hashable:
        """The function."""
        return self.query
