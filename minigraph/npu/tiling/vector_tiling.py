"""Laying vector work out over the vector cores: how many of them, which tiles, what each tile's instructions are.

Only the work record, dtype and sizes of a job are looked at. The classes of work:

- elements one by one (elementwise, fused chains, copies, casts): tiles as large as UB holds
- whole rows (reductions, softmax, norms): in UB if they fit, else swept in pieces, else shared by several cores
- rows lying across memory (an axis that is not the last): neighbouring rows together, folded row upon row
- elements picked from a table: one load per run that lies together, or a gather inside UB
- another order of axes: strided loads, blocks turned inside UB when the last axis moves
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2

from minigraph.core.errors import UsageError
from minigraph.core.fields import Work
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import analytic, costs
from minigraph.npu.tiling.costs import VectorOp
from minigraph.npu.tiling.plan import DEFAULT, Job, Schedule, VectorPlan

GRAIN = 4096  # bytes of traffic below which another core is not worth its share of the head
GOOD_MOVE = 16384  # bytes from which a transfer is efficient (vendor guide)
BLOCK = 32  # bytes: what UB is addressed in, and the least a load brings
TURNED = 512  # bytes of a row in a block that is transposed inside UB
SIDE_BY_SIDE = 16  # rows up to this length are laid side by side, their elements folded one upon the other
BAND = 1024  # bytes of a row of neighbours that is not cut further
FEW = 8  # parts of the cores that bands must not even fill before several cores work on one
MAX_STREAMS = 8
SHARES = (1, 2, 4, 8)  # parts of the rows UB has room for that are tried as a tile: smaller ones fill the pipe sooner
FEW_VECTOR_CORES = "at least half of the vector cores have nothing to do: no tile worth a core for them"
PICKED = "single elements are picked from a table larger than UB: one load of 32 bytes for each"


@dataclass(frozen=True)
class Tiling:
    """A candidate: cores at work, tiles in all, sweeps over each row, meetings of the cores.

    ``across``: neighbouring rows of a tile whose elements lie across memory, 0 for rows that lie in order.
    """

    cores: int
    tiles: int
    sweeps: int = 1
    meetings: int = 0
    across: int = 0


def vector_plan(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> VectorPlan:
    """The cheapest plan by the closed form: fewer or more cores, whole rows in UB or rows swept in pieces.

    Raises ``UsageError`` for a schedule that does not fit.
    """
    fit = max(1, int(chip.buf.ub / _live_bytes(job, schedule.buffers, chip)))
    _check_tile(schedule, fit, chip)
    tilings = _tilings_across if job.work.run and job.work.rows else _tilings
    plans = [
        _planned(job, chip, schedule, tiling)
        for cores in _core_counts(job, chip, schedule)
        for tiling in tilings(job, cores, fit, schedule)
    ]
    return min(plans, key=lambda plan: analytic.vector_cycles(plan, chip))


def vector_notes(job: Job, plan: VectorPlan, chip: Chip) -> tuple[str, ...]:
    """What a reader should know of a vector plan: idle cores, rows that do not fit, numbers without a unit."""
    notes = []
    if 2 * plan.cores <= chip.vector_cores:
        notes.append(FEW_VECTOR_CORES)
    if plan.sweeps > 1:
        notes.append(f"a row does not fit UB: {plan.sweeps} sweeps over memory")
    if plan.pieces > 1 and plan.piece <= BLOCK:
        notes.append(PICKED)
    if plan.width == 8 and plan.ops:
        notes.append(costs.WIDE)
    return tuple(notes)


def _planned(job: Job, chip: Chip, schedule: Schedule, tiling: Tiling) -> VectorPlan:
    work, tiles = job.work, tiling.tiles
    streams = min(MAX_STREAMS, max(1, round(work.read / job.elements / job.dtype.itemsize))) if work.read else 0
    piece = _piece(job, tiling, chip)
    picks = ceil(job.elements / tiles * job.dtype.itemsize / piece) if _picks(job, chip) else 1
    read = max(work.read, job.elements * BLOCK) if picks > 1 and piece <= BLOCK else work.read
    absorbed = _absorbed(work, chip, schedule)
    return VectorPlan(
        cores=tiling.cores, tiles=tiles, per_core=ceil(tiles / tiling.cores), sweeps=tiling.sweeps, streams=streams,
        load_bytes=ceil(read / streams / tiles) if streams else 0, store_bytes=ceil(work.written / tiles),
        ops=tuple(_ops(job, tiling, chip)), width=costs.vector_width(job.dtype), buffers=schedule.buffers,
        miss=job.cold, miss_again=_miss_again(job, tiling.cores, chip), absorbed=absorbed,
        conflict=schedule.conflict, meetings=tiling.meetings, piece=0.0 if picks > 1 else piece, pieces=picks,
        reads=work.read * job.cold / max(work.written * (1 - absorbed), 1.0), together=schedule.together,
    )  # fmt: skip


# ---- candidates ------------------------------------------------------------------------------------


def _core_counts(job: Job, chip: Chip, schedule: Schedule) -> tuple[int, ...]:
    """As many cores as the bytes are worth, and fewer: rows of fewer cores may stay in L2 between sweeps."""
    if schedule.cores:
        return (schedule.cores,)
    most = min(chip.vector_cores, max(1, ceil((job.work.read + job.work.written) / GRAIN)), job.elements)
    return tuple(sorted({max(1, most // share) for share in (1, 2, 4)} if job.work.rows else {most}))


def _tilings(job: Job, cores: int, fit: int, schedule: Schedule) -> Iterator[Tiling]:
    """Elements or rows in memory's order: whole rows in UB, and pieces of rows that do not fit or go to several."""
    count, length = job.work.rows or (job.elements, 1)
    fit = schedule.tile or fit
    if length > 1 and length <= fit:
        most = max(1, min(fit // length, ceil(count / min(cores, count))))
        for each in sorted({ceil(most / share) for share in SHARES}, reverse=True):
            if each == most or (not schedule.tile and each * length * job.dtype.itemsize >= GOOD_MOVE):
                tiles = ceil(count / each)
                yield Tiling(min(cores, count, tiles), tiles)
    if length == 1 or length > fit or cores > count:
        split = length > 1 and cores > count
        sweeps = job.work.passes if length > 1 else 1
        tiles, meetings = _even_tiles(job, cores, fit, schedule), max(1, sweeps - 1) if split else 0
        for more in (1,) if schedule.tile else (1, 2, 4):
            yield Tiling(cores, more * tiles, sweeps, meetings)


def _tilings_across(job: Job, cores: int, fit: int, schedule: Schedule) -> Iterator[Tiling]:
    """Rows across memory: bands of neighbouring rows, a core each; a few bands share their rows' length.

    As in the vendor's library, a band is not cut below ``BAND`` bytes to feed more cores.
    """
    count, length = job.work.rows or (job.elements, 1)
    band = min(job.work.run, max(1, fit))
    while True:
        bands, deep = ceil(count / band), max(1, min(length, fit // band))
        for pieces in {min(length, ceil(length / deep) * more) for more in (1, 2, 4, 8, 16, 32)}:
            sweeps = job.work.passes if ceil(length / deep) > 1 else 1
            yield Tiling(min(cores, bands), bands * pieces, sweeps, across=band)
            if bands * FEW <= cores:
                shared = max(pieces, cores // bands)
                meetings = max(1, job.work.passes - 1)
                yield Tiling(min(cores, bands * shared), bands * shared, job.work.passes, meetings, band)
        if band * job.dtype.itemsize < 2 * BAND:
            return
        band = ceil(band / 2)


def _check_tile(schedule: Schedule, fit: int, chip: Chip) -> None:
    if schedule.tile is not None and schedule.tile > fit:
        raise UsageError(f"schedule: a tile of {schedule.tile} elements does not fit UB; at most {fit} do")
    if schedule.cores is not None and not 1 <= schedule.cores <= chip.vector_cores:
        raise UsageError(f"schedule: {schedule.cores} vector cores; {chip.title} has {chip.vector_cores}")


def _live_bytes(job: Job, buffers: int, chip: Chip) -> float:
    """Bytes of UB per element: every stream in its ring, and one temporary when several operations follow.

    Elements picked one by one bring a whole block each.
    """
    blocks = BLOCK * job.elements if _picks(job, chip) and job.work.run * job.dtype.itemsize <= BLOCK else 0
    moved = (max(job.work.read, blocks) + job.work.written) / job.elements
    several = sum(count for _, count in job.work.lanes) > job.elements
    return max(1.0, buffers * moved + several * costs.vector_width(job.dtype))


def _even_tiles(job: Job, cores: int, fit: int, schedule: Schedule) -> int:
    each = ceil(job.elements / cores)
    stream = each * max(job.work.read, job.work.written) / job.elements
    wanted = max(ceil(each / fit), min(4, int(stream // GOOD_MOVE)), 1)
    return cores * (ceil(each / schedule.tile) if schedule.tile else wanted)


# ---- what a tile does ------------------------------------------------------------------------------


def _ops(job: Job, tiling: Tiling, chip: Chip) -> Iterator[VectorOp]:
    """The vector instructions of one tile: as many of a class as its lanes hold the tile's elements."""
    for kind, count in job.work.lanes:
        times = max(1, round(count / job.elements))
        each = ceil(count / times / (tiling.tiles * tiling.sweeps))
        if count and not (kind == "gather" and _picks(job, chip)):
            yield from (_reduction(job, tiling, each, chip) if kind == "reduce" else [VectorOp(kind, each)]) * times


def _reduction(job: Job, tiling: Tiling, elements: int, chip: Chip) -> list[VectorOp]:
    """Making one element of each row: rows across memory are added up one upon the other, each add waiting for the
    last; long rows are folded to one register and that one reduced; short ones are laid side by side.
    """
    _, length = job.work.rows or (1, elements)
    lanes = chip.vector.bytes // costs.vector_width(job.dtype)
    if tiling.across:
        return [VectorOp("simple", tiling.across, max(1, ceil(elements / tiling.across)), chain=True)]
    if length <= SIDE_BY_SIDE:
        return [VectorOp("transpose", elements), VectorOp("simple", ceil(elements / length), length)]
    if length < 2 * lanes:
        return [VectorOp("reduce", ceil(elements / length) * lanes)]
    folds = ceil(log2(length / lanes))
    return [VectorOp("simple", ceil(elements / folds), folds), VectorOp("reduce", ceil(elements / length) * lanes)]


def _picks(job: Job, chip: Chip) -> bool:
    """Whether elements come one run at a time out of a table: it is larger than UB, or the runs fill whole blocks."""
    gathers = job.work.read and not job.work.rows and any(kind == "gather" and count for kind, count in job.work.lanes)
    return bool(gathers) and (job.largest > chip.buf.ub // 2 or job.work.run * job.dtype.itemsize >= BLOCK)


def _piece(job: Job, tiling: Tiling, chip: Chip) -> float:
    """Bytes that lie together in what a tile loads; 0 for all of it."""
    size = job.dtype.itemsize
    if tiling.across:
        return float(tiling.across * size)
    if _picks(job, chip):
        return float(max(BLOCK, job.work.run * size))
    turned = any(kind == "transpose" for kind, _ in job.work.lanes) and not job.work.rows
    return float(max(job.work.run * size, TURNED if turned else 0))


# ---- memory ----------------------------------------------------------------------------------------


def _miss_again(job: Job, cores: int, chip: Chip) -> float:
    """Another sweep finds its rows in L2 when all rows under way fit there."""
    count, _ = job.work.rows or (1, 1)
    return 0.0 if job.work.read * min(1.0, cores / max(count, 1)) <= chip.buf.l2 else 1.0


def _absorbed(work: Work, chip: Chip, schedule: Schedule) -> float:
    """The part of the stores that stays in L2: all when the whole job fits there, what fits with a bypass."""
    if schedule.bypass:
        return costs.absorbed_by_l2(chip, work.written)
    return 1.0 if work.read + work.written <= chip.buf.l2 else 0.0
