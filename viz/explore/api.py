"""``viz.explorer``: a function, its tape, its graph and every rewrite of it as one page to look around in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from minigraph.capture.structure import is_tensor
from minigraph.compilation import Jitted
from minigraph.core.collector import collector_paused
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import MinigraphError, RenderError
from minigraph.core.pytree import leaves_of
from minigraph.ir.graph import Graph
from minigraph.npu import chip_named, cycles, simulate
from viz.common.files import write_atomically
from viz.common.style import LOOKS
from viz.explore.eager import eager_run, values_of
from viz.explore.html import explorer_html
from viz.explore.journal import RecordingJournal
from viz.explore.pack import Json, Run, Tables, pack_run
from viz.explore.rewrites import steps_of
from viz.explore.simulation import node_costs
from viz.explore.source_excerpts import source_excerpts

MAX_BODIES = 24  # bodies of branches and loops that are looked into
MAX_SIMULATED_NODES = 6000  # nodes; a longer graph is not simulated, for that would take longer than looking
SHAPES = {kind: look.shape for kind, look in LOOKS.items()} | {"scope": "rounded"}


@dataclass
class Explorer:
    """A page to look around in: ``save`` it, or let a notebook show it."""

    title: str
    data: Json = field(repr=False)

    def html(self) -> str:
        """The whole page as text: one file that needs nothing else."""
        return explorer_html(self.title, self.data)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, whole or not at all, and return its path."""
        return write_atomically(path, self.html())

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html())}" title="{escape(self.title)}" '
            'sandbox="allow-scripts allow-downloads" width="100%" height="720"></iframe>'
        )


def explorer(
    source: Any,
    *args: Any,
    pipeline: Any = None,
    chip: str | None = None,
    values: bool = True,
    compare: Mapping[str, Mapping[str, Any]] | None = None,
    **kwargs: Any,
) -> Explorer:
    """Everything about one function called with these arguments, or about a graph: tape, graph, rewrites, time.

    ``pipeline`` is what optimises it and ``chip`` what it is simulated on (``None``: those of the context).
    ``values=False`` runs nothing, so that no value of an array is in the page. ``compare`` adds runs by name, each
    with another pipeline or chip: ``compare={"unfused": {"pipeline": "cse,dce"}, "310p": {"chip": "ascend310p3"}}``.

    Parameters are left as they were. Raises ``RenderError`` for a source that is neither, ``UnknownName`` for a pass
    or chip nobody knows, and what the function raises.
    """
    graph = _capture(source, args, kwargs)
    inputs = list(leaves_of((args, dict(kwargs)), is_tensor))
    runs = [record_run(graph, pipeline, chip)]
    for name, options in (compare or {}).items():
        runs.append(record_run(graph, options.get("pipeline", pipeline), options.get("chip", chip), name))
    inner = body_runs(graph, runs[0], pipeline, chip)
    if values and len(inputs) == len(graph.inputs):
        known = values_of(graph, inputs)
        for run in runs:
            run.annotations["values"] = known | values_of(run.journal.graph, inputs)
    if values and not isinstance(source, Graph):
        plain = source.fn if isinstance(source, Jitted) else source
        runs.insert(0, eager_run(plain, args, kwargs, graph.params.values()))
    tables = Tables()
    with collector_paused():
        data = {"title": graph.title, "runs": [pack_run(run, tables) for run in (*runs, *inner)], "looks": SHAPES}
    return Explorer(graph.title, {**data, "source": source_excerpts(tables), **tables.pack()})


def record_run(graph: Graph, pipeline: Any = None, chip: str | None = None, name: str = "graph") -> Run:
    """A run of the pipeline over a copy of the graph, with every rewrite and what both ends cost on the chip."""
    chosen = get_context("pipeline") if pipeline is None else pipeline
    target = chip_named(get_context("chip") if chip is None else chip)
    twin = graph.clone()
    film = twin.journal = RecordingJournal(twin)
    passes = resolve(get_context("pass_manager"))(chosen)
    priced = len(graph) <= MAX_SIMULATED_NODES
    cost = partial(cycles, chip=target) if priced else None
    records = passes.run(twin, snapshots=True, cost=cost) if passes.passes else []  # a broken graph can be looked at
    run = Run(name, "graph", film, steps_of(film, records), records, chip=target.name)
    if priced:
        with suppress(MinigraphError):
            before, run.report = (simulate(one, chip=target) for one in (graph, twin))
            run.annotations["costs"] = node_costs([before, run.report])
    return run


def body_runs(graph: Graph, around: Run, pipeline: Any, chip: str | None) -> list[Run]:
    """A run for each body of a branch or loop that passes rewrite, bodies in bodies too; ``around`` shows how they end.

    Each run is told by node which runs are about its bodies.
    """
    runs: list[Run] = []
    waiting = [(graph, around, "in")]
    for outer, run, path in waiting:
        for node in outer:
            op = outer.op(node)
            bodies = outer.regions(node) if op.family == "region" and op.role != "fused" else ()
            names = [f"{path} %{node} {op.name}: {body.title}" for body in bodies[: MAX_BODIES - len(waiting)]]
            inner = [record_run(body, pipeline, chip, name) for body, name in zip(bodies, names, strict=False)]
            waiting += [(body, one, f"{one.name},") for body, one in zip(bodies, inner, strict=False)]
            changed = [one for one in inner if one.steps]
            if changed:
                run.annotations["bodies"] = {**run.annotations.get("bodies", {}), node: [one.name for one in changed]}
            runs += changed
    return runs


def _capture(source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Graph:
    if isinstance(source, Graph):
        return source
    if not callable(source) or isinstance(source, type):
        what = source.__name__ if isinstance(source, type) else type(source).__name__
        raise RenderError(f"explorer: {what} is neither a function nor a graph; pass one of them, or a Cell")
    jitted = source if isinstance(source, Jitted) else Jitted(source)
    return jitted.graph(*args, pipeline=(), **kwargs)
