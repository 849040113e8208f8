"""A weak table by identity, safe in several threads.

``WeakKeyDictionary`` and ``WeakSet`` compare by equality: two functions that a factory's code was compiled for twice
have equal code objects, and the entries of both would be dropped with the first. They are also listed by Python code,
which raises an error when another thread adds an entry meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Generic, TypeVar
from weakref import ref

K = TypeVar("K")
V = TypeVar("V")


class WeakTable(Generic[K, V]):
    """Values by object; C removes an entry when its object is dropped.

    >>> first, second = (compile("1 + x", "same.py", "eval") for _ in range(2))
    >>> table = WeakTable()
    >>> table[first] = "of the first"
    >>> first == second, table.get(second), table.get(first)
    (True, None, 'of the first')
    >>> del first
    >>> list(table)
    []
    """

    def __init__(self) -> None:
        self._entries = dict[int, tuple[ref[K], V]]()

    def get(self, item: K) -> V | None:
        """The value, or ``None``."""
        entry = self._entries.get(id(item))
        return None if entry is None else entry[1]

    def __setitem__(self, item: K, value: V) -> None:
        # The callback's argument, the reference, is the default of ``pop``.
        self._entries[id(item)] = ref(item, partial(self._entries.pop, id(item))), value

    def discard(self, item: K) -> None:
        """Remove the entry of an object, if there is one."""
        self._entries.pop(id(item), None)

    def __iter__(self) -> Iterator[K]:
        items = [item() for item, _ in list(self._entries.values())]
        return iter([item for item in items if item is not None])

    def __len__(self) -> int:
        return len(self._entries)
