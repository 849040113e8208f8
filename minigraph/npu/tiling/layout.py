"""The mapping of one job onto a chip: plain vector or cube work, a MIX kernel of both, or fused attention.

Only the job's work record, dtype and sizes are read, never an operator's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product as cartesian
from math import ceil

from minigraph.core.errors import UsageError
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import DType, float32
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import analytic
from minigraph.npu.tiling.attention import (
    TILE_COLUMNS,
    TILE_ROWS,
    core_counts,
    exchanging,
    result_widths,
    rowwise_product,
    vector_lanes,
    workspace_bytes,
)
from minigraph.npu.tiling.cube_blocks import ACCUMULATOR_BYTES, Partner, Product, fitting_blocks
from minigraph.npu.tiling.cube_tiling import base_notes, cube_notes, cube_plan
from minigraph.npu.tiling.plan import CubePlan, Job, Layout, ScalarPlan, VectorPlan
from minigraph.npu.tiling.schedule import DEFAULT, Schedule
from minigraph.npu.tiling.vector_tiling import vector_notes, vector_plan, vector_plans

MIX_NOTE = "MIX kernel: cube and vector cores exchange results through L2"
NZ_CONVERSION_NOTE = "vector cores convert operands to NZ first: their rows are not aligned to 32 bytes"
MERGED_GROUPS_NOTE = "groups narrower than the cube are merged: {0} times the useful products are computed"
FIXP_EPILOGUE = "FixPipe casts, scales, clamps and adds one row"
NO_PLAN: Sequence[VectorPlan | None] = (None,)
ESTIMATE_NOTE = "estimate only: no instruction model of this operator"


@lru_cache(maxsize=8192)
def layout_of(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> Layout:
    """The plans of a job, none if it has no work; raises ``UsageError`` for a schedule that does not fit."""
    work = job.work
    macs = tuple(m for m in map(_fold_batch, work.macs, (work.read,) * len(work.macs)) if m.total)
    if job.unit == "none" or not (macs or any(count for _, count in work.lanes) or work.read or work.written):
        return Layout(notes=job.notes)
    notes = job.notes + (() if work.exact else (ESTIMATE_NOTE,))
    if job.unit == "scalar" or (schedule.compute == "S" and not macs):
        return Layout(scalar=ScalarPlan(job.elements, work.read, work.written), notes=notes)
    if not macs:
        plan = vector_plan(job, chip, schedule)
        return Layout(vector=plan, notes=notes + vector_notes(job, plan, chip))
    return _cube_layout(job, macs, chip, schedule, notes)


def _cube_layout(job: Job, macs: tuple[Macs, ...], chip: Chip, schedule: Schedule, notes: tuple[str, ...]) -> Layout:
    if chip.family == "coupled" and (schedule.unit_flag or schedule.epilogue == "FIXP"):
        field = "unit_flag" if schedule.unit_flag else "epilogue='FIXP'"
        raise UsageError(f"schedule: {field}: {chip.title} has no FixPipe, its vector units store products; remove it")
    between = rowwise_product(job, macs)
    if between is not None:
        return _attention_layout(job, macs, between, chip, schedule, notes)
    is_free = epilogue_is_free(job.work, macs, job.dtype.itemsize)
    if schedule.epilogue == "FIXP" and not is_free:
        raise UsageError(f"schedule: epilogue='FIXP': {FIXP_EPILOGUE}, and this node does more; use epilogue='V'")
    is_free = is_free and not (schedule.epilogue == "V" and job.work.lanes)
    item = _result_itemsize(job.work, macs) if is_free else _product_dtype(job.dtype).itemsize
    through_l2 = is_free or chip.family == "split"  # else UB of the same core
    after = [] if is_free else vector_plans(_vector_job(job, macs, through_l2), chip, schedule.vector or DEFAULT)
    products = _products(job, macs, item or job.dtype.itemsize, through_l2, chip)
    if after and len(products) == 1:
        partners = tuple(
            Partner(analytic.vector_cycles(plan, chip), plan.per_core, analytic.traffic(plan)) for plan in after
        )
        products = [replace(products[0], partners=partners)]
    layout = _faster_conversion(macs, products, after, chip, schedule)
    mixed = (MIX_NOTE,) if after and through_l2 else ()
    return replace(layout, notes=(*notes, *layout.notes, *mixed))


def _products(job: Job, macs: Sequence[Macs], item: int, stores: bool, chip: Chip) -> list[Product]:
    return [Product(merge_narrow_groups(part, chip), job.dtype, item, job.cold, stores=stores) for part in macs]


def _faster_conversion(
    macs: Sequence[Macs], products: Sequence[Product], after: Sequence[VectorPlan], chip: Chip, schedule: Schedule,
    steps: int = 0,
) -> Layout:  # fmt: skip
    """The fastest layout: MTE2 converts unaligned operands to NZ row by row, or vector cores do so first.

    ``after``: plans for the vector work that follows.
    """
    queues = (schedule.nd2nz,) if schedule.nd2nz else ("MTE2", "V")
    layouts = []
    for queue in queues:
        layout = _cube_plans(macs, products, chip, replace(schedule, nd2nz=queue))
        layouts += [replace(layout, vector=plan, steps=steps) for plan in after or NO_PLAN]
        if not any(plan.penalty_a or plan.penalty_b for plan in layout.cube):
            break
    return min(layouts, key=lambda layout: _cycles_with_synchronisation(layout, chip))


def _cycles_with_synchronisation(layout: Layout, chip: Chip) -> int:
    """Cycles of a layout; vector cores that convert operands first synchronise with the cube, as a MIX kernel does."""
    extra = ceil(chip.task.mix_extra_us * chip.cores.freq_mhz) if all(layout.units) else 0
    return analytic.layout_cycles(layout, chip) + extra


def _cube_plans(macs: Sequence[Macs], products: Sequence[Product], chip: Chip, schedule: Schedule) -> Layout:
    """A plan for each product, conversions of its operands that run before it, and notes."""
    plans, before, notes = [], tuple[VectorPlan, ...](), dict[str, None]()
    for part, product in zip(macs, products, strict=True):
        plan, conversions = _plan_with_conversion(product, chip, _with_block(product, chip, schedule))
        plans.append(replace(plan, macs=part.total))
        before += conversions
        notes |= dict.fromkeys(base_notes(plan, schedule))
        notes |= dict.fromkeys(cube_notes(product, plan, chip) + ((NZ_CONVERSION_NOTE,) if conversions else ()))
        if product.macs.total > part.total:
            notes[MERGED_GROUPS_NOTE.format(product.macs.total // part.total)] = None
    return Layout(cube=tuple(plans), before=before, notes=tuple(notes))


def _plan_with_conversion(product: Product, chip: Chip, schedule: Schedule) -> tuple[CubePlan, tuple[VectorPlan, ...]]:
    """A plan, and if the schedule says so, the conversions of its unaligned operands by vector cores."""
    plan, macs, size = cube_plan(product, chip, schedule), product.macs, product.dtype.itemsize
    unaligned = "a" * bool(plan.penalty_a) + "b" * bool(plan.penalty_b)
    if not unaligned or schedule.nd2nz != "V":
        return plan, ()
    sizes = {"a": macs.b * macs.m * macs.k, "b": macs.b * macs.k * macs.n}
    copies = tuple(
        vector_plan(Job(Work(read=n * size, written=n * size), product.dtype, n, "move", product.cold), chip)
        for n in (sizes[name] for name in unaligned)
    )
    return cube_plan(product, chip, replace(schedule, nz_operands=schedule.nz_operands + unaligned)), copies


def merge_narrow_groups(macs: Macs, chip: Chip) -> Macs:
    """A grouped convolution with groups narrower than the cube merged, as block-diagonal products padded with zeros.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> merge_narrow_groups(Macs(256, 4096, 9, 1, window=9), chip_named("ascend910b1"))[:4]
    (16, 4096, 144, 16)
    """
    if macs.window == 1 or macs.b == 1:
        return macs
    group_width = max(macs.n, macs.k // macs.window)
    merged = min(macs.b, max(1, chip.cube.n // group_width))
    return macs._replace(b=ceil(macs.b / merged), k=macs.k * merged, n=macs.n * merged)


def _with_block(product: Product, chip: Chip, schedule: Schedule) -> Schedule:
    """The schedule with the base block that a product's kernel fixes."""
    fixed = [product.sides] if product.sides and not schedule.base else []
    fitting = fitting_blocks(product, fixed, chip, schedule)
    return replace(schedule, base=fitting[0]) if fitting else schedule


