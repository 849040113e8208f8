"""Jitted methods: the object that is bound gets a jitted function of its own, with its own entries and guards."""

from __future__ import annotations

from types import MethodType
from typing import Any

from minigraph.compilation.options import Settings
from minigraph.core.aliases import Function


class MethodBinding:
    """The descriptor of a jitted method, which behaves like a function in a class: attributes of the object hide it.

    The jitted function of an object is stored in the object, but not under the name of the method, where it would hide
    a method of a subclass that calls this one, or one that replaces it in the class.
    """

    __name__: str
    fn: Function
    settings: Settings
    attribute: str  # of the class
    owner: Any  # the object, when this is a bound method

    @property
    def title(self) -> str:
        """The name in messages: of a method, with that of its class."""
        owner = self.fn.__self__ if isinstance(self.fn, MethodType) else None
        kind = owner if isinstance(owner, type) else type(owner)
        return self.__name__ if owner is None else f"{kind.__name__}.{self.__name__}"

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute = name

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        """A jitted method: one jitted function per object, stored in the object."""
        if owner is None:
            return self
        if isinstance(owner, type) or not hasattr(owner, "__dict__"):  # cannot store one: the object is an argument
            return MethodType(self, owner)  # type: ignore[arg-type]
        table = vars(owner)
        if self.attribute in table:
            return table[self.attribute]
        bound = table.get(self._key)
        if bound is None or bound.owner is not owner or _function_of(bound) is not _function_of(self):  # a copy's
            bound = type(self)(self.fn.__get__(owner, kind), self.settings)  # type: ignore[call-arg]
            bound.owner = owner
            table[self._key] = bound
        return bound

    @property
    def _key(self) -> str:
        """Where an object stores its jitted method: private, and not an identifier."""
        return f"_jit {getattr(self.fn, '__qualname__', self.attribute)}"

    def __set__(self, owner: object, value: object) -> None:
        vars(owner)[self.attribute] = value

    def __delete__(self, owner: object) -> None:
        try:
            del vars(owner)[self.attribute]
        except KeyError:
            raise AttributeError(self.attribute) from None


def _function_of(jitted: Any) -> object:
    return getattr(jitted.fn, "__func__", jitted.fn)
