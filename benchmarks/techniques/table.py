"""An ablation study: every technique on and off, with a table for each, of the rows that it may affect.

A row is measured in three processes in alternation: without the technique, with it, and with it again. The difference
between the last two is the variation between processes, caused by their memory and code layout.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing

from benchmarks.measuring.harness import Case, Contender, Result, Table, measure
from benchmarks.peers.remote import RemoteWorker
from benchmarks.techniques.registry import TECHNIQUES, Technique
from benchmarks.techniques.worker import ALL_TECHNIQUES

WITHOUT, WITH, WITH_REPEATED = "without", "with", "with, again"
RTOL = 1e-2  # techniques may change the summation order, and training amplifies the difference
MODULE = "benchmarks.techniques.worker"


def table(technique: Technique, rounds: int, quick: bool) -> Table:
    """The rows of a technique, measured."""
    options = ["--quick"] if quick else []
    with ExitStack() as stack:
        off = {WITHOUT: technique.name, WITH: ALL_TECHNIQUES, WITH_REPEATED: ALL_TECHNIQUES}
        workers = {
            name: stack.enter_context(closing(RemoteWorker(sys.executable, disabled, *options, module=MODULE)))
            for name, disabled in off.items()
        }
        results = [_result(row, workers, rounds) for row in technique.rows]
    return Table(technique.name, technique.description.removesuffix("."), [r for r in results if r is not None])


def _result(row: str, workers: dict[str, RemoteWorker], rounds: int) -> Result | None:
    """A row, measured; ``None`` where it does not take part."""
    contenders, title = list[Contender](), ""
    for name, worker in workers.items():
        reply = worker.request(do="make", row=row)
        title = reply["title"]
        if reply["number"] is None:
            return None
        contenders.append(worker.contender_by_number(name, reply["number"]))
    return measure(Case(title, contenders, rtol=RTOL), rounds)


def tables(rounds: int, quick: bool, techniques: Sequence[Technique] = TECHNIQUES) -> list[Table]:
    """The tables of all techniques."""
    return [table(technique, rounds, quick) for technique in techniques]
