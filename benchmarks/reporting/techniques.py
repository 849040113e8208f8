"""What techniques are worth, as ``TECHNIQUES.md``: the best row under each condition, lines of code, and a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.measuring.conditions import CONDITIONS, Condition
from benchmarks.measuring.harness import Result
from benchmarks.reporting.report import Measured
from benchmarks.techniques.registry import TECHNIQUES, Technique, code_lines
from benchmarks.techniques.table import AGAIN, WITH

LEAST = 1.05  # what a technique gains on one row under one condition, if it is to stay


class Gain(NamedTuple):
    """How much faster a row is with a technique, and how far rounds and processes are apart anyway."""

    row: str
    ratio: float
    spread: float

    @property
    def counts(self) -> bool:
        """Whether it is enough, and twice as much as the row moves by itself."""
        return self.ratio >= LEAST and self.ratio - 1 > 2 * self.spread

    def __str__(self) -> str:
        return f"{self.ratio:.2f} ± {self.spread:.2f}"


def gain(result: Result) -> Gain:
    """The gain of one row."""
    ratio, again = result.speed[WITH], result.speed[AGAIN]
    return Gain(result.title, ratio, max(result.spread[WITH], abs(ratio - again)))


def gains(measured: Sequence[Measured]) -> dict[str, dict[str, list[Gain]]]:
    """By technique and condition, the gains of its rows."""
    found: dict[str, dict[str, list[Gain]]] = {technique.name: {} for technique in TECHNIQUES}
    for condition, tables in measured:
        for table in tables:
            found.setdefault(table.title, {})[condition.name] = list(map(gain, table.results))
    return found


def verdict(found: Mapping[str, Sequence[Gain]]) -> str:
    """Whether a technique stays."""
    every = [each for rows in found.values() for each in rows]
    if any(each.counts for each in every):
        return "stays"
    missing = [condition.title for condition in CONDITIONS if not found.get(condition.name)]
    return f"open: not measured under {', '.join(missing)}" if missing else "**goes**"


def _best(rows: Sequence[Gain]) -> str:
    """The row that gains most, of those that count if any do."""
    if not rows:
        return ""
    best = max(rows, key=lambda each: (each.counts, each.ratio))
    return f"{best} ({best.row})"


def _line(technique: Technique, found: Mapping[str, Sequence[Gain]]) -> str:
    lines = sum(map(code_lines, technique.code))
    best = [_best(found.get(condition.name, ())) for condition in CONDITIONS]
    return f"| {technique.name} | {technique.about} | {lines} | {' | '.join(best)} | {verdict(found)} |"


def _details(name: str, found: Mapping[str, Sequence[Gain]]) -> Iterator[str]:
    rows = {each.row: each for rows in found.values() for each in rows}
    for row in rows:
        cells = [next((str(each) for each in found.get(c.name, ()) if each.row == row), "") for c in CONDITIONS]
        yield f"| {name} | {row} | {' | '.join(cells)} |"


def head(*columns: str) -> str:
    """The head of a table whose columns with figures stand to the right."""
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def _titles(conditions: Sequence[Condition]) -> list[str]:
    return [condition.title for condition in conditions]


HOW = """# What each technique of the accelerator is worth

Written by `python -m benchmarks techniques`; do not edit.

Each technique was switched off in a process of its own (`benchmarks/techniques/registry.py` says what stands in its
place), and the rows of RESULTS.md that it may move were measured with it and without it in turns, under the three
conditions that [RESULTS.md](RESULTS.md) explains. A figure is how many times as fast the row is with the technique; ±
is half the distance between the quartiles of single rounds, or how far two processes with the technique were apart, if
that is more. A technique stays if some row gains 5 % or more under some condition, and more than twice that ±.
*Lines* are lines of code, without blanks, comments and docstrings; some are counted for two techniques."""


def page(measured: Sequence[Measured]) -> str:
    """The text of ``TECHNIQUES.md``."""
    found = gains(measured)
    lines = [head("technique", "what it does", "lines", *_titles(CONDITIONS), "verdict")]
    lines += [_line(technique, found[technique.name]) for technique in TECHNIQUES]
    rows = [head("technique", "row", *_titles(CONDITIONS))]
    rows += [line for technique in TECHNIQUES for line in _details(technique.name, found[technique.name])]
    return "\n\n".join([HOW, "\n".join(lines), "## All rows", "\n".join(rows)]) + "\n"
