"""``viz.workbench``: an explorer whose pipeline can be edited: served on localhost, in a notebook, or precomputed."""

from __future__ import annotations

import os
from contextvars import copy_context
from itertools import pairwise
from pathlib import Path
from typing import Any

from minigraph.capture.structure import is_tensor
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import MinigraphError
from minigraph.core.files import write_atomically
from minigraph.core.location import raise_location
from minigraph.core.pytree import leaves_of
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from minigraph.npu import chip_named
from viz.editor.widget import notebook_widget
from viz.explore.api import capture_graph, notebook_frame, page_data, record_run
from viz.explore.eager import values_of
from viz.explore.html import SCRIPTS, explorer_html
from viz.explore.pack import Json, Run

MAX_REORDERED_NODES = 500  # static pages of larger graphs have no variants with two neighbouring passes exchanged
INITIAL = "initial pipeline"
LAST_STEP = 10**9  # larger than any number of steps: the page shows the last one
FINAL_GRAPH = f"p=0,{LAST_STEP},0,after"  # the page's address of the graph after the last step


class Workbench:
    """A function's graph and a pipeline to edit; created by ``viz.workbench``.

    ``run`` runs a pipeline, ``save`` writes a page with precomputed pipelines, ``viz.serve`` serves a page that runs
    any pipeline. A notebook shows the page as a live widget with the extra ``widget``, else with precomputed pipelines.
    """

    def __init__(self, graph: Graph, inputs: list[Tensor], pipeline: object, chip: str | None, values: bool) -> None:
        self.graph, self.inputs, self.chip = graph, inputs, chip
        self.values = values_of(graph, inputs) if values and len(inputs) == len(graph.inputs) else None
        self.initial = str(self._pipeline(get_context("pipeline") if pipeline is None else pipeline))
        self.initial_run = self._run(self.initial, INITIAL)
        self._context = copy_context()

    def run(self, pipeline: str) -> Json:
        """The result of a pipeline in textual form as JSON data: ``{"data": ...}``, or ``{"error": message}``.

        The message is the one that the user would read in a terminal.
        """
        return self._context.copy().run(self._respond, pipeline)

    def page(self, mode: str) -> str:
        """The page as HTML. ``mode`` is where it sends requests to run other pipelines.

        That is the server for "served", the notebook for "widget"; a "static" page has precomputed results instead.
        """
        data = self._precompute() if mode == "static" else self._data(self.initial, [self.initial_run])
        data["workbench"]["mode"] = mode
        connect = "'self'" if mode == "served" else "'none'"
        return explorer_html(f"{self.graph.title}: workbench", data, (*SCRIPTS, "workbench"), connect)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with precomputed pipelines atomically, and return the path.

        They are the initial pipeline, and its variants without one pass or with two neighbouring passes exchanged.
        """
        return write_atomically(path, self.page("static"))

    def _repr_mimebundle_(self, **options: object) -> Any:
        widget = notebook_widget(self)
        if widget is not None:
            return widget._repr_mimebundle_(**options)
        return {"text/html": notebook_frame(f"{self.graph.title}: workbench", self.page("static"))}

    def _respond(self, pipeline: str) -> Json:
        try:
            runs = [self._run(pipeline, "this pipeline")]
            if str(self._pipeline(pipeline)) != self.initial:
                runs.append(self.initial_run)
            return {"data": self._data(pipeline, runs)}
        except Exception as error:
            reraise_handler_error(error)
            return {"error": error_text(error)}

    def _pipeline(self, spec: object) -> Any:
        return resolve(get_context("pass_manager"))(spec)

    def _run(self, pipeline: str, name: str) -> Run:
        run = record_run(self.graph, self._pipeline(pipeline), self.chip, name)
        if self.values is not None:
            run.annotations["values"] = self.values | values_of(run.journal.graph, self.inputs)
        return run

    def _data(self, pipeline: str, runs: list[Run]) -> Json:
        steps = records_by_step(self._pipeline(pipeline), runs[0])
        names = sorted(resolve("passes.core.registry:pass_names")())
        settings = {"steps": steps, "initial": self.initial, "names": names, "chip": chip_named(runs[0].chip).title}
        return page_data(self.graph.title, runs) | {"workbench": settings, "address": FINAL_GRAPH}

    def _precompute(self) -> Json:
        """The data of the initial pipeline, and of its variants by pipeline: the index of the run, or the error."""
        runs, variants = [self.initial_run], {self.initial: {"run": 0, "steps": []}}
        for text, name in self._variants():
            try:
                run = self._run(text, name)
                variants[text] = {"run": len(runs), "steps": records_by_step(self._pipeline(text), run)}
                runs.append(run)
            except MinigraphError as error:
                variants[text] = {"error": error_text(error)}
        data = self._data(self.initial, runs)
        variants[self.initial]["steps"] = data["workbench"]["steps"]
        data["workbench"]["variants"] = variants
        return data

    def _variants(self) -> list[tuple[str, str]]:
        """The variants of the initial pipeline: (pipeline, name of its run) each."""
        steps = [str(step) for step in self._pipeline(self.initial).steps]
        variants = {",".join(steps[:k] + steps[k + 1 :]): f"without {step}" for k, step in enumerate(steps)}
        if len(self.graph) <= MAX_REORDERED_NODES:
            for k, (first, second) in enumerate(pairwise(steps)):
                variants.setdefault(",".join([*steps[:k], second, first, *steps[k + 2 :]]), f"{second} before {first}")
        variants.pop(self.initial, None)
        return list(variants.items())


def workbench(
    source: object,
    *args: object,
    pipeline: object = None,
    chip: str | None = None,
    values: bool = True,
    **kwargs: object,
) -> Workbench:
    """An explorer of a function or graph whose pipeline can be edited and run again; arguments as for ``explorer``.

    Passes can be switched off, moved, removed and added; records, cycles and pictures are updated. Parameters keep
    their values. Raises the exceptions of ``explorer`` and of the pipeline.

    >>> import minigraph as ms
    >>> import viz
    >>> bench = viz.workbench(lambda x: (x + 0.0) * 1.0, ms.Tensor([1.0, 2.0]), pipeline="canonicalize,dce")
    >>> bench.run("canonicalize,dec")["error"].splitlines()[0]
    "no pass 'dec'; did you mean 'dce'?"
    >>> [len(bench.run(text)["data"]["runs"][0]["steps"]) > 0 for text in ("canonicalize,dce", "dce")]
    [True, False]
    """
    graph = capture_graph(source, args, kwargs, "workbench")
    return Workbench(graph, list(leaves_of((args, dict(kwargs)), is_tensor)), pipeline, chip, values)


def records_by_step(pipeline: Any, run: Run) -> list[tuple[str, int]]:
    """The text of each step of a pipeline, and its number of records: a ``FixedPoint`` one per pass and iteration."""
    steps, start = [], 0
    for step in pipeline.steps:
        size = len(getattr(step, "passes", (step,)))
        end = start + size
        while size and hasattr(step, "passes") and any(record.changed for record in run.records[end - size : end]):
            end += size
        steps.append((str(step), end - start))
        start = end
    return steps


def error_text(error: Exception) -> str:
    """An exception as a terminal shows it: message and notes; unless it is minigraph's, also its class and line."""
    text = str(error)
    if not isinstance(error, MinigraphError):
        where = raise_location(error)
        text = f"{type(error).__name__}: {error}" + (f" ({where})" if where is not None else "")
    return "\n".join([text, *getattr(error, "__notes__", ())])
