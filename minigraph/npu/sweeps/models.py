"""The models of a sweep: each is captured and optimised once, in this process, never in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from minigraph.compilation import Jitted, jit
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import UsageError
from minigraph.core.scope_guard import raise_external_error
from minigraph.ir.graph import Graph
from minigraph.npu.chips.chip import Chip
from minigraph.npu.library import passes_without_kernel, pipeline_for
from minigraph.npu.residency import device_bytes
from minigraph.npu.simulator import jobs_of
from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.work_item import Jobs, digest_of, error_text
from minigraph.npu.tiling.plan import Job

Model = Graph | tuple[Any, ...]  # a graph, or a function and its arguments


class ModelJobs(NamedTuple):
    """The jobs of a model on a chip, optimised and in eager mode, and their digest; or the error that prevents them.

    ``needed``: bytes of device memory that the optimised graph needs at least.
    """

    jobs: Jobs = ()
    eager_jobs: Jobs = ()
    digest: str = ""
    error: str = ""
    needed: int = 0


class _OptimizedModel(NamedTuple):
    graph: Graph | None
    captured: Graph | None = None
    has_bodies: bool = False  # the branch that counts depends on costs, so on all parameters of the chip
    error: str = ""


class ModelCache:
    """The jobs of every model and pipeline, cached: a model runs once, and a pipeline once per model.

    Raises ``UsageError`` for a model that is neither a graph nor a function with its arguments.
    """

    def __init__(self, models: Mapping[str, Model], pipelines: Mapping[str, object]) -> None:
        for name, model in models.items():
            if not isinstance(model, Graph) and not (isinstance(model, tuple) and model and callable(model[0])):
                problem = f"is a {type(model).__name__}; give a graph, or (function, *arguments)"
                raise UsageError(f"sweep: model '{name}' {problem}")
        self._models, self._pipelines = models, pipelines
        self._captured: tuple[str, Graph | str] | None = None
        self._optimized: tuple[tuple[str, str, frozenset[str]], _OptimizedModel] | None = None
        self._model_jobs: dict[tuple[str, str, frozenset[str], int], ModelJobs] = {}

    def jobs_at(self, point: Point, chip: Chip) -> ModelJobs:
        """The jobs of a point's model after its pipeline; ``chip``: the point's chip, with its values.

        Chips with the same library and size of L2 share them, unless the graph has branches.
        """
        left_out = passes_without_kernel(self._pipelines[point.pipeline], chip)
        key = (point.model, point.pipeline, left_out, chip.buf.l2)
        if key in self._model_jobs:
            return self._model_jobs[key]
        if self._optimized is None or self._optimized[0] != key[:3]:
            self._optimized = key[:3], self._optimize(point, chip)
        optimized = self._optimized[1]
        model_jobs = ModelJobs(error=optimized.error) if optimized.graph is None else _model_jobs(optimized, chip)
        if not optimized.has_bodies:
            self._model_jobs[key] = model_jobs
        return model_jobs

    def _optimize(self, point: Point, chip: Chip) -> _OptimizedModel:
        if self._captured is None or self._captured[0] != point.model:
            self._captured = point.model, _capture(self._models[point.model])
        captured = self._captured[1]
        if isinstance(captured, str):
            return _OptimizedModel(None, error=captured)
        graph = captured.clone()
        try:
            pipeline_for(self._pipelines[point.pipeline], chip).run(graph)
        except Exception as error:
            raise_external_error(error)
            return _OptimizedModel(None, error=error_text(error))
        has_bodies = any(graph.regions(node) and graph.op(node).role != "fused" for node in graph)
        return _OptimizedModel(graph, captured, has_bodies)


def as_pass_pipeline(pipeline: object) -> Any:
    """A pipeline from a name, a text or passes; raises ``UnknownNameError`` or ``UsageError`` for an invalid one."""
    return resolve(get_context("pass_manager"))(pipeline)


def _capture(model: Model) -> Graph | str:
    """The graph of a model before any pass, or the text of the error; a lack of memory or a deadline is raised."""
    if isinstance(model, Graph):
        return model
    function, *arguments = model
    try:
        return (function if isinstance(function, Jitted) else jit(function)).graph(*arguments, pipeline=())
    except Exception as error:  # whatever the user's function does
        raise_external_error(error)
        return error_text(error)


def _model_jobs(model: _OptimizedModel, chip: Chip) -> ModelJobs:
    shared: dict[Job, Job] = {}  # equal jobs become one object, which is pickled once

    def jobs(graph: Graph | None) -> Jobs:
        pairs = jobs_of(graph, chip) if graph is not None else ()
        return tuple((node, shared.setdefault(job, job)) for node, job in pairs)

    try:
        optimized, eager = jobs(model.graph), jobs(model.captured)
        needed = 0 if model.graph is None else device_bytes(model.graph, model.graph.topological())
        return ModelJobs(optimized, eager, digest_of((optimized, eager)), needed=needed)
    except Exception as error:
        raise_external_error(error)
        return ModelJobs(error=error_text(error))