# ---- attention: products with rowwise work between them --------------------------------------------


def _attention_layout(
    job: Job, macs: tuple[Macs, ...], between: Macs, chip: Chip, schedule: Schedule, notes: tuple[str, ...]
) -> Layout:
    """Products and rowwise work in one kernel, as in FlashAttention: a cube core and its vector cores share row tiles.

    Intermediate results stay in L2 on split chips and in the core on coupled ones, never in device memory.
    """
    if (schedule.split_k or 1) > 1 or schedule.epilogue == "FIXP":
        field = "epilogue='FIXP'" if schedule.epilogue else f"split_k={schedule.split_k}"
        reason = "vector cores process rows of complete sums between the products"
        raise UsageError(f"schedule: {field} does not fit attention: {reason}; remove it")
    row_tiles = between.b * ceil(between.m / TILE_ROWS)
    counts = [schedule.grid[0]] if schedule.grid else core_counts(row_tiles, chip)
    widths = result_widths(macs[-1].n, chip)[: 1 if schedule.base else None]
    slots = [schedule] if schedule.buffers else [schedule, replace(schedule, buffers=1)]
    layouts = [
        _attention_on(cores, width, row_tiles, job, macs, between, chip, choice)
        for cores, width, choice in cartesian(counts, widths, slots)
    ]
    layout = min(layouts, key=lambda layout: _cycles_with_synchronisation(layout, chip))
    mixed = (MIX_NOTE,) if chip.family == "split" else ()
    return replace(layout, notes=(*notes, *layout.notes, *mixed))


