"""Autotuning: the search for a faster schedule of one task than the default plan.

Problem: the default plan chooses like the vendor's library, large base blocks first. Method: the closed-form model
estimates a grid of schedules (base blocks of a product; tiles and cores of vector work), then variants of the best ones
(slots of buffers, unit_flag, the vector work that follows). The event engine decides among the few best and the default
plan. This is a search in two stages, where a cheap cost model prunes for an expensive measurement (Chen et al.,
"Learning to Optimize Tensor Programs", NeurIPS 2018, with a learned model and a real chip).

Invariants: the result is never slower than the default plan; every tried schedule fits the buffers; equal arguments
give equal results. Not handled: schedules off the grid, several tasks together, and fields other than these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from minigraph.core.aliases import Function
from minigraph.core.context import svg_of
from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.errors import UsageError
from minigraph.core.lazy import cached_property
from minigraph.ir.graph import Graph
from minigraph.npu.basis import Basis
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.host import DEFAULT_HOST, host_named
from minigraph.npu.job_cost import VERDICT_LEGEND, analytic_cycles, cost_of
from minigraph.npu.reports.sheet import Sheet
from minigraph.npu.residency import device_bytes
from minigraph.npu.schedules import schedule_of, task_named, task_names
from minigraph.npu.simulator import graph_of, jobs_of
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.plan import Job
from minigraph.npu.tiling.schedule import Schedule

BASE_SIDES = (16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 384, 512)  # baseM and baseN to try
MAX_BASE_K = 256  # elements
TILE_ELEMENTS = tuple(1 << power for power in range(8, 17))  # of vector work
MAX_VARIED_SCHEDULES = 6  # schedules of the grid whose variants are tried
MAX_EVENT_SCHEDULES = 8  # schedules that the event engine simulates, besides the default plan
MAX_SHOWN_SCHEDULES = 10  # schedules of the table
MIN_GAIN = 1.001  # below it, the default plan is the best one


class Trial(NamedTuple):
    """A schedule, the cycles of the task with it (head overhead included), and its column and row in the landscape."""

    schedule: Schedule
    cycles: int
    point: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Tuning:
    """The result of ``autotune``: the default plan, the best schedules by the event engine, and all that were tried.

    ``simulated``: by the event engine, fastest first, with every tile, core and buffer fixed; ``trials``: all that the
    closed-form model estimated.
    ``node`` and ``task``: the task's node and name. ``needed``: bytes of device memory that its graph needs at least.
    """

    node: int
    task: str
    chip: Chip
    job: Job
    default: Trial
    simulated: tuple[Trial, ...]
    trials: tuple[Trial, ...]
    needed: int = 0

    @property
    def basis(self) -> Basis:
        """What the times rest on; no host takes part."""
        return Basis(self.chip, host_named(DEFAULT_HOST), self.needed)

    @property
    def best(self) -> Schedule:
        """The fastest schedule; pass ``{node: best}`` to ``simulate``."""
        return self.simulated[0].schedule

    @property
    def speedup(self) -> float:
        """Time of the default plan over the time of the best schedule, at least 1."""
        return self.default.cycles / self.simulated[0].cycles

    @property
    def title(self) -> str:
        """The task, the chip, the number of schedules tried and the speed-up."""
        result = f"{len(self.trials):,} schedules, {self.speedup:.3f}x the default plan"
        return f"{self.task} on {self.basis.label}: {result}"

    @property
    def axes(self) -> tuple[str, str]:
        """The fields of the landscape's columns and rows."""
        return ("base n", "base m") if self.job.work.macs else ("tile", "cores")

    @cached_property
    def landscape(self) -> dict[tuple[int, int], float]:
        """Microseconds of the fastest trial at each column and row, by the closed-form model."""
        return {trial.point: self.chip.us(trial.cycles) for trial in reversed(self.trials) if trial.point}

    def sheet(self) -> Sheet:
        """The fastest schedules and the default plan, with what bounds each, as a table."""
        best = (
            self.simulated
            if self.default in self.simulated[:MAX_SHOWN_SCHEDULES]
            else (*self.simulated[: MAX_SHOWN_SCHEDULES - 1], self.default)
        )
        columns = ("plan", "us", "% of default", "bottleneck", "busiest queue", "schedule")
        rows, basis = tuple(map(self._row, best[:MAX_SHOWN_SCHEDULES])), self.basis
        return Sheet(self.title, columns, rows, (basis.calibration,), basis.what_if, (VERDICT_LEGEND,), basis.memory)

    def _row(self, trial: Trial) -> tuple[str | float, ...]:
        cost = cost_of(self.job, self.chip, "event", trial.schedule)
        queue, share = cost.busiest
        name = "default" if trial == self.default else "best" if trial == self.simulated[0] else "tried"
        percent = 100 * trial.cycles / self.default.cycles
        return name, self.chip.us(trial.cycles), percent, cost.verdict, f"{queue} {share:.0%}", str(trial.schedule)

    def __str__(self) -> str:
        return str(self.sheet())

    def __repr__(self) -> str:
        return f"<tuning {self.title}>"

    def _repr_svg_(self) -> str | None:
        return svg_of(self)

    decided = DeprecatedAttribute("simulated")


