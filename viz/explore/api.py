"""``viz.explorer``: an interactive page of a function's tape, its graph, and every rewrite of the graph."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from minigraph.capture.structure import is_tensor
from minigraph.compilation import Jitted
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import MinigraphError, RenderError
from minigraph.core.files import write_atomically
from minigraph.core.pytree import leaves_of
from minigraph.ir.graph import Graph
from minigraph.npu import chip_named, cycles, simulate
from viz.common.style import NODE_STYLES
from viz.explore.eager import eager_run, values_of
from viz.explore.html import explorer_html
from viz.explore.journal import RecordingJournal
from viz.explore.pack import Json, Run, Tables, pack_run
from viz.explore.rewrites import steps_of
from viz.explore.simulation import node_costs
from viz.explore.source_excerpts import source_excerpts

MAX_BODIES = 24  # of branches and loops with their own runs
MAX_SIMULATED_NODES = 6000  # larger graphs are not simulated, which would take too long
OPTIONS = ("source", "pipeline", "chip")  # of a run in ``compare``
SHAPES = {kind: base.shape for kind, base in NODE_STYLES.items()} | {"scope": "rounded"}


@dataclass
class Explorer:
    """An interactive page: ``save`` it, or display it in a notebook."""

    title: str
    data: Json = field(repr=False)

    def html(self) -> str:
        """The page as self-contained HTML text."""
        return explorer_html(self.title, self.data)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file atomically, and return the path."""
        return write_atomically(path, self.html())

    def _repr_html_(self) -> str:
        return notebook_frame(self.title, self.html())


def explorer(
    source: object,
    *args: object,
    pipeline: object = None,
    chip: str | None = None,
    values: bool = True,
    compare: Mapping[str, Mapping[str, Any]] | None = None,
    **kwargs: Any,
) -> Explorer:
    """An interactive page of a function called with these arguments, or of a graph: tape, graph, rewrites, time.

    ``pipeline`` optimises the graph, and ``chip`` simulates it (``None``: those of the context). With ``values=False``
    nothing is executed, and the page contains no array values. ``compare`` adds runs by name with another pipeline,
    chip or source, which is a graph or a function of the same arguments:
    ``compare={"unfused": {"pipeline": "cse,dce"}, "310p": {"chip": "ascend310p3"}, "before": {"source": old_graph}}``.

    Parameters are not changed. Raises ``RenderError`` for any other source, for arguments of a graph and for other
    options of ``compare``, ``UnknownNameError`` for an unknown pass or chip, and the exceptions of the function.
    """
    graph = capture_graph(source, args, kwargs, "explorer")
    if isinstance(source, Graph) and (args or kwargs):
        raise RenderError("explorer: a graph takes no arguments; pass those of a function, or the graph alone")
    inputs = list(leaves_of((args, dict(kwargs)), is_tensor))
    runs, captured = [record_run(graph, pipeline, chip)], [graph]
    for name, options in (compare or {}).items():
        if unknown := sorted(options.keys() - OPTIONS):
            raise RenderError(f"explorer: compare[{name!r}] has no option {unknown[0]!r}; use {', '.join(OPTIONS)}")
        captured.append(capture_graph(options["source"], args, kwargs, "explorer") if "source" in options else graph)
        runs.append(record_run(captured[-1], options.get("pipeline", pipeline), options.get("chip", chip), name))
    inner = body_runs(graph, runs[0], pipeline, chip)
    for run, initial in zip(runs, captured, strict=True):
        if values and len(inputs) == len(initial.inputs):
            run.annotations["values"] = values_of(initial, inputs) | values_of(run.journal.graph, inputs)
    if values and not isinstance(source, Graph):
        fn = source.fn if isinstance(source, Jitted) else source
        runs.insert(0, eager_run(fn, args, kwargs, graph.params.values()))
    return Explorer(graph.title, page_data(graph.title, [*runs, *inner]))


def page_data(title: str, runs: Sequence[Run]) -> Json:
    """The data of a page with these runs."""
    tables = Tables()
    packed = [pack_run(run, tables) for run in runs]
    data = {"title": title, "runs": packed, "looks": SHAPES}
    return {**data, "source": source_excerpts(tables), **tables.pack()}


def notebook_frame(title: str, html: str) -> str:
    """A page as a frame for notebooks, without access to the notebook."""
    return (
        f'<iframe srcdoc="{escape(html)}" title="{escape(title)}" '
        'sandbox="allow-scripts allow-downloads" width="100%" height="720"></iframe>'
    )


def record_run(graph: Graph, pipeline: object = None, chip: str | None = None, name: str = "graph") -> Run:
    """Run the pipeline on a copy of the graph; record every rewrite, and simulate the graph before and after."""
    spec = get_context("pipeline") if pipeline is None else pipeline
    target = chip_named(get_context("chip") if chip is None else chip)
    copy = graph.clone()
    journal = copy.journal = RecordingJournal(copy)
    passes = resolve(get_context("pass_manager"))(spec)
    is_simulated = len(graph) <= MAX_SIMULATED_NODES
    cost = partial(cycles, chip=target) if is_simulated else None
    records = passes.run(copy, cost=cost, rewrites=True) if passes.passes else []  # allows invalid graphs
    run = Run(name, "graph", journal, steps_of(journal, records), records, chip=target.name)
    if is_simulated:
        with suppress(MinigraphError):
            before, run.report = (simulate(g, chip=target) for g in (graph, copy))
            run.annotations["costs"] = node_costs([before, run.report])
    return run


def body_runs(graph: Graph, outer_run: Run, pipeline: object, chip: str | None) -> list[Run]:
    """A run for each body of a branch or loop that passes rewrite, including nested bodies.

    ``outer_run`` shows only the final bodies. The annotation "bodies" of each run names the runs of a node's bodies.
    """
    runs: list[Run] = []
    pending = [(graph, outer_run, "in")]
    for outer, run, path in pending:
        for node in outer:
            op = outer.op(node)
            bodies = outer.regions(node) if op.family == "region" and op.role != "fused" else ()
            names = [f"{path} %{node} {op.name}: {body.title}" for body in bodies[: MAX_BODIES - len(pending)]]
            inner = [record_run(body, pipeline, chip, name) for body, name in zip(bodies, names, strict=False)]
            pending += [(body, inner_run, f"{inner_run.name},") for body, inner_run in zip(bodies, inner, strict=False)]
            changed = [inner_run for inner_run in inner if inner_run.steps]
            if changed:
                run.annotations["bodies"] = {
                    **run.annotations.get("bodies", {}),
                    node: [inner_run.name for inner_run in changed],
                }
            runs += changed
    return runs


def capture_graph(source: object, args: tuple[object, ...], kwargs: Mapping[str, object], caller: str) -> Graph:
    """The graph of a function for these arguments, before any pass; ``RenderError`` for any other source."""
    if isinstance(source, Graph):
        return source
    if not callable(source) or isinstance(source, type):
        name = source.__name__ if isinstance(source, type) else type(source).__name__
        raise RenderError(f"{caller}: {name} is neither a function nor a graph; pass one of them, or a Cell")
    jitted = source if isinstance(source, Jitted) else Jitted(source)
    return jitted.graph(*args, pipeline=(), **kwargs)
