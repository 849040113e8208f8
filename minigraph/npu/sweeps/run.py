"""Running a sweep: parcels out, rows in, over any executor; nothing lost and nothing twice.

The executor only has to follow ``concurrent.futures``. A point counts when its row arrives here, once; points whose
worker died are given out again, to new processes where they are ours, else by the executor or by the next run.
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
from minigraph.core.errors import UnknownName, UsageError, did_you_mean
from minigraph.core.processes import processes
from minigraph.npu.chips.chip import Chip
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.sweeps.axes import axis_with
from minigraph.npu.sweeps.models import Model, Programs, as_pass_pipeline
from minigraph.npu.sweeps.space import Point, Space, space_of
from minigraph.npu.sweeps.table import OTHERWISE, Row, Table
from minigraph.npu.sweeps.work_item import Figures, Parcel, measured, told

AHEAD = 256  # points given out and not yet back, so that a sweep of millions holds few at a time
NOTHING: Mapping[str, Sequence[float]] = {}

Progress = Callable[[int, int], object]  # (points done, points in all)


def sweep(
    models: Mapping[str, Model],
    chips: Iterable[str | Chip | None] = (None,),
    pipelines: Iterable[str] | Mapping[str, Any] | None = None,
    changes: Mapping[str, Sequence[float]] = NOTHING,
    *,
    out: Path | str | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    engine: str = "event",
    host: str | Host = DEFAULT_HOST,
    progress: Progress | None = None,
) -> Table:
    """Simulate every model after every pipeline on every chip, with every combination of changed figures.

    ``models`` are graphs, or tuples of a function and its arguments, by name; they and the pipelines run here, and
    what is sent to a worker is numbers. ``None`` as a chip, or for the pipelines, is the context's. ``changes`` are
    values by figure, such as ``{"mte2.lat": [150, 200]}``. ``out`` is a CSV file that rows stream into; the same call
    goes on where one was interrupted. ``executor`` is any ``concurrent.futures.Executor`` and stays open; without
    one, ``workers`` processes. An error at a point is that point's row.

    Raises ``UnknownName``, ``ChipError`` or ``UsageError`` for a wrong name, value or table before anything is
    written, and ``UsageError`` when workers die again and again.

    >>> from minigraph import Tensor
    >>> from minigraph.core.processes import Serial
    >>> found = sweep({"square": (lambda x: x * x, Tensor([1.0, 2.0]))}, changes={"mte2.lat": [100, 200]},
    ...               executor=Serial())
    >>> [(row["mte2.lat"], row["tasks"]) for row in found.records()]
    [(100, 1), (200, 1)]
    """
    if engine not in ENGINES:
        raise UnknownName(f"no engine '{engine}'{did_you_mean(engine, ENGINES)}")
    if workers is not None and workers < 1:
        raise UsageError(f"sweep: {workers} workers; give at least 1")
    named = _named(get_context("pipeline") if pipelines is None else pipelines)
    space = space_of(models, named, chips, [axis_with(*change) for change in changes.items()])
    for pipeline in named.values():
        as_pass_pipeline(pipeline)  # a wrong name is refused now
    around = host_named(host)
    if out is not None and Path(out).suffix == ".parquet":
        raise UsageError(f"sweep: '{out}': rows stream into CSV, and Parquet is written beside it; name a .csv file")
    plan = _Plan(space, Programs(models, named), around, engine)
    table = Table(space, {"engine": engine, "host": around.name}, None if out is None else Path(out))
    plan.drop_outdated(table)
    with table:
        _run(plan, table, executor, workers, progress or (lambda done, total: None))
        table.finish()
    return table


def _named(pipelines: Any) -> Mapping[str, Any]:
    if isinstance(pipelines, Mapping):
        return pipelines
    every = [pipelines] if isinstance(pipelines, str) else list(pipelines)
    if len(set(map(str, every))) < len(every):
        raise UsageError(f"sweep: a pipeline is given twice in {', '.join(map(repr, every))}; name each once")
    return {str(pipeline): pipeline for pipeline in every}


class _Plan(NamedTuple):
    """The points of a sweep, and what to send for each."""

    space: Space
    programs: Programs
    host: Host
    engine: str

    def parcel(self, point: Point) -> Parcel | Row:
        """What to send, or the row of a point whose program cannot be made."""
        chip = self.space.chip_at(point)
        prepared = self.programs.at(point, chip)
        if prepared.error:
            return Row(Figures(error=prepared.error), "")
        return Parcel(prepared.jobs, prepared.digest, chip, self.host, self.engine, self.space.standing_at(point))

    def drop_outdated(self, table: Table) -> None:
        """Forget errors whose cause has been mended; raise ``UsageError`` for figures of another program."""
        for point in [point for point in self.space if point in table.rows]:
            row, parcel = table.rows[point], self.parcel(point)
            if parcel == row or (isinstance(parcel, Parcel) and parcel.digest == row.sent):
                continue
            if not row.figures.error:
                what = "another program, chip file or version of minigraph"
                raise UsageError(f"{table.path}: the row of {point.model} on {point.chip} is of {what}; {OTHERWISE}")
            del table.rows[point]


# ---- giving out and taking in ----------------------------------------------------------------------


def _run(plan: _Plan, table: Table, executor: Executor | None, workers: int | None, progress: Progress) -> None:
    """Rounds until every point has its row, as long as each brings some: a cluster that loses a worker goes on.

    Our own processes are replaced for another round.
    """
    total = plan.space.size

    def heard() -> None:
        progress(len(table), total)

    heard()
    while len(table) < total:
        before = len(table)
        with _opened(executor, workers, total - before) as pool:
            this = _Round(table, pool)
            this.run(_parcels(plan, table, heard), heard)
        if len(table) == before:
            kept = f"{len(table):,} are kept in {table.path}" if table.path else f"{len(table):,} did"
            raise UsageError(
                f"sweep: {total - len(table):,} of {total:,} points did not come back ({this.lost}); {kept}, "
                "and the same call goes on from there"
            )


def _opened(executor: Executor | None, workers: int | None, points: int) -> AbstractContextManager[Executor]:
    if executor is not None:
        return nullcontext(executor)
    return processes(min(workers or os.cpu_count() or 1, points))


class _Round:
    """Every missing point given out once; ``lost`` says why the last of those that did not come back was lost."""

    def __init__(self, table: Table, pool: Executor) -> None:
        self._table, self._pool = table, pool
        self._out: dict[Future[Figures], tuple[Point, str]] = {}
        self._back: SimpleQueue[Future[Figures]] = SimpleQueue()
        self.lost = ""

    def run(self, parcels: Iterator[tuple[Point, Parcel]], heard: Callable[[], object]) -> None:
        """Give out and take in until nothing is left; what is not back when an error ends this is called off."""
        try:
            while True:
                if len(self._out) < AHEAD and self._back.empty() and self._give(next(parcels, None)):
                    continue
                if not self._out:
                    return
                self._take(self._back.get())
                heard()
        finally:
            for future in self._out:
                future.cancel()

    def _give(self, given: tuple[Point, Parcel] | None) -> bool:
        """Submit a point; False when there is none left, or when the executor, its workers dead, takes no more."""
        if given is None:
            return False
        point, parcel = given
        try:
            future = self._pool.submit(measured, parcel)
        except Exception as error:
            self.lost = told(error)
            return False
        self._out[future] = point, parcel.digest
        future.add_done_callback(self._back.put)
        return True

    def _take(self, done: Future[Figures]) -> None:
        """Add the row of a future that is done, or keep in mind why there is none."""
        point, sent = self._out.pop(done)
        if done.cancelled():
            self.lost = "cancelled"
        elif error := done.exception():
            self.lost = told(error)
        else:
            self._table.add(point, Row(done.result(), sent))


def _parcels(plan: _Plan, table: Table, heard: Callable[[], object]) -> Iterator[tuple[Point, Parcel]]:
    """Each missing point with what to send; rows that need no worker are added on the way."""
    for point in plan.space:
        if point not in table.rows:
            parcel = plan.parcel(point)
            if isinstance(parcel, Parcel):
                yield point, parcel
            else:
                table.add(point, parcel)
                heard()
