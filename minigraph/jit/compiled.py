"""One compiled call of a jitted function, and how often each was found again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minigraph.capture.guards import Condition
from minigraph.capture.trace import Captured
from minigraph.context import get_context, resolve
from minigraph.ir.graph import Graph
from minigraph.run.compile import Program


class CacheInfo(NamedTuple):
    """How often a compiled call found its program, and why each compile happened."""

    hits: int
    misses: int
    entries: int
    reasons: tuple[str, ...]


class Entry(NamedTuple):
    """One compiled combination of types: the graph after the pipeline, its program and its pass records."""

    captured: Captured
    graph: Graph
    program: Program
    records: list[Any]
    reports: dict[str, Any]
    guards: list[Condition]
    all_hold: Callable[[], bool]

    @property
    def changed(self) -> str:
        """The first thing that the code depended on and that is no longer the same."""
        return next(f"{guard.place} changed" for guard in self.guards if not guard.holds)

    def report_on(self, chip: str) -> Any:
        """The simulated run on a chip; the same types cost the same, so it is simulated once."""
        if chip not in self.reports:
            self.reports[chip] = resolve(get_context("simulator"))(self.graph, chip=chip)
        return self.reports[chip]
