"""What a process measured, as a file that others read: tables, text, and what else RESULTS.md is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring.harness import Result, Table


class Gap(NamedTuple):
    """A goal that was missed: whose, how much of it was reached (1 would be all), and where the time went, as rows."""

    case: str
    contender: str
    reached: float
    places: list[str]


@dataclass
class Record:
    """What one group found under a condition, by its name: tables, a section of text, who took part from elsewhere.

    And the group's worst gap.
    """

    tables: list[Table] = field(default_factory=list)
    section: str = ""
    others: list[str] = field(default_factory=list)
    gap: Gap | None = None
    condition: str = "one_thread"

    @property
    def results(self) -> list[Result]:
        """The rows of all tables."""
        return [result for table in self.tables for result in table.results]


def write(record: Record, path: Path) -> None:
    """The record as a file, which is there as a whole or not at all."""
    tables = [replace(table, results=[replace(r, case=None) for r in table.results]) for table in record.tables]
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(asdict(replace(record, tables=tables)), indent=1), encoding="utf-8")
    unfinished.replace(path)


def read(path: Path) -> Record:
    """The record of a file."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    gap = None if found["gap"] is None else Gap(*found["gap"])
    tables = [_table(table) for table in found["tables"]]
    return Record(tables, found["section"], found["others"], gap, found["condition"])


def _table(found: Mapping[str, Any]) -> Table:
    return Table(found["title"], found["about"], [Result(**result) for result in found["results"]])