def _attention_on(
    cores: int, width: int, row_tiles: int, job: Job, macs: tuple[Macs, ...], between: Macs, chip: Chip,
    schedule: Schedule,
) -> Layout:  # fmt: skip
    """The layout on so many cube cores, with blocks of results of so many columns.

    Fewer cores request the same keys less often.
    """
    through_l2 = chip.family == "split"
    vector_schedule = replace(schedule, grid=schedule.grid or (cores, 1), split_k=1)
    products = _products(job, macs, ACCUMULATOR_BYTES, through_l2, chip)
    products = exchanging(products, macs.index(between), cores, width)
    results, size = between.b * between.m * between.n, job.dtype.itemsize
    transferred = results * through_l2
    lanes = vector_lanes(job, macs, results)
    work = replace(job.work, macs=(), lanes=lanes, read=ACCUMULATOR_BYTES * transferred, written=size * transferred)
    inner = replace(job, work=work, dtype=max(job.dtype, float32, key=lambda t: t.itemsize), elements=results, cold=0.0,
                    workspace=workspace_bytes(cores))  # fmt: skip
    vector_cores = cores * chip.vector_cores // chip.cores.aic
    after = replace(schedule.vector or DEFAULT, cores=vector_cores)
    vector = vector_plan(inner, chip, after)
    steps = ceil(row_tiles / cores) * ceil(between.n / TILE_COLUMNS)
    return _faster_conversion(macs, products, [vector], chip, vector_schedule, steps)


# ---- products with an epilogue ---------------------------------------------------------------------


def epilogue_is_free(work: Work, macs: tuple[Macs, ...], itemsize: int) -> bool:
    """Whether FixPipe computes the whole epilogue while it stores the products.

    FixPipe casts, scales and clamps, and the bias table adds one row: any casts and at most two simple operations per
    result, which read no more than two rows besides the operands.
    """
    lanes = dict(work.lanes)
    if not lanes:
        return True
    results = sum(m.b * m.m * m.n for m in macs)
    operands = sum(_operand_bytes(m, itemsize) for m in macs)
    extra_bytes = work.read - operands
    is_light = set(lanes) <= {"simple", "cast"} and lanes.get("simple", 0) <= 2 * results
    row_item = max(itemsize, _result_itemsize(work, macs))  # a scale has the dtype of the result, which int8 has not
    return is_light and extra_bytes <= 2 * max(m.n for m in macs) * row_item


def _operand_bytes(macs: Macs, itemsize: int) -> int:
    image = macs.m * macs.k * macs.stride_y * macs.stride_x // macs.window
    return macs.b * (image + macs.k * macs.n) * itemsize


def _fold_batch(macs: Macs, read: int) -> Macs:
    """A batched product with a shared right operand as one tall product; the bytes read show the sharing."""
    if macs.b > 1 and macs.window == 1 and 0 < read < macs.b * macs.k * macs.n:
        return Macs(1, macs.b * macs.m, macs.k, macs.n)
    return macs


def _result_itemsize(work: Work, macs: tuple[Macs, ...]) -> int:
    return min(8, round(work.written / sum(m.b * m.m * m.n for m in macs)))


def _vector_job(job: Job, macs: tuple[Macs, ...], through_l2: bool) -> Job:
    """The vector work of a MIX kernel: reads the products (from L2 if ``through_l2``) and the other operands."""
    results, dtype = sum(m.b * m.m * m.n for m in macs), _product_dtype(job.dtype)
    product = results * dtype.itemsize if through_l2 else 0
    extra_bytes = max(0, job.work.read - sum(_operand_bytes(m, job.dtype.itemsize) for m in macs))
    work = replace(job.work, macs=(), read=product + extra_bytes)
    elements = job.work.rows[0] * job.work.rows[1] if job.work.rows else results
    cold = job.cold * extra_bytes / max(product + extra_bytes, 1)
    return replace(job, work=work, dtype=dtype, elements=max(elements, 1), cold=cold)


def _product_dtype(dtype: DType) -> DType:
    """The dtype of a product that vector cores read: its operands' dtype, or 4-byte sums of 1-byte operands."""
    return float32 if dtype.itemsize == 1 else dtype
