"""One compiled call of a jitted function, and how often each was found again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.guards import Condition, all_hold, once
from minigraph.capture.reasons import Key
from minigraph.capture.trace import Captured
from minigraph.context import chosen, get_context, resolve
from minigraph.ground.tree import flatten_call
from minigraph.ir.graph import Graph
from minigraph.ops.registry import as_registered
from minigraph.run.compile import Program, compile_graph
from minigraph.tensor import Parameter, Tensor


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
    plain: list[Any] | None  # shapes and dtypes, for calls with tensors by position and nothing else
    pipeline: Any

    def arrays_of(self, args: tuple[Any, ...]) -> list[np.ndarray] | None:
        """The arrays of a call that this one surely serves: a look that needs no key; ``None`` if it takes one."""
        arrays = [arg.array for arg in args if arg.__class__ is Tensor or arg.__class__ is Parameter]
        if [(array.shape, array.dtype) for array in arrays] != self.plain or len(arrays) != len(args):
            return None
        return arrays if chosen("pipeline") is self.pipeline and self.all_hold() else None

    @property
    def changed(self) -> str:
        """The first thing that the code depended on and that is no longer the same."""
        return next(f"{guard.place} changed" for guard in self.guards if not guard.holds)

    def report_on(self, chip: str) -> Any:
        """The simulated run on a chip; the same types cost the same, so it is simulated once."""
        if chip not in self.reports:
            self.reports[chip] = resolve(get_context("simulator"))(self.graph, chip=chip)
        return self.reports[chip]


def entry_of(captured: Captured, graph: Graph, records: list[Any], key: Key) -> Entry:
    """The entry of what was captured for a key: the graph after the pipeline, compiled, and what it depends on."""
    program, (types, spec, pipeline) = compile_graph(graph), key
    guards = once([*captured.guards, *program.guards, as_registered()])
    plain = list(types) if spec is flatten_call(types, {}, lambda leaf: True)[1] else None
    return Entry(captured, graph, program, records, {}, guards, all_hold(guards), plain, pipeline)
