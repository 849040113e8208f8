"""Laying one job out over a chip: which cores, which tiles, what stays resident.

Only the job's work record, dtype and size are looked at; which operator it came from is not known here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import ceil

from minigraph.core.fields import Macs, Work
from minigraph.core.types import DType, float32
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import analytic, cube_analytic
from minigraph.npu.tiling.cube_candidates import ACCUMULATOR, Product
from minigraph.npu.tiling.cube_tiling import cube_notes, cube_plan
from minigraph.npu.tiling.plan import DEFAULT, CubePlan, Job, Layout, ScalarPlan, Schedule, VectorPlan
from minigraph.npu.tiling.vector_tiling import vector_notes, vector_plan

MIXED = "cube and vector cores work together and meet in L2 (MIX)"
PREPARED = "vector cores turn operands into NZ first: their rows start at addresses not divisible by 32"
ZEROS = "groups narrower than the cube are taken together: {0} products for each that is wanted"
BAND_ROWS = 128  # rows of scores that a core works on at a time, as attention kernels do
ESTIMATE = "estimate only: no instruction model of this operator"


@lru_cache(maxsize=8192)
def layout_of(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> Layout:
    """The plans of a job; empty when there is nothing to do. Raises ``UsageError`` for an impossible schedule."""
    work = job.work
    macs = tuple(m for m in map(_fold_batch, work.macs, (work.read,) * len(work.macs)) if m.total)
    if job.unit == "none" or not (macs or any(count for _, count in work.lanes) or work.read or work.written):
        return Layout(notes=job.notes)
    notes = job.notes + (() if work.exact else (ESTIMATE,))
    if job.unit == "scalar":
        return Layout(scalar=ScalarPlan(job.elements, work.read, work.written), notes=notes)
    if not macs:
        plan = vector_plan(job, chip, schedule)
        return Layout(vector=plan, notes=notes + vector_notes(job, plan, chip))
    return _cube_layout(job, macs, chip, schedule, notes)


def _cube_layout(job: Job, macs: tuple[Macs, ...], chip: Chip, schedule: Schedule, notes: tuple[str, ...]) -> Layout:
    between = _rowwise_product(job, macs)
    if between is not None:
        return _attention_layout(job, macs, between, chip, schedule, notes)
    is_free = epilogue_is_free(job.work, macs, job.dtype.itemsize)
    item = _result_itemsize(job.work, macs) if is_free else _product_dtype(job.dtype).itemsize
    through_l2 = is_free or chip.family == "split"  # cube and vector units meet in L2, not in one core's UB
    found = _cube_plans(job, macs, item or job.dtype.itemsize, through_l2, chip, schedule)
    if is_free:
        return replace(found, notes=notes + found.notes)
    vector = vector_plan(_vector_half(job, macs, through_l2), chip, schedule.after or DEFAULT)
    return replace(found, vector=vector, notes=(*notes, *found.notes, *([MIXED] if through_l2 else [])))


def _cube_plans(
    job: Job, macs: tuple[Macs, ...], item: int, through_l2: bool, chip: Chip, schedule: Schedule
) -> Layout:
    """A plan for each product, what has to be done before, and what a reader should know of them."""
    plans, before, notes = [], tuple[VectorPlan, ...](), dict[str, None]()
    for one in macs:
        grouped = merge_narrow_groups(one, chip)
        product = Product(grouped, job.dtype, item, job.cold)
        plan, first = _converted_if_cheaper(product, chip, schedule)
        plans.append(replace(plan, stores=through_l2, macs=one.total))
        before += first
        notes |= dict.fromkeys(cube_notes(product, plan, chip) + ((PREPARED,) if first else ()))
        if grouped.total > one.total:
            notes[ZEROS.format(grouped.total // one.total)] = None
    return Layout(cube=tuple(plans), before=before, notes=tuple(notes))


def _converted_if_cheaper(product: Product, chip: Chip, schedule: Schedule) -> tuple[CubePlan, tuple[VectorPlan, ...]]:
    """The plan of a product; operands with unaligned rows are converted to NZ by vector cores first where that pays."""
    plan, macs, size = cube_plan(product, chip, schedule), product.macs, product.dtype.itemsize
    unaligned = "a" * bool(plan.drag_a) + "b" * bool(plan.drag_b)
    if not unaligned or not schedule.prepare:
        return plan, ()
    other = cube_plan(product, chip, replace(schedule, ready=schedule.ready + unaligned))
    sizes = {"a": macs.b * macs.m * macs.k, "b": macs.b * macs.k * macs.n}
    copies = tuple(
        vector_plan(Job(Work(read=n * size, written=n * size), product.dtype, n, "move", product.cold), chip)
        for n in (sizes[name] for name in unaligned)
    )
    conversion_cycles = sum(analytic.vector_cycles(copy, chip) for copy in copies) + chip.sync.xcore
    conversion_cycles += ceil(chip.task.mix_extra_us * chip.cores.freq_mhz)
    cheaper = conversion_cycles + cube_analytic.cube_cycles(other, chip) < cube_analytic.cube_cycles(plan, chip)
    return (other, copies) if cheaper else (plan, ())


def merge_narrow_groups(macs: Macs, chip: Chip) -> Macs:
    """Groups of a convolution that are narrower than the cube, several of them as one with zeros between.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> merge_narrow_groups(Macs(256, 4096, 9, 1, window=9), chip_named("ascend910b1"))[:4]
    (16, 4096, 144, 16)
    """
    if macs.window == 1 or macs.b == 1:
        return macs
    wide = max(macs.n, macs.k // macs.window)
    many = min(macs.b, max(1, chip.cube.n // wide))
    return macs._replace(b=ceil(macs.b / many), k=macs.k * many, n=macs.n * many)


# ---- products with rowwise work between them, as in attention -------------------------------------


def _rowwise_product(job: Job, macs: tuple[Macs, ...]) -> Macs | None:
    """The product whose rows are reduced (a softmax) before the next product reads them."""
    if len(macs) < 2 or not job.work.rows:
        return None
    rows = job.work.rows[0] * job.work.rows[1]
    return next((m for m in macs[:-1] if m.b * m.m * m.n == rows), None)


def _attention_layout(
    job: Job, macs: tuple[Macs, ...], between: Macs, chip: Chip, schedule: Schedule, notes: tuple[str, ...]
) -> Layout:
    """Products and rowwise work in one kernel: a cube core and its vector cores work on a band of rows from end to end.

    Intermediate results go through L2 on chips whose cores are split, and never to device memory.
    """
    bands = between.b * ceil(between.m / BAND_ROWS)
    cores = min(chip.cores.aic, bands)
    through_l2 = chip.family == "split"
    own = replace(schedule, grid=schedule.grid or (cores, 1), split_k=1)
    found = _cube_plans(job, macs, job.dtype.itemsize, through_l2, chip, own)
    results, size = between.b * between.m * between.n, job.dtype.itemsize
    work = replace(job.work, macs=(), read=ACCUMULATOR * results * through_l2, written=size * results * through_l2)
    inner = replace(job, work=work, dtype=max(job.dtype, float32, key=lambda t: t.itemsize), elements=results, cold=0.0)
    vectors = cores * chip.vector_cores // chip.cores.aic
    vector = vector_plan(inner, chip, Schedule(cores=vectors, bypass=True))  # a core's own place in L2, used again
    mixed = (MIXED,) if through_l2 else ()
    return replace(found, vector=vector, notes=(*notes, *found.notes, *mixed), steps=found.cube[0].per_core)


# ---- products with other work behind them ----------------------------------------------------------


def epilogue_is_free(work: Work, macs: tuple[Macs, ...], itemsize: int) -> bool:
    """Whether the epilogue costs nothing: all that follows the products happens in the pipe out of the cube.

    The pipe out of L0C casts, scales and clamps, and the bias table adds one row: that is any cast and at
    most two simple operations per result, with no more than rows read beside the operands.
    """
    lanes = dict(work.lanes)
    if not lanes:
        return True
    results = sum(m.b * m.m * m.n for m in macs)
    operands = sum(_operand_bytes(m, itemsize) for m in macs)
    beside = work.read - operands
    only = set(lanes) <= {"simple", "cast"}
    return only and lanes.get("simple", 0) <= 2 * results and beside <= 2 * max(m.n for m in macs) * itemsize


def _operand_bytes(macs: Macs, itemsize: int) -> int:
    image = macs.m * macs.k * macs.down * macs.across // macs.window
    return macs.b * (image + macs.k * macs.n) * itemsize


def _fold_batch(macs: Macs, read: int) -> Macs:
    """A batch that shares its right operand is one tall product; the bytes read tell."""
    if macs.b > 1 and macs.window == 1 and 0 < read < macs.b * macs.k * macs.n:
        return Macs(1, macs.b * macs.m, macs.k, macs.n)
    return macs


def _result_itemsize(work: Work, macs: tuple[Macs, ...]) -> int:
    return min(8, round(work.written / sum(m.b * m.m * m.n for m in macs)))


def _vector_half(job: Job, macs: tuple[Macs, ...], through_l2: bool) -> Job:
    """The vector half of a mixed node: reads the product (from L2 if ``through_l2``) and the node's other operands."""
    results, dtype = sum(m.b * m.m * m.n for m in macs), _product_dtype(job.dtype)
    product = results * dtype.itemsize if through_l2 else 0
    beside = max(0, job.work.read - sum(_operand_bytes(m, job.dtype.itemsize) for m in macs))
    work = replace(job.work, macs=(), read=product + beside)
    elements = job.work.rows[0] * job.work.rows[1] if job.work.rows else results
    cold = job.cold * beside / max(product + beside, 1)
    return replace(job, work=work, dtype=dtype, elements=max(elements, 1), cold=cold)


def _product_dtype(dtype: DType) -> DType:
    """The dtype of a product that vector cores read: its operands', but 4-byte sums of one-byte operands."""
    return float32 if dtype.itemsize == 1 else dtype
