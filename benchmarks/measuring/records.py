"""The results of a measuring process as a JSON file: tables, text, and the other parts of RESULTS.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring.harness import Result, Table
from minigraph.core.errors import UsageError
from minigraph.core.files import write_atomically


class Gap(NamedTuple):
    """A missed goal: case and contender, the share of it that was reached, and a profile as rows of a table."""

    case: str
    contender: str
    reached: float
    hot_spots: list[str]


@dataclass
class Record:
    """The results of one group under a condition: tables, a section of text, remote frameworks, the worst gap."""

    tables: list[Table] = field(default_factory=list)
    section: str = ""
    remote_frameworks: list[str] = field(default_factory=list)
    gap: Gap | None = None
    condition: str = "one_thread"

    @property
    def results(self) -> list[Result]:
        """The rows of all tables."""
        return [result for table in self.tables for result in table.results]


def write(record: Record, path: Path) -> None:
    """Write the record to a file, atomically."""
    tables = [replace(table, results=[replace(r, case=None) for r in table.results]) for table in record.tables]
    write_atomically(path, json.dumps(asdict(replace(record, tables=tables)), indent=1))


def read(path: Path) -> Record:
    """Read the record of a file; raises ``UsageError`` for a damaged one, and for one of another version."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        gap = None if data["gap"] is None else Gap(*data["gap"])
        tables = [_table(table) for table in data["tables"]]
        return Record(tables, data["section"], data["remote_frameworks"], gap, data["condition"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise UsageError(f"bench: '{path}' holds no measurements of this version ({problem}); delete it") from None


def _table(data: Mapping[str, Any]) -> Table:
    return Table(data["title"], data["description"], [Result(**result) for result in data["results"]])
