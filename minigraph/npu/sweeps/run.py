"""Running a sweep over any ``concurrent.futures`` executor: work items out, rows in, each point exactly once.

A point is done when its row arrives in this process. Points whose worker died are submitted again: to new processes if
the executor is our own, else to the same executor, and at the latest by the next call.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from minigraph.core.context import get_context
from minigraph.core.errors import UnknownNameError, UsageError, did_you_mean
from minigraph.core.processes import process_pool
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.npu.chips.chip import Chip
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.sweeps.axes import axis_with
from minigraph.npu.sweeps.models import Model, ModelCache, as_pass_pipeline
from minigraph.npu.sweeps.space import Point, Space, space_of
from minigraph.npu.sweeps.table import OTHER_FILE_HINT, Row, Table
from minigraph.npu.sweeps.work_item import Metrics, WorkItem, error_text, evaluate

MAX_IN_FLIGHT = 256  # submitted points, which bounds the memory of a sweep over millions
NO_CHANGES: Mapping[str, Sequence[float]] = {}

Progress = Callable[[int, int], object]  # arguments: points done, points in total


def sweep(
    models: Mapping[str, Model],
    chips: Iterable[str | Chip | None] = (None,),
    pipelines: Iterable[str] | Mapping[str, Any] | None = None,
    changes: Mapping[str, Sequence[float]] = NO_CHANGES,
    *,
    out: Path | str | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    engine: str = "event",
    host: str | Host = DEFAULT_HOST,
    progress: Progress | None = None,
) -> Table:
    """Simulate every model after every pipeline on every chip, with every combination of changed parameters.

    ``models``: graphs, or tuples of a function and its arguments, by name. Models and pipelines run in this process;
    workers get numbers only. ``None`` as a chip, or as ``pipelines``, is the context's. ``changes``: values by name,
    such as ``{"mte2.lat": [150, 200]}``. ``out``: a CSV file that rows are appended to; the same call resumes an
    interrupted sweep. ``executor``: any ``concurrent.futures.Executor``, which stays open; by default, ``workers``
    processes. An error at a point becomes the point's row.

    Raises ``UnknownNameError``, ``ChipError`` or ``UsageError`` for an invalid name, value or table before anything is
    written, and ``UsageError`` if workers die repeatedly.

    >>> from minigraph import Tensor
    >>> from minigraph.core.processes import SerialExecutor
    >>> table = sweep({"square": (lambda x: x * x, Tensor([1.0, 2.0]))}, changes={"mte2.lat": [100, 200]},
    ...               executor=SerialExecutor())
    >>> [(row["mte2.lat"], row["tasks"]) for row in table.records()]
    [(100, 1), (200, 1)]
    """
    if engine not in ENGINES:
        raise UnknownNameError(f"no engine '{engine}'{did_you_mean(engine, ENGINES)}")
    if workers is not None and workers < 1:
        raise UsageError(f"sweep: {workers} workers; give at least 1")
    named_pipelines = _named_pipelines(get_context("pipeline") if pipelines is None else pipelines)
    space = space_of(models, named_pipelines, chips, [axis_with(*change) for change in changes.items()])
    for pipeline in named_pipelines.values():
        as_pass_pipeline(pipeline)  # raises for a wrong name before anything is written
    host_preset = host_named(host)
    if out is not None and Path(out).suffix == ".parquet":
        raise UsageError(f"sweep: '{out}': rows are written as CSV, with a Parquet file next to it; name a .csv file")
    plan = _Plan(space, ModelCache(models, named_pipelines), host_preset, engine)
    table = Table(space, {"engine": engine, "host": host_preset.label}, None if out is None else Path(out))
    plan.drop_outdated(table)
    with table:
        _run(plan, table, executor, workers, progress or (lambda done, total: None))
        table.finish()
    return table


def _named_pipelines(pipelines: Any) -> Mapping[str, Any]:
    if isinstance(pipelines, Mapping):
        return pipelines
    all_pipelines = [pipelines] if isinstance(pipelines, str) else list(pipelines)
    if len(set(map(str, all_pipelines))) < len(all_pipelines):
        raise UsageError(f"sweep: a pipeline is given twice in {', '.join(map(repr, all_pipelines))}; name each once")
    return {str(pipeline): pipeline for pipeline in all_pipelines}


class _Plan(NamedTuple):
    """The points of a sweep, and the work item of each."""

    space: Space
    models: ModelCache
    host: Host
    engine: str

    def work_item(self, point: Point) -> WorkItem | Row:
        """The work item of a point, or its row if its model or pipeline fails."""
        chip = self.space.chip_at(point)
        model_jobs = self.models.jobs_at(point, chip)
        if model_jobs.error:
            return Row(Metrics(error=model_jobs.error), "")
        return WorkItem(
            model_jobs.jobs,
            model_jobs.eager_jobs,
            model_jobs.digest,
            chip,
            self.host,
            self.engine,
            self.space.grade_at(point),
            model_jobs.needed,
        )

    def drop_outdated(self, table: Table) -> None:
        """Delete rows with errors that no longer occur; raise ``UsageError`` for metrics of another program."""
        for point in [point for point in self.space if point in table.rows]:
            row, work_item = table.rows[point], self.work_item(point)
            if work_item == row or (isinstance(work_item, WorkItem) and work_item.digest == row.sent):
                continue
            if not row.metrics.error:
                row_of = f"the row of {point.model} on {point.chip} is of another program, chip file or version"
                raise UsageError(f"{table.path}: {row_of} of minigraph; {OTHER_FILE_HINT}")
            del table.rows[point]


# ---- submitting and collecting ---------------------------------------------------------------------


def _run(plan: _Plan, table: Table, executor: Executor | None, workers: int | None, progress: Progress) -> None:
    """Attempt after attempt until every point has its row, as long as each attempt adds rows.

    A cluster that loses a worker continues; our own processes are replaced for the next attempt.
    """
    total = plan.space.size

    def report_progress() -> None:
        progress(len(table), total)

    report_progress()
    while len(table) < total:
        before = len(table)
        with _executor(executor, workers, total - before) as pool:
            attempt = _Attempt(table, pool)
            attempt.run(_work_items(plan, table, report_progress), report_progress)
        if len(table) == before:
            results = f"{len(table):,} are kept in {table.path}" if table.path else f"{len(table):,} are done"
            raise UsageError(
                f"sweep: {total - len(table):,} of {total:,} points have no result ({attempt.lost}); {results}, "
                "and the same call resumes from there"
            )


def _executor(executor: Executor | None, workers: int | None, points: int) -> AbstractContextManager[Executor]:
    if executor is not None:
        return nullcontext(executor)
    return process_pool(min(workers or os.cpu_count() or 1, points))


class _Attempt:
    """One submission of every missing point; ``lost``: the error of the last point without a result."""

    def __init__(self, table: Table, pool: Executor) -> None:
        self._table, self._pool = table, pool
        self._pending: dict[Future[Metrics], tuple[Point, str]] = {}
        self._finished: SimpleQueue[Future[Metrics]] = SimpleQueue()
        self.lost = ""

    def run(self, items: Iterator[tuple[Point, WorkItem]], report_progress: Callable[[], object]) -> None:
        """Submit and collect all work items; an error cancels the pending ones."""
        try:
            while True:
                if len(self._pending) < MAX_IN_FLIGHT and self._finished.empty() and self._submit(next(items, None)):
                    continue
                if not self._pending:
                    return
                self._collect(self._finished.get())
                report_progress()
        finally:
            for future in self._pending:
                future.cancel()

    def _submit(self, next_item: tuple[Point, WorkItem] | None) -> bool:
        """Submit a point; False if there is none left, or if the executor is broken."""
        if next_item is None:
            return False
        point, work_item = next_item
        try:
            future = self._pool.submit(evaluate, work_item)
        except Exception as error:
            reraise_handler_error(error)
            self.lost = error_text(error)
            return False
        self._pending[future] = point, work_item.digest
        future.add_done_callback(self._finished.put)
        return True

    def _collect(self, future: Future[Metrics]) -> None:
        """Add the row of a finished future, or record its error in ``lost``."""
        point, sent = self._pending.pop(future)
        if future.cancelled():
            self.lost = "cancelled"
        elif error := future.exception():
            self.lost = error_text(error)
        else:
            self._table.add(point, Row(future.result(), sent))


def _work_items(plan: _Plan, table: Table, report_progress: Callable[[], object]) -> Iterator[tuple[Point, WorkItem]]:
    """Each missing point with its work item; rows that need no worker are added to the table."""
    for point in plan.space:
        if point not in table.rows:
            work_item = plan.work_item(point)
            if isinstance(work_item, WorkItem):
                yield point, work_item
            else:
                table.add(point, work_item)
                report_progress()
