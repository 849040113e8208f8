"""The gains of techniques as ``TECHNIQUES.md``: the best row under each condition, lines of code, and a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.measuring.conditions import CONDITIONS, Condition
from benchmarks.measuring.harness import Result
from benchmarks.reporting.report import ConditionTables
from benchmarks.techniques.registry import TECHNIQUES, Technique, code_lines
from benchmarks.techniques.table import WITH, WITH_REPEATED

MIN_GAIN = 1.05  # the gain on one row under one condition that a technique needs to stay


class Gain(NamedTuple):
    """The speed of a row with a technique relative to without it, and the variation between rounds and processes."""

    row: str
    ratio: float
    spread: float

    @property
    def is_significant(self) -> bool:
        """Whether the gain is large enough, and more than twice the variation."""
        return self.ratio >= MIN_GAIN and self.ratio - 1 > 2 * self.spread

    def __str__(self) -> str:
        return f"{self.ratio:.2f} ± {self.spread:.2f}"


def gain(result: Result) -> Gain:
    """The gain of one row."""
    ratio, repeated_ratio = result.speed[WITH], result.speed[WITH_REPEATED]
    return Gain(result.title, ratio, max(result.spread[WITH], abs(ratio - repeated_ratio)))


def gains(measured: Sequence[ConditionTables]) -> dict[str, dict[str, list[Gain]]]:
    """The gains of the rows, by technique and condition."""
    by_technique: dict[str, dict[str, list[Gain]]] = {technique.name: {} for technique in TECHNIQUES}
    for condition, tables in measured:
        for table in tables:
            by_technique.setdefault(table.title, {})[condition.name] = list(map(gain, table.results))
    return by_technique


def verdict(by_condition: Mapping[str, Sequence[Gain]]) -> str:
    """Whether a technique stays."""
    if any(entry.is_significant for rows in by_condition.values() for entry in rows):
        return "stays"
    missing = [condition.title for condition in CONDITIONS if not by_condition.get(condition.name)]
    return f"open: not measured under {', '.join(missing)}" if missing else "**goes**"


def _best_row(rows: Sequence[Gain]) -> str:
    """The row with the largest gain, among those that count if any do."""
    if not rows:
        return ""
    best = max(rows, key=lambda entry: (entry.is_significant, entry.ratio))
    return f"{best} ({best.row})"


def _table_row(technique: Technique, by_condition: Mapping[str, Sequence[Gain]]) -> str:
    lines = sum(map(code_lines, technique.code))
    best = [_best_row(by_condition.get(condition.name, ())) for condition in CONDITIONS]
    return f"| {technique.name} | {technique.description} | {lines} | {' | '.join(best)} | {verdict(by_condition)} |"


def _details(name: str, by_condition: Mapping[str, Sequence[Gain]]) -> Iterator[str]:
    rows = dict.fromkeys(entry.row for gains in by_condition.values() for entry in gains)
    for row in rows:
        cells = [
            next((str(entry) for entry in by_condition.get(c.name, ()) if entry.row == row), "") for c in CONDITIONS
        ]
        yield f"| {name} | {row} | {' | '.join(cells)} |"


def table_head(*columns: str) -> str:
    """The head of a Markdown table."""
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def _titles(conditions: Sequence[Condition]) -> list[str]:
    return [condition.title for condition in conditions]


INTRODUCTION = """# The gains of the accelerator's techniques

Written by `python -m benchmarks techniques`; do not edit.

Each technique was switched off in a process of its own (`benchmarks/techniques/registry.py` has its replacement), and
the rows of RESULTS.md that it may affect were measured with it and without it in alternation, under the three
conditions of [RESULTS.md](RESULTS.md). A value is the speed with the technique relative to the speed without it; ± is
half the interquartile range of single rounds, or the difference between two processes with the technique if that is
larger. A technique stays if some row gains 5 % or more under some condition, and more than twice that ±.
*Lines* are lines of code, without blanks, comments and docstrings; some are counted for two techniques."""


def page(measured: Sequence[ConditionTables]) -> str:
    """The text of ``TECHNIQUES.md``."""
    by_technique = gains(measured)
    lines = [table_head("technique", "what it does", "lines", *_titles(CONDITIONS), "verdict")]
    lines += [_table_row(technique, by_technique[technique.name]) for technique in TECHNIQUES]
    rows = [table_head("technique", "row", *_titles(CONDITIONS))]
    rows += [line for technique in TECHNIQUES for line in _details(technique.name, by_technique[technique.name])]
    return "\n\n".join([INTRODUCTION, "\n".join(lines), "## All rows", "\n".join(rows)]) + "\n"