def autotune(
    target: Graph | Function,
    *args: object,
    node: int | str | None = None,
    chip: str | Chip | None = None,
    warm: bool = True,
    pipeline: object = None,
) -> Tuning:
    """Search for the fastest schedule of one task of a graph or function, never slower than the default plan.

    ``node``: a node id or an operator's name, by default the task with the most cycles. ``chip``, ``warm`` and
    ``pipeline`` are those of ``simulate``. Raises ``UnknownNameError`` for an unknown chip or task, ``UsageError`` for
    a graph without tasks or with arguments, or a loop.

    >>> from minigraph import float16, ops
    >>> x = ops.ones((1024, 1024), float16)
    >>> autotune(lambda x, w: x @ w, x, x, chip="ascend910b1").speedup > 1.1
    True
    """
    if isinstance(target, Graph) and args:
        raise UsageError("autotune: a graph has its inputs already; name its task by node=")
    chip_data = chip_named(chip)
    graph = graph_of(target, *args, chip=chip_data, pipeline=pipeline)
    jobs = dict(jobs_of(graph, chip_data, warm))
    if node is not None:
        tuned = task_named(graph, jobs, node)
    elif jobs:
        tuned = max(jobs, key=lambda name: analytic_cycles(jobs[name], chip_data))
    else:
        raise UsageError(f"autotune: {graph.title} has no task; pass a graph with an operator that computes")
    job, names = jobs[tuned], task_names(graph, tuned)
    if job.inside:
        raise UsageError(f"autotune: {' '.join(names[:2])} is a loop; tune a task of its body, in a graph of its own")
    return tune(tuned, " ".join(names[:2]), job, chip_data, device_bytes(graph, graph.topological()))


def tune(node: int, task: str, job: Job, chip: Chip, needed: int = 0) -> Tuning:
    """The tuning of one job; ``needed``: bytes of device memory that its graph needs at least."""
    default_schedule = schedule_of(job, chip)
    trials = _price_schedules(job, chip, {*_grid(job, chip, default_schedule), default_schedule})
    for vary in (_buffer_variants, _later_work_variants):
        variants = {schedule for trial in trials[:MAX_VARIED_SCHEDULES] for schedule in vary(job, chip, trial.schedule)}
        trials = _price_schedules(job, chip, variants, trials)
    default = Trial(default_schedule, _event_cycles(job, chip, default_schedule), _point(default_schedule))
    points = {schedule_of(job, chip, trial.schedule): trial.point for trial in reversed(trials[:MAX_EVENT_SCHEDULES])}
    simulated = [
        Trial(schedule, _event_cycles(job, chip, schedule), point)
        for schedule, point in points.items()
        if schedule != default_schedule
    ]
    ranked = sorted([default, *simulated], key=lambda trial: (trial.cycles, repr(trial.schedule)))
    if default.cycles < MIN_GAIN * ranked[0].cycles:
        ranked.sort(key=lambda trial: trial != default)
    return Tuning(node, task, chip, job, default, tuple(ranked), tuple(trials), needed)


def _price_schedules(job: Job, chip: Chip, schedules: Set[Schedule], known: Sequence[Trial] = ()) -> list[Trial]:
    """All trials, fastest first; schedules that do not fit are left out."""
    trials = list(known)
    for schedule in schedules - {trial.schedule for trial in known}:
        try:
            trials.append(Trial(schedule, analytic_cycles(job, chip, schedule), _point(schedule)))
        except UsageError:
            continue
    return sorted(trials, key=lambda trial: (trial.cycles, repr(trial.schedule)))


def _event_cycles(job: Job, chip: Chip, schedule: Schedule) -> int:
    cost = cost_of(job, chip, "event", schedule)
    return round(cost.head_us * chip.cores.freq_mhz) + cost.cycles


def _point(schedule: Schedule) -> tuple[int, int] | None:
    """The column and row of a schedule in the landscape, ``None`` if it leaves them to the search."""
    if schedule.base:
        return schedule.base[1], schedule.base[0]
    return (schedule.tile, schedule.cores) if schedule.tile and schedule.cores else None


# ---- the search space ------------------------------------------------------------------------------


def _grid(job: Job, chip: Chip, default: Schedule) -> Iterator[Schedule]:
    """Base blocks of a product with a long and a short k; tiles of vector work on different numbers of cores."""
    if not job.work.macs:
        most = chip.vector_cores
        cores = {most, *(max(1, most * part // 8) for part in (6, 4, 3, 2, 1)), default.cores or most}
        tiles = {*TILE_ELEMENTS, default.tile or TILE_ELEMENTS[-1]}
        yield from (Schedule(cores=count, tile=tile) for count in cores for tile in tiles)
        return
    k0, size = costs.cube_rate(chip, job.dtype).k0, job.dtype.itemsize
    rows, columns = default.base[:2] if default.base else (BASE_SIDES[0],) * 2
    for bm in {rows, *_sides(max(macs.m for macs in job.work.macs))}:
        for bn in {columns, *_sides(max(macs.n for macs in job.work.macs))}:
            most = min(chip.buf.l0a // (2 * bm * size), chip.buf.l0b // (2 * bn * size), MAX_BASE_K)
            for k in {most, most // 2}:
                yield Schedule(base=(bm, bn, max(k0, k // k0 * k0)))


def _sides(size: int) -> list[int]:
    """Sides of base blocks up to the first that covers ``size``."""
    return [side for i, side in enumerate(BASE_SIDES) if i == 0 or BASE_SIDES[i - 1] < size]


def _buffer_variants(job: Job, chip: Chip, schedule: Schedule) -> Iterator[Schedule]:
    """Single to fourfold buffers; on chips with FixPipe, a store that overlaps with its tile."""
    for buffers in (1, 2, 3, 4):
        yield replace(schedule, buffers=buffers)
    if job.work.macs and chip.family == "split":
        yield replace(schedule, unit_flag=True)
        yield replace(schedule, unit_flag=True, buffers=2)


def _later_work_variants(job: Job, chip: Chip, schedule: Schedule) -> Iterator[Schedule]:
    """Tiles and buffers of the vector work that follows a product."""
    if job.work.macs and job.work.lanes:
        for tile in TILE_ELEMENTS:
            for buffers in (1, 2, 3):
                yield replace(schedule, vector=Schedule(tile=tile, buffers=buffers))
