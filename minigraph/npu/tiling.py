"""Laying one job out over a chip: which cores, which tiles, what stays resident.

Only the job's work record, dtype and size are looked at; which operator it came from is not known here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from minigraph.errors import UsageError
from minigraph.npu import analytic, costs
from minigraph.npu.chip import Chip
from minigraph.npu.cube_tiling import Product, cube_notes, cube_plan
from minigraph.npu.plan import DEFAULT, Job, Layout, ScalarPlan, Schedule, VectorPlan
from minigraph.work import Macs, Work

GRAIN = 4096  # bytes of traffic below which another core is not worth its share of the head
GOOD_MOVE = 16384  # bytes from which a transfer is efficient (vendor guide)
MAX_STREAMS = 8
FEW_VECTOR_CORES = "at least half of the vector cores have nothing to do: too few bytes to share"
MIXED = "cube and vector cores work together and meet in L2 (MIX)"
ESTIMATE = "estimate only: bytes through the memory system, no instruction model"


@lru_cache(maxsize=8192)
def layout_of(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> Layout:
    """The plans of a job; empty when there is nothing to do. Raises ``UsageError`` for an impossible schedule."""
    work = job.work
    macs = tuple(m for m in map(_folded, work.macs, (work.read,) * len(work.macs)) if m.total)
    if job.unit == "none" or not (macs or work.lanes or work.read or work.written):
        return Layout(notes=job.notes)
    notes = job.notes + (() if work.exact else (ESTIMATE,))
    if job.unit == "scalar":
        return Layout(scalar=ScalarPlan(job.elements, work.read, work.written), notes=notes)
    if not macs:
        plan = vector_plan(job, chip, schedule)
        return Layout(vector=plan, notes=notes + vector_notes(job, plan, chip))
    return _cube_layout(job, macs, chip, schedule, notes)


def _cube_layout(job: Job, macs: tuple[Macs, ...], chip: Chip, schedule: Schedule, notes: tuple[str, ...]) -> Layout:
    alone = epilogue_is_free(job.work, macs, job.dtype.itemsize)
    item = _stored_item(job.work, macs) if alone else job.dtype.itemsize
    products = [Product(m, job.dtype, item or job.dtype.itemsize, job.cold) for m in macs]
    apart = alone or chip.family == "split"  # cube and vector units meet in L2, not in one core's UB
    plans = tuple(replace(cube_plan(product, chip, schedule), stores=apart) for product in products)
    for product, plan in zip(products, plans, strict=True):
        notes += tuple(note for note in cube_notes(product, plan, chip) if note not in notes)
    if alone:
        return Layout(cube=plans, notes=notes)
    vector = vector_plan(_after_cube(job, macs, apart), chip, DEFAULT)
    return Layout(cube=plans, vector=vector, notes=(*notes, MIXED) if apart else notes)


def epilogue_is_free(work: Work, macs: tuple[Macs, ...], itemsize: int) -> bool:
    """Whether everything beside the products happens on the way out of the cube.

    The pipe out of L0C casts, scales and clamps, and the bias table adds one row: that is any cast and at
    most two simple operations per result, with no more than rows read beside the operands.
    """
    lanes = dict(work.lanes)
    results = sum(m.b * m.m * m.n for m in macs)
    operands = sum(_operand_bytes(m, itemsize) for m in macs)
    beside = work.read - operands
    only = set(lanes) <= {"simple", "cast"}
    return only and lanes.get("simple", 0) <= 2 * results and beside <= 2 * max(m.n for m in macs) * itemsize


def _operand_bytes(macs: Macs, itemsize: int) -> int:
    return (macs.b * macs.m * macs.k // macs.window + macs.b * macs.k * macs.n) * itemsize


def _folded(macs: Macs, read: int) -> Macs:
    """A batch that shares its right operand is one tall product; the bytes read tell."""
    if macs.b > 1 and macs.window == 1 and 0 < read < macs.b * macs.k * macs.n:
        return Macs(1, macs.b * macs.m, macs.k, macs.n)
    return macs


def _stored_item(work: Work, macs: tuple[Macs, ...]) -> int:
    return min(8, round(work.written / sum(m.b * m.m * m.n for m in macs)))


def _after_cube(job: Job, macs: tuple[Macs, ...], apart: bool) -> Job:
    """The vector half of a mixed node: it reads the product (from L2 when ``apart``) and what else the node reads."""
    results = sum(m.b * m.m * m.n for m in macs)
    product = results * job.dtype.itemsize if apart else 0
    beside = max(0, job.work.read - sum(_operand_bytes(m, job.dtype.itemsize) for m in macs))
    work = replace(job.work, macs=(), read=product + beside)
    return replace(
        job, work=work, elements=max(job.elements, results), cold=job.cold * beside / max(product + beside, 1)
    )


# ---- vector ----------------------------------------------------------------------------------------


def vector_plan(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> VectorPlan:
    """The cheapest plan by the closed form: fewer or more cores, whole rows in UB or rows swept in pieces.

    Raises ``UsageError`` for a schedule that does not fit.
    """
    fit = max(1, int(chip.buf.ub / _live_bytes(job, schedule.buffers)))
    _check_tile(schedule, fit, chip)
    plans = [
        _vector_plan(job, chip, schedule, tiling)
        for cores in _core_counts(job, chip, schedule)
        for tiling in _tilings(job, cores, fit, schedule)
    ]
    return min(plans, key=lambda plan: analytic.vector_cycles(plan, chip))


class Tiling(NamedTuple):
    """A candidate: cores at work, tiles in all, sweeps over each row, meetings of the cores."""

    cores: int
    tiles: int
    sweeps: int
    meetings: int


def _vector_plan(job: Job, chip: Chip, schedule: Schedule, tiling: Tiling) -> VectorPlan:
    work, (cores, tiles, sweeps, meetings) = job.work, tiling
    streams = min(MAX_STREAMS, max(1, round(work.read / job.elements / job.dtype.itemsize))) if work.read else 0
    return VectorPlan(
        cores=cores, tiles=tiles, per_core=ceil(tiles / cores), sweeps=sweeps, streams=streams,
        load_bytes=ceil(work.read / streams / tiles) if streams else 0, store_bytes=ceil(work.written / tiles),
        ops=_ops(job, tiles * sweeps), width=costs.vector_width(job.dtype), buffers=schedule.buffers,
        miss=job.cold, miss_again=_miss_again(job, cores, chip), absorbed=_absorbed(work, chip, schedule),
        conflict=schedule.conflict, meetings=meetings,
    )  # fmt: skip


def _core_counts(job: Job, chip: Chip, schedule: Schedule) -> tuple[int, ...]:
    """As many cores as the bytes are worth, and fewer: rows of fewer cores may stay in L2 between sweeps."""
    if schedule.cores:
        return (schedule.cores,)
    most = min(chip.vector_cores, max(1, ceil((job.work.read + job.work.written) / GRAIN)), job.elements)
    return tuple(sorted({max(1, most // share) for share in (1, 2, 4)} if job.work.rows else {most}))


def _tilings(job: Job, cores: int, fit: int, schedule: Schedule) -> list[Tiling]:
    count, length = job.work.rows or (job.elements, 1)
    found = []
    if length > 1 and length <= fit:
        per_tile = max(1, min((schedule.tile or fit) // length, ceil(count / min(cores, count))))
        tiles = ceil(count / per_tile)
        found.append(Tiling(min(cores, count, tiles), tiles, 1, 0))
    if length == 1 or length > fit or cores > count:
        split = length > 1 and cores > count
        sweeps = max(job.work.passes, 1 if length == 1 or split else 2)
        found.append(Tiling(cores, _even_tiles(job, cores, fit, schedule), sweeps, max(1, sweeps - 1) if split else 0))
    return found


def vector_notes(job: Job, plan: VectorPlan, chip: Chip) -> tuple[str, ...]:
    """What a reader should know of a vector plan: idle cores, rows that do not fit, numbers without a unit."""
    notes = []
    if 2 * plan.cores <= chip.vector_cores:
        notes.append(FEW_VECTOR_CORES)
    if plan.sweeps > 1:
        notes.append(f"a row does not fit UB: {plan.sweeps} sweeps over memory")
    if plan.width == 8 and plan.ops:
        notes.append(costs.WIDE)
    return tuple(notes)


def _check_tile(schedule: Schedule, fit: int, chip: Chip) -> None:
    if schedule.tile is not None and schedule.tile > fit:
        raise UsageError(f"schedule: a tile of {schedule.tile} elements does not fit UB; at most {fit} do")
    if schedule.cores is not None and not 1 <= schedule.cores <= chip.vector_cores:
        raise UsageError(f"schedule: {schedule.cores} vector cores; {chip.title} has {chip.vector_cores}")


def _live_bytes(job: Job, buffers: int) -> float:
    """Bytes of UB per element: every stream in its ring, and one temporary when several operations follow."""
    moved = (job.work.read + job.work.written) / job.elements
    several = sum(count for _, count in job.work.lanes) > job.elements
    return max(1.0, buffers * moved + several * costs.vector_width(job.dtype))


def _even_tiles(job: Job, cores: int, fit: int, schedule: Schedule) -> int:
    each = ceil(job.elements / cores)
    stream = each * max(job.work.read, job.work.written) / job.elements
    wanted = max(ceil(each / fit), min(4, int(stream // GOOD_MOVE)), 1)
    return cores * (ceil(each / schedule.tile) if schedule.tile else wanted)


def _ops(job: Job, tiles: int) -> tuple[tuple[str, int], ...]:
    """The vector instructions of one tile: as many of a class as its lanes hold the tile's elements."""
    found = []
    for kind, count in job.work.lanes:
        times = max(1, round(count / job.elements))
        found += [(kind, ceil(count / times / tiles))] * times if count else []
    return tuple(found)


def _miss_again(job: Job, cores: int, chip: Chip) -> float:
    """Another sweep finds its rows in L2 when all rows under way fit there."""
    count, _ = job.work.rows or (1, 1)
    return 0.0 if job.work.read * min(1.0, cores / max(count, 1)) <= chip.buf.l2 else 1.0


def _absorbed(work: Work, chip: Chip, schedule: Schedule) -> float:
    """The part of the stores that stays in L2: all when the whole job fits there, what fits with a bypass."""
    if schedule.bypass:
        return costs.absorbed_by_l2(chip, work.written)
    return 1.0 if work.read + work.written <= chip.buf.l2 else 0.0
