"""The tiling search for work on the vector cores.

Problem: choose the number of cores, the tiles and the passes over long rows so that a job takes the fewest cycles and
its tiles, all slots of their rings and a temporary fit UB. Method: exhaustive search. The few candidates that the job's
class of work allows are enumerated, and the analytic model picks the fastest. Only the job's work record, dtype and
sizes are read, never an operator's name. The classes of work:

- elementwise work, copies, casts and fused chains of them: tiles as large as UB allows
- reductions, softmax and norms over contiguous rows: whole rows in UB; rows that do not fit are loaded in passes, or
  shared by several cores, which synchronise
- the same over an outer axis (the rows are strided): strips of contiguous inner elements, accumulated row by row
- gathers from a table: one load per contiguous run of a large table, else gather instructions inside UB
- transpositions: strided loads if the last axis stays, else blocks transposed inside UB

Invariants: every tile fits UB, and all tiles together cover the job. Not handled: unequal tiles (all have the mean
size); the event engine is not consulted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log2

from minigraph.core.errors import UsageError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import analytic, costs
from minigraph.npu.tiling.costs import BLOCK_BYTES, EFFICIENT_TRANSFER_BYTES, VectorOp
from minigraph.npu.tiling.plan import Job, VectorPlan
from minigraph.npu.tiling.schedule import DEFAULT, Schedule
from minigraph.npu.tiling.vector_memory import absorbed_share, largest_tile, later_miss, loaded_bytes, table_runs

SURELY_SHARED_BYTES = 65536  # traffic of a core above which more cores certainly pay
MIN_GAIN = 1.01  # more cores are used only if they are faster by this factor
TRANSPOSE_ROW_BYTES = 512  # row of a block that is transposed inside UB
MIN_CORES_PER_STRIP = 8  # vector cores of the chip per strip from which several cores share its rows (row kb47)
MAX_STREAMS = 8  # operands that a tile is assumed to load, at most
TILE_DIVISORS = (1, 2, 4, 8)  # fractions of the largest tile to try: a smaller tile shortens the pipeline fill
IDLE_VECTOR_CORES_NOTE = "at least half of the vector cores are idle: too little work per core"
TABLE_GATHER_NOTE = "gather of single elements from a table larger than UB: one load of 32 bytes each"


@dataclass(frozen=True)
class Tiling:
    """A candidate: active cores, tiles of all cores, passes over each row, synchronisations of all cores.

    ``strip``: for rows over an outer axis, the contiguous inner elements of a tile; 0 for contiguous rows.
    """

    cores: int
    tiles: int
    passes: int = 1
    syncs: int = 0
    strip: int = 0


def vector_plan(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> VectorPlan:
    """The fastest plan by the analytic model; raises ``UsageError`` for a schedule that does not fit."""
    return vector_plans(job, chip, schedule)[0]


def vector_plans(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> list[VectorPlan]:
    """The fastest plan, and the fastest ones with more tiles per core, which a cube's tiles can overlap with better.

    Raises ``UsageError`` for a schedule that does not fit.
    """
    tilings = _strip_tilings if job.work.run and job.work.rows else _tilings
    plans = [
        _plan_of(job, chip, schedule, tiling, buffers)
        for buffers in _buffer_choices(schedule)
        for fit in [_fit(job, chip, schedule, buffers)]
        for cores in _core_counts(job, chip, schedule)
        for tiling in _with_even_cores(tilings(job, chip, cores, fit, schedule), schedule)
    ]
    priced = [(analytic.vector_cycles(plan, chip), plan) for plan in plans]
    counts = sorted({plan.per_core for _, plan in priced})
    best = _best_plan(priced)
    finer = [
        _best_plan([candidate for candidate in priced if candidate[1].per_core == n])
        for n in counts
        if n > best.per_core
    ]
    return [best, *finer]


def _best_plan(priced: list[tuple[int, VectorPlan]]) -> VectorPlan:
    """The fewest cores that are nearly as fast as the fastest plan, with its slots: two if they cost nothing."""
    cycles, fastest = min(priced, key=lambda candidate: (candidate[0], -candidate[1].buffers))
    good = (plan for plan in priced if plan[0] <= MIN_GAIN * cycles and plan[1].buffers == fastest.buffers)
    return min(good, key=lambda candidate: (candidate[1].cores, candidate[0]))[1]


def _buffer_choices(schedule: Schedule) -> tuple[int, ...]:
    """Slots of UB to try: the schedule's, or two and one, as a row or all of a core's work may fit UB with one only."""
    return (schedule.buffers or 2,) if schedule.buffers or schedule.tile else (2, 1)


def _fit(job: Job, chip: Chip, schedule: Schedule, buffers: int) -> int:
    """Elements of the largest tile; raises ``UsageError`` for a schedule that does not fit."""
    fit = largest_tile(job, chip, buffers, 0 if schedule.tile else chip.buf.ub_reserved)
    _check_tile(schedule, fit, chip)
    return fit


def vector_notes(job: Job, plan: VectorPlan, chip: Chip) -> tuple[str, ...]:
    """Notes on a vector plan: idle cores, rows that do not fit UB, gathers of single elements, 8-byte elements."""
    notes = []
    if 2 * plan.cores <= chip.vector_cores:
        notes.append(IDLE_VECTOR_CORES_NOTE)
    if plan.passes > 1:
        notes.append(f"a row does not fit UB: it is loaded in {plan.passes} passes")
    if table_runs(job, chip) and job.work.run * job.dtype.itemsize <= BLOCK_BYTES:
        notes.append(TABLE_GATHER_NOTE)
    if plan.width == 8 and plan.ops:
        notes.append(costs.WIDE_NOTE)
    return tuple(notes)


def _plan_of(job: Job, chip: Chip, schedule: Schedule, tiling: Tiling, buffers: int) -> VectorPlan:
    work, tiles, read = job.work, tiling.tiles, loaded_bytes(job, tiling.cores, chip)
    runs = table_runs(job, chip)
    streams = 1 if runs else min(MAX_STREAMS, ceil(read / (job.elements * job.dtype.itemsize)))
    loads, absorbed = max(1, ceil(runs / tiles)), absorbed_share(job, chip, schedule)
    return VectorPlan(
        cores=tiling.cores, tiles=tiles, per_core=ceil(tiles / tiling.cores), passes=tiling.passes, streams=streams,
        load_bytes=ceil(read / streams / tiles) if streams else 0, store_bytes=ceil(work.written / tiles),
        ops=tuple(_vector_ops(job, tiling, chip)), width=costs.vector_width(job.dtype), buffers=buffers,
        miss=job.cold * min(1.0, work.read / max(read, 1)), later_miss=later_miss(job, tiling.cores, chip),
        absorbed=absorbed, conflict=_has_conflicts(job, schedule), syncs=tiling.syncs,
        contiguous_bytes=0.0 if loads > 1 else _contiguous_bytes(job, tiling, chip), loads_per_stream=loads,
        read_ratio=work.read * job.cold / max(work.written * (1 - absorbed), 1.0),
        shared_loads=schedule.shared_loads and tiling.cores > 1, alternate=schedule.alternate,
    )  # fmt: skip


# ---- candidates ------------------------------------------------------------------------------------


def _core_counts(job: Job, chip: Chip, schedule: Schedule) -> tuple[int, ...]:
    """Cores to try: all, and powers of two below; of much work only all, for rows a half and a quarter of them too.

    The data of rows may stay in L2 between passes if fewer cores work on them, and one core per row shares none.
    """
    if schedule.cores:
        return (schedule.cores,)
    blocks = ceil(job.elements * job.dtype.itemsize / BLOCK_BYTES)  # cores share none
    most, traffic = min(chip.vector_cores, job.elements, blocks), job.work.read + job.work.written
    powers = {1 << i for i in range(most.bit_length()) if (traffic >> i) <= SURELY_SHARED_BYTES}
    of_rows = {max(1, most // 2), max(1, most // 4), min(most, job.work.rows[0])} if job.work.rows else set()
    return tuple(sorted({most} | powers | of_rows))


def _with_even_cores(tilings: Iterator[Tiling], schedule: Schedule) -> Iterator[Tiling]:
    """The tilings, and each on the fewest cores of which the busiest one has no further tile.

    More cores would only share the bandwidth of memory among more.
    """
    for tiling in tilings:
        yield tiling
        even = ceil(tiling.tiles / ceil(tiling.tiles / tiling.cores))
        if even < tiling.cores and not schedule.cores:
            yield replace(tiling, cores=even)


def _tilings(job: Job, _: Chip, cores: int, fit: int, schedule: Schedule) -> Iterator[Tiling]:
    """Tilings of elements or contiguous rows: whole rows in UB, or parts of rows that do not fit or are shared."""
    count, length = job.work.rows or (job.elements, 1)
    fit = schedule.tile or fit
    if length > 1 and length <= fit:
        most = max(1, min(fit // length, ceil(count / min(cores, count))))
        sizes = {most} if schedule.tile else {ceil(most / divisor) for divisor in TILE_DIVISORS}
        if not schedule.tile:
            sizes |= {_even_rows(count, size, cores) for size in sizes}
        for size in sorted(sizes, reverse=True):
            tiles = ceil(count / size)
            yield Tiling(min(cores, count, tiles), tiles)
    if length == 1 or length > fit or cores > count:
        split = length > 1 and cores > count
        passes = job.work.passes if length > 1 else 1
        syncs = max(1, passes - 1) if split else 0
        for tiles in _even_tile_counts(job, cores, fit, schedule):
            yield Tiling(cores, cores * tiles, passes, syncs)


def _even_rows(count: int, most: int, cores: int) -> int:
    """The largest number of rows per tile, at most ``most``, that gives all cores equally many tiles.

    >>> _even_rows(384, 30, 6)
    22
    """
    return ceil(count / (cores * ceil(ceil(count / most) / cores)))


def _strip_tilings(job: Job, chip: Chip, cores: int, fit: int, schedule: Schedule) -> Iterator[Tiling]:
    """Tilings of rows over an outer axis: strips of contiguous inner elements, one core each.

    If there are few strips, several cores share one, each with a part of the row length.
    """
    count, length = job.work.rows or (job.elements, 1)
    fit = schedule.tile or fit
    for strip in _strips(min(job.work.run, max(1, fit)), BLOCK_BYTES // job.dtype.itemsize):
        strips, depth = ceil(count / strip), max(1, min(length, fit // strip))
        fewest = ceil(length / depth)
        powers = [1 << i for i in range(length.bit_length()) if fewest < 1 << i <= 64 * fewest]
        for parts in {fewest, *powers, min(length, 64 * fewest)}:
            passes = job.work.passes if ceil(length / depth) > 1 else 1
            yield Tiling(min(cores, strips), strips * parts, passes, strip=strip)
            if strips * MIN_CORES_PER_STRIP <= chip.vector_cores:
                turns = ceil(strips * max(parts, cores // strips) / cores)  # tiles of each core, as many on all
                shared = max(parts, cores // strips, min(length, turns * cores // strips))
                syncs = max(1, job.work.passes - 1)
                yield Tiling(min(cores, strips * shared), strips * shared, job.work.passes, syncs, strip)


def _strips(widest: int, least: int) -> list[int]:
    """Widths of strips: the widest one, halves of it, and the most equal strips of no less than the least width.

    >>> _strips(3968, 512), _strips(768, 512), _strips(300, 512)
    ([3968, 1984, 992, 567], [768], [300])
    """
    halves = [ceil(widest / 2**i) for i in range(widest.bit_length())]
    narrowest = ceil(widest / max(1, widest // least))
    return [widest, *(width for width in halves[1:] if width > narrowest), *[narrowest] * (narrowest < widest)]


def _check_tile(schedule: Schedule, fit: int, chip: Chip) -> None:
    if schedule.tile is not None and schedule.tile > fit:
        raise UsageError(f"schedule: a tile of {schedule.tile} elements does not fit UB; use at most {fit}")
    if schedule.cores is not None and not 1 <= schedule.cores <= chip.vector_cores:
        raise UsageError(f"schedule: {schedule.cores} vector cores; {chip.title} has {chip.vector_cores}")


def _even_tile_counts(job: Job, cores: int, fit: int, schedule: Schedule) -> list[int]:
    """Tiles of each core to try: the schedule's; or the fewest, and those of a few efficient transfers, and more."""
    elements = ceil(job.elements / cores)
    if schedule.tile:
        return [ceil(elements / schedule.tile)]
    fewest, stream = ceil(elements / fit), elements * max(job.work.read, job.work.written) / job.elements
    efficient = max(fewest, min(4, int(stream // EFFICIENT_TRANSFER_BYTES)), 1)
    return sorted({fewest, min(2 * fewest, efficient), efficient, 2 * efficient, 4 * efficient})


# ---- the instructions of a tile --------------------------------------------------------------------


def _vector_ops(job: Job, tiling: Tiling, chip: Chip) -> Iterator[VectorOp]:
    """The vector instructions of one tile, as many per class as the job's lanes per element."""
    for kind, count in job.work.lanes:
        times = max(1, round(count / job.elements))
        elements = ceil(count / times / (tiling.tiles * tiling.passes))
        if count and not (kind == "gather" and table_runs(job, chip)):
            yield from (
                _reduction_ops(job, tiling, elements, chip) if kind == "reduce" else [VectorOp(kind, elements)]
            ) * times


def _reduction_ops(job: Job, tiling: Tiling, elements: int, chip: Chip) -> list[VectorOp]:
    """The instructions that reduce each row to one element.

    Strided rows are accumulated by a chain of dependent adds. Long rows are halved down to one register, which is
    reduced; short rows are transposed and added element by element, if that is faster.
    """
    _, length = job.work.rows or (1, elements)
    lanes = chip.vector.bytes // costs.vector_width(job.dtype)
    if tiling.strip:
        return [VectorOp("simple", tiling.strip, max(1, ceil(elements / tiling.strip)), chain=True)]
    rows = VectorOp("reduce", ceil(elements / length) * lanes)
    if length >= 2 * lanes:
        halvings = ceil(log2(length / lanes))
        return [VectorOp("simple", ceil(elements / halvings), halvings), rows]
    transposed = [VectorOp("transpose", elements), VectorOp("simple", ceil(elements / length), length)]
    width = costs.vector_width(job.dtype)
    return min([rows], transposed, key=lambda ops: sum(costs.vector_op(chip, op, width) for op in ops))


def _contiguous_bytes(job: Job, tiling: Tiling, chip: Chip) -> float:
    """Contiguous bytes per row of a tile's loads; 0 if a load is contiguous throughout."""
    size = job.dtype.itemsize
    if tiling.strip:
        return float(tiling.strip * size)
    if table_runs(job, chip):
        return float(max(BLOCK_BYTES, job.work.run * size))
    transposes = any(kind == "transpose" for kind, _ in job.work.lanes) and not job.work.rows
    return float(max(job.work.run * size, TRANSPOSE_ROW_BYTES if transposes else 0))


def _has_conflicts(job: Job, schedule: Schedule) -> bool:
    """Whether both sources of an instruction lie in one bank group of UB.

    Buffers of a whole number of rows of all bank groups, one after another, all begin in the first group. The tiles
    that no schedule fixes are those of the vendor's library, which places its buffers apart.
    """
    is_whole = schedule.tile is not None and schedule.tile * job.dtype.itemsize % costs.BANK_ROW_BYTES == 0
    return schedule.bank_conflicts or (job.reads_pairs and is_whole)
