"""The compiled entries of one jitted function by their keys, bounded: the least recently used ones are evicted.

Every new shape, dtype, static value or setting is a new key, and an entry of a small function takes about 80 kB. The
cache of a function that always sees new shapes would grow for the life of the process, so it keeps ``MAX_KEYS`` keys,
and warns once after ``WARN_AFTER`` compilations. Entries of one key differ in their guards; the oldest are evicted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from minigraph.compilation.cache_entry import CacheInfo, Entry
from minigraph.compilation.op_by_op import is_transient
from minigraph.compilation.recompile_reasons import Key
from minigraph.compilation.segments import Fallback

MAX_ENTRIES_PER_KEY = 8
MAX_KEYS = 128  # 10 MB of a small function, without its buffers (``execute.memory``)
WARN_AFTER = 32  # compilations
MAX_ATTEMPTS = 3  # attempts to capture a function that changes Python state at first, for example to fill a cache
MAX_REASONS = 1024  # the newest; the number of compilations is exact


class EntryTable:
    """The entries of a function, the calls that no single graph can represent (``uncompilable``), and statistics."""

    def __init__(self) -> None:
        self.hits = self.misses = 0
        self.uncompilable: dict[Key, Fallback] = {}
        self._entries: dict[Key, list[Entry]] = {}
        self._reasons: deque[str] = deque(maxlen=MAX_REASONS)
        self._failures: dict[Key, int] = {}
        self._clock = count(1)

    def __len__(self) -> int:
        return sum(map(len, list(self._entries.values())))

    def __iter__(self) -> Iterator[Entry]:
        return (entry for entries in list(self._entries.values()) for entry in entries)

    def keys(self) -> list[Key]:
        """The keys that have entries."""
        return list(self._entries)  # a copy: another thread may add one

    def of_key(self, key: Key) -> list[Entry]:
        """The entries of a key, oldest first; raises ``TypeError`` if the key is not hashable."""
        return self._entries.get(key, [])

    def find(self, entries: list[Entry], latest: Entry | None) -> Entry | None:
        """The entry whose guards hold; ``latest`` was called last, perhaps by the fast path."""
        if latest is not None:
            latest.used = next(self._clock)
        entry = next((entry for entry in entries if entry.holds), None)
        if entry is not None:
            self.hits += 1
            entry.used = next(self._clock)
        return entry

    def add(self, key: Key, entry: Entry, reason: str) -> None:
        """Add an entry, compiled for a reason, and evict others if there are too many."""
        self.misses += 1
        self._reasons.append(reason)
        entry.used = next(self._clock)
        self._entries.setdefault(key, []).append(entry)
        del self._entries[key][:-MAX_ENTRIES_PER_KEY]
        while len(self._entries) > MAX_KEYS:
            self._entries.pop(min(self.keys(), key=self._last_use), None)

    def _last_use(self, key: Key) -> int:
        return max((entry.used for entry in self._entries.get(key, ())), default=0)

    def add_failure(self, key: Key, fallback: Fallback) -> None:
        """Record why a call was not captured; calls with its key run the same way, unless a later attempt succeeds."""
        self._failures[key] = self._failures.get(key, 0) + 1
        if not is_transient(fallback.error) or self._failures[key] >= MAX_ATTEMPTS:
            self.uncompilable[key] = fallback
        for table in (self._failures, self.uncompilable):
            while len(table) > MAX_KEYS:
                table.pop(next(iter(table)), None)

    def forget(self, fallback: Fallback) -> None:
        """Try calls again that were not captured for this reason."""
        self.uncompilable = {key: other for key, other in self.uncompilable.items() if other is not fallback}

    def info(self, segments: Iterable[str]) -> CacheInfo:
        """Hits, misses, entries, the reasons of the newest compilations, and how other calls run."""
        return CacheInfo(self.hits, self.misses, len(self), tuple(self._reasons), tuple(segments))

    def __getstate__(self) -> dict[str, Any]:
        """The state for copy and pickle: an empty table, because programs are compiled again."""
        return {}

    def __setstate__(self, state: dict[str, object]) -> None:
        EntryTable.__init__(self)
