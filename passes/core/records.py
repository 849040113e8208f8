"""The records of one pipeline run, displayed as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from minigraph.core.context import svg_of
from minigraph.ir.graph import Edit, Graph
from passes.core.choice import Choice
from passes.core.rewrite_limit import RewriteEvent
from passes.core.statistics import RuleStats

COLUMNS = ("pass", "nodes", "bytes", "rewrites", "ms")  # of both tables; the text adds cycles, HTML a picture


class Counts(NamedTuple):
    """The size of a graph: nodes, edges, and bytes of all values that operators compute."""

    nodes: int
    edges: int
    bytes: int


@dataclass(frozen=True)
class PassRecord:
    """The effect of one pass.

    ``before`` and ``after`` are copies of the graph, made on request (``snapshots``). ``edits`` is the pass's part of
    the journal; ``changed`` says whether it has any. ``rules`` has the statistics of every rule that was tried.
    ``cycles`` are (before, after) by the cost function, ``choices`` the pass's own decisions by cost. ``rewrites`` are
    the single rewrites in order, also made on request (``rewrites``, or ``snapshots``); the ``first_edit`` of
    each is an index into ``edits``.
    """

    name: str
    before: Graph | None
    after: Graph | None
    counts_before: Counts
    counts_after: Counts
    edits: tuple[Edit, ...]
    seconds: float
    changed: bool
    rules: Mapping[str, RuleStats]
    cycles: tuple[int, int] | None = None
    choices: tuple[Choice, ...] = ()
    rewrites: tuple[RewriteEvent, ...] = ()

    @property
    def rewrite_count(self) -> int:
        """The number of rewrites by all rules."""
        return sum(stats.rewrites for stats in self.rules.values())

    def __str__(self) -> str:
        """One line: name, nodes before and after, bytes, rewrites."""
        old, new = self.counts_before, self.counts_after
        suffix = f", {self.rewrite_count} rewrite{'s' * (self.rewrite_count != 1)}" if self.rewrite_count else ""
        return f"{self.name}: {old.nodes} -> {new.nodes} nodes, {old.bytes} -> {new.bytes} bytes{suffix}"

    def _repr_svg_(self) -> str | None:
        """A picture of the change, for notebooks; ``None`` for a record without snapshots."""
        return svg_of(self) if self.before is not None and self.after is not None else None


class Records(list[PassRecord]):
    """PassRecords in execution order; they print as a table, in a notebook with a picture of every change.

    >>> print(Records())
    no passes
    """

    def __str__(self) -> str:
        return self.table().rstrip("\n") or "no passes"

    __repr__ = __str__

    def table(self) -> str:
        """A plain-text table: a line per pass, and totals; cycles if the run had a cost function."""
        rows = [[*COLUMNS, "cycles"], *map(_text_cells, self), _total_cells(self)] if self else []
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "".join(f"{'  '.join(map(str.ljust, row, widths)).rstrip()}\n" for row in rows)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in (*COLUMNS, ""))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_html_row, self))}</tbody></table>"


def _cells(record: PassRecord) -> list[str]:
    """The texts of ``COLUMNS``."""
    old, new = record.counts_before, record.counts_after
    changes = _change_text(old.nodes, new.nodes), _change_text(old.bytes, new.bytes)
    return [record.name, *changes, str(record.rewrite_count or ""), f"{record.seconds * 1e3:.2f}"]


def _text_cells(record: PassRecord) -> list[str]:
    return [*_cells(record), _change_text(*record.cycles) if record.cycles else ""]


def _total_cells(records: list[PassRecord]) -> list[str]:
    first, last = records[0], records[-1]
    old, new = first.counts_before, last.counts_after
    changes = _change_text(old.nodes, new.nodes), _change_text(old.bytes, new.bytes)
    rewrites, seconds = sum(record.rewrite_count for record in records), sum(record.seconds for record in records)
    cycles = _change_text(first.cycles[0], last.cycles[1]) if first.cycles and last.cycles else ""
    return ["total", *changes, str(rewrites or ""), f"{seconds * 1e3:.2f}", cycles]


def _html_row(record: PassRecord) -> str:
    text = "".join(f"<td>{escape(cell.replace('->', '→'))}</td>" for cell in _cells(record))
    return f"<tr>{text}<td>{_picture(record)}</td></tr>"


def _change_text(old: int, new: int) -> str:
    return f"{old:,}" if old == new else f"{old:,} -> {new:,}"  # ASCII: a user's print may have any encoding


def _picture(record: PassRecord) -> str:
    """A collapsed picture of the change; empty without snapshots."""
    if not record.changed:
        return "nothing changed"
    picture = svg_of(record) if record.before is not None and record.after is not None else None
    return f"<details><summary>what changed</summary>{picture}</details>" if picture else ""
