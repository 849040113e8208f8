"""The models of a sweep, captured and optimised once each, here and not in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from minigraph.compilation import Jitted, jit
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import UsageError
from minigraph.ir.graph import Graph
from minigraph.npu.chips.chip import Chip
from minigraph.npu.simulator import jobs_of
from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.work_item import Jobs, digest_of, told
from minigraph.npu.tiling.plan import Job

Model = Graph | tuple[Any, ...]  # a graph, or a function and its arguments


class Prepared(NamedTuple):
    """What a model asks of a chip with the digest of it, or why it cannot be said."""

    jobs: Jobs = ()
    digest: str = ""
    error: str = ""


class _Program(NamedTuple):
    graph: Graph | None
    has_bodies: bool = False  # which branch is counted depends on what it costs, so on the whole chip
    error: str = ""


class Programs:
    """The jobs of every model and pipeline; a model runs once, a pipeline once for each model.

    Raises ``UsageError`` for a model that is neither a graph nor a function with its arguments.
    """

    def __init__(self, models: Mapping[str, Model], pipelines: Mapping[str, Any]) -> None:
        for name, model in models.items():
            if not isinstance(model, Graph) and not (isinstance(model, tuple) and model and callable(model[0])):
                what = f"is a {type(model).__name__}; give a graph, or (function, *arguments)"
                raise UsageError(f"sweep: model '{name}' {what}")
        self._models, self._pipelines = models, pipelines
        self._captured: tuple[str, Graph | str] | None = None
        self._optimised: tuple[tuple[str, str], _Program] | None = None
        self._prepared: dict[tuple[str, str, int], Prepared] = {}

    def at(self, point: Point, chip: Chip) -> Prepared:
        """The jobs of a point's model after its pipeline; ``chip`` is the one of the point, with its values.

        They are the same for every chip with as much L2, unless nodes of the graph have bodies of which one is chosen.
        """
        key = (point.model, point.pipeline, chip.buf.l2)
        if key in self._prepared:
            return self._prepared[key]
        program = self._program(point.model, point.pipeline)
        found = Prepared(error=program.error) if program.graph is None else _prepared(program.graph, chip)
        if not program.has_bodies:
            self._prepared[key] = found
        return found

    def _program(self, model: str, pipeline: str) -> _Program:
        if self._optimised is None or self._optimised[0] != (model, pipeline):
            self._optimised = (model, pipeline), self._made(model, pipeline)
        return self._optimised[1]

    def _made(self, model: str, pipeline: str) -> _Program:
        if self._captured is None or self._captured[0] != model:
            self._captured = model, _captured(self._models[model])
        captured = self._captured[1]
        if isinstance(captured, str):
            return _Program(None, error=captured)
        graph = captured.clone()
        try:
            as_pass_pipeline(self._pipelines[pipeline]).run(graph)
        except Exception as error:
            return _Program(None, error=told(error))
        return _Program(graph, any(graph.regions(node) and graph.op(node).role != "fused" for node in graph))


def as_pass_pipeline(pipeline: Any) -> Any:
    """The pipeline of a name, a text or passes; raises ``UnknownName`` or ``UsageError`` for what is none."""
    return resolve(get_context("pass_manager"))(pipeline)


def _captured(model: Model) -> Graph | str:
    """The graph of a model before any pass, or why there is none."""
    if isinstance(model, Graph):
        return model
    function, *arguments = model
    try:
        return (function if isinstance(function, Jitted) else jit(function)).graph(*arguments, pipeline=())
    except Exception as error:  # whatever the user's function does
        return told(error)


def _prepared(graph: Graph, chip: Chip) -> Prepared:
    one: dict[Job, Job] = {}  # equal jobs become one object, which is sent once
    try:
        jobs = tuple((node, one.setdefault(job, job)) for node, job in jobs_of(graph, chip))
        return Prepared(jobs, digest_of(jobs))
    except Exception as error:
        return Prepared(error=told(error))
