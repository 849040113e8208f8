"""The names that a code object assigns, queries or computes, read from its instructions once and cached."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from minigraph.core.lazy import resolve

if TYPE_CHECKING:
    from minigraph.core.bytecode import Import

QUERIES = frozenset({"getattr", "hasattr", "setattr", "delattr"})
REFLECTION = {"__dict__", "vars", "__getattribute__", "attrgetter", "methodcaller", "dir", "__slots__", "getmembers"}


class NamesInCode:
    """The names that a code object assigns, imports, reads as globals or queries, and whether it computes names."""

    def __init__(self, code: CodeType) -> None:
        names_of = resolve("minigraph.core.bytecode:operand_names")
        has_pattern = resolve("minigraph.core.bytecode:has_pattern")
        self.matches_classes: bool = has_pattern(code, "MATCH_CLASS")
        self.matches_sequences: bool = has_pattern(code, "MATCH_SEQUENCE") or has_pattern(code, "MATCH_MAPPING")
        self.set_attributes: frozenset[str] = names_of(code, "STORE_ATTR")
        self.set_globals: frozenset[str] = names_of(code, "STORE_GLOBAL")
        self.imports: frozenset[Import] = resolve("minigraph.core.bytecode:imports_in")(code)
        self.globals: frozenset[str] = names_of(code, "LOAD_GLOBAL") | names_of(code, "LOAD_NAME")  # in a class
        self.queried = _queried_names(code)
        self.computes_names = _computes_names(code)


_names_in_code: WeakKeyDictionary[CodeType, NamesInCode] = WeakKeyDictionary()


def names_in(code: CodeType) -> NamesInCode:
    """The names in a code object, computed once."""
    if (cached := _names_in_code.get(code)) is None:
        cached = _names_in_code[code] = NamesInCode(code)
    return cached


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code object and the code objects of its nested functions."""
    worklist = [code]
    while worklist:
        inner = worklist.pop()
        yield inner
        worklist += [const for const in inner.co_consts if isinstance(const, CodeType)]


def _queried_names(code: CodeType) -> frozenset[str]:
    """The string constants of code that calls getattr, hasattr, setattr or delattr."""
    if QUERIES.isdisjoint(code.co_names):
        return frozenset()
    return frozenset(const for const in code.co_consts if isinstance(const, str) and const.isidentifier())


def _computes_names(code: CodeType) -> bool:
    """Whether code may read attributes under names that it computes."""
    if not REFLECTION.isdisjoint(code.co_names):
        return True
    computes: bool = resolve("minigraph.core.bytecode:calls_with_computed_name")(code, QUERIES)
    return computes
