"""A weak table by code object, by identity.

Code objects compare by their content: two functions that a factory's code was compiled for twice are equal, and a
``WeakKeyDictionary`` would drop the entry of both with the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import CodeType
from typing import Generic, TypeVar
from weakref import ref

V = TypeVar("V")


class CodeTable(Generic[V]):
    """Values by code object; C removes an entry when its code is dropped.

    >>> first, second = (compile("1 + x", "same.py", "eval") for _ in range(2))
    >>> table = CodeTable()
    >>> table[first] = "of the first"
    >>> first == second, table.get(second), table.get(first)
    (True, None, 'of the first')
    >>> del first
    >>> list(table)
    []
    """

    def __init__(self) -> None:
        self._entries = dict[int, tuple[ref[CodeType], V]]()

    def get(self, code: CodeType) -> V | None:
        """The value, or ``None``."""
        entry = self._entries.get(id(code))
        return None if entry is None else entry[1]

    def __setitem__(self, code: CodeType, value: V) -> None:
        # The callback's argument, the reference, is the default of ``pop``.
        self._entries[id(code)] = ref(code, partial(self._entries.pop, id(code))), value

    def __iter__(self) -> Iterator[CodeType]:
        codes = [code() for code, _ in list(self._entries.values())]
        return iter([code for code in codes if code is not None])

    def __len__(self) -> int:
        return len(self._entries)
