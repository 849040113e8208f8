"""Every technique on and off: a table each, of the rows that it may move.

A row is measured in three processes that take turns: without the technique, with it, and with it once more. How far
the last two are apart says how much a process's own memory and code decide.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing

from benchmarks.measuring.harness import Case, Contender, Result, Table, measure
from benchmarks.peers.elsewhere import Elsewhere
from benchmarks.techniques.child import ALL
from benchmarks.techniques.registry import TECHNIQUES, Technique

WITHOUT, WITH, AGAIN = "without", "with", "with, again"
NEAR = 1e-2  # techniques may add in another order, and training carries that along
MODULE = "benchmarks.techniques.child"


def table(technique: Technique, rounds: int, quick: bool) -> Table:
    """The rows of a technique, measured."""
    options = ["--quick"] if quick else []
    with ExitStack() as stack:
        told = {WITHOUT: technique.name, WITH: ALL, AGAIN: ALL}
        there = {
            name: stack.enter_context(closing(Elsewhere(sys.executable, what, *options, module=MODULE)))
            for name, what in told.items()
        }
        found = [_result(row, there, rounds) for row in technique.rows]
    return Table(technique.name, technique.about.removesuffix("."), [result for result in found if result is not None])


def _result(row: str, there: dict[str, Elsewhere], rounds: int) -> Result | None:
    """A row, measured; ``None`` where it does not take part."""
    contenders, title = list[Contender](), ""
    for name, process in there.items():
        made = process.ask(do="make", row=row)
        title = made["title"]
        if made["number"] is None:
            return None
        contenders.append(process.numbered(name, made["number"]))
    return measure(Case(title, contenders, rtol=NEAR), rounds)


def tables(rounds: int, quick: bool, techniques: Sequence[Technique] = TECHNIQUES) -> list[Table]:
    """All of them."""
    return [table(technique, rounds, quick) for technique in techniques]
