"""Laying a matrix product out over the cube cores: blocks that fit the buffers, a grid of cores, a split of k.

Candidates are tried in the order of a lower bound; the closed form prices them until no bound is below the best.
A mapping that leaves the cube idle is refused when it was asked for, and noted when the shape forces it.
"""

from __future__ import annotations

from math import ceil

from minigraph.core.errors import UsageError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs, cube_analytic
from minigraph.npu.tiling.cube_candidates import (
    ACCUMULATOR,
    Candidate,
    Product,
    Shape,
    candidates,
    image_of,
    result_item,
    spans_of,
    way_out,
)
from minigraph.npu.tiling.plan import DEFAULT, CubePlan, Schedule

PATIENCE = 20  # candidates in a row that bring nothing before the search ends
FEW_CUBE_CORES = "at least half of the cube cores have nothing to do: no tile for them"
ODD_ROWS = "rows of an operand start at addresses not divisible by 32: they become NZ one by one"


def cube_plan(product: Product, chip: Chip, schedule: Schedule = DEFAULT) -> CubePlan:
    """The cheapest plan; raises ``UsageError`` for a schedule or buffers that do not fit, or that idle the cube."""
    _check(product, chip, schedule)
    best: tuple[float, float, CubePlan] | None = None
    tried = 0
    for candidate in sorted(candidates(product, chip, schedule)):
        if best is not None and (candidate.bound >= best[0] or tried == PATIENCE):
            break
        plan = _laid_out(product, candidate, chip, schedule)
        price = cube_analytic.cube_cycles(plan, chip), device_bytes(plan)
        tried += 1
        if best is None or price < best[:2]:
            best, tried = (*price, plan), 0
    if best is None:
        raise UsageError(_misfit(product, chip, schedule))
    return best[2]


def _misfit(product: Product, chip: Chip, schedule: Schedule) -> str:
    """What is too small when no layout fits: L1 for the loads that were asked for, or a buffer of the chip."""
    if schedule.base:
        bm, bn, bk = schedule.base
        need = schedule.buffers * (schedule.step_k or 1) * (bm + bn) * bk * product.dtype.itemsize
        what = f"base {schedule.base} with {schedule.step_k or 1} per load, {schedule.buffers} times"
        return f"schedule: {what}, needs {need} bytes of L1, which has {chip.buf.l1}; load fewer"
    if schedule.step_k:
        return f"schedule: {schedule.step_k} blocks per load do not fit L1 of {chip.title}; load fewer"
    buffers = ("l0a", "l0b", "l0c", "l1") + ("ub",) * (chip.family == "coupled")
    sizes = ", ".join(f"buf.{name} {getattr(chip.buf, name):,}" for name in buffers)
    what = f"no tile of a {product.dtype} product fits the buffers of {chip.title}"
    return f"simulator: {what} ({sizes} bytes); give it larger ones"


def device_bytes(plan: CubePlan) -> float:
    """Bytes the plan's loads take from device memory."""
    a, b = cube_analytic.operand_bytes(plan, plan.blocks)
    often_a, often_b = (1 / plan.run if plan.resident == name else 1.0 for name in "ab")
    return plan.tiles * (a * plan.miss_a * often_a + b * plan.miss_b * often_b)


def cube_notes(product: Product, plan: CubePlan, chip: Chip) -> tuple[str, ...]:
    """What stays idle, in words: lanes of the cube that multiply padding, cores without a tile."""
    k0 = costs.cube_rate(chip, product.dtype).k0
    sides = (("m", product.macs.m, chip.cube.m), ("k", product.macs.k, k0), ("n", product.macs.n, chip.cube.n))
    notes = [
        f"{100 * size / (ceil(size / unit) * unit):.0f} % of the cube works along {name}: {size} padded to "
        f"{ceil(size / unit) * unit}"
        for name, size, unit in sides
        if 2 * size <= ceil(size / unit) * unit
    ]
    if 2 * plan.cores <= chip.cores.aic:
        notes.append(FEW_CUBE_CORES)
    if plan.drag_a or plan.drag_b:
        notes.append(ODD_ROWS)
    if costs.cube_rate(chip, product.dtype).products > 1:
        notes.append(costs.EMULATED)
    elif product.dtype.itemsize == 8 or (product.dtype.kind != "f" and product.dtype.itemsize > 1):
        notes.append(costs.CUBE_AS_FLOAT.format(product.dtype.name))
    return tuple(notes)


# ---- schedules that were asked for -----------------------------------------------------------------


def _check(product: Product, chip: Chip, schedule: Schedule) -> None:
    if schedule.base is not None:
        _check_base(schedule.base, product, chip, schedule)
    if schedule.grid is not None and not 1 <= schedule.grid[0] * schedule.grid[1] <= chip.cores.aic:
        raise UsageError(f"schedule: a grid of {schedule.grid} needs more than the {chip.cores.aic} cube cores")


def _check_base(base: tuple[int, int, int], product: Product, chip: Chip, schedule: Schedule) -> None:
    (bm, bn, bk), k0 = base, costs.cube_rate(chip, product.dtype).k0
    if bm < chip.cube.m or bn < chip.cube.n or bk < k0:
        use = min(1.0, bm / chip.cube.m) * min(1.0, bn / chip.cube.n)
        raise UsageError(
            f"schedule: base {base} leaves the cube idle ({100 * use:.1f} % of its rows and columns); "
            f"use at least {chip.cube.m} x {chip.cube.n} x {k0}"
        )
    size = product.dtype.itemsize
    for name, need, have in (
        ("L0A", 2 * bm * bk * size, chip.buf.l0a),
        ("L0B", 2 * bk * bn * size, chip.buf.l0b),
        ("L0C", bm * bn * ACCUMULATOR, chip.buf.l0c),
        ("UB", bm * bn * result_item(product), way_out(chip)),
    ):
        if need > have:
            raise UsageError(f"schedule: base {base} needs {need} bytes of {name}, which has {have}")


# ---- plans -----------------------------------------------------------------------------------------


def _laid_out(product: Product, candidate: Candidate, chip: Chip, schedule: Schedule) -> CubePlan:
    macs, size, shape = product.macs, product.dtype.itemsize, candidate.shape
    resident, step = candidate.resident, candidate.step_k
    miss_a, miss_b = _misses(product, shape, resident, chip)
    item = ACCUMULATOR if shape.split_k > 1 else product.store_item
    written = macs.b * macs.m * macs.n * shape.split_k * item
    absorbed = costs.absorbed_by_l2(chip, written)
    read = product.cold * (macs.m * macs.k * image_of(macs, shape) + macs.k * macs.n) * macs.b * size
    rows, columns, (gm, gn) = shape.rows, shape.columns, shape.grid
    drag_a, drag_b = _drags(product, shape, step, chip, schedule)
    return CubePlan(
        dtype=product.dtype, bm=shape.bm, bn=shape.bn, bk=shape.bk, m=shape.m, n=shape.n, k=shape.k,
        blocks=shape.blocks, step_k=step,
        split_k=shape.split_k, cores=min(gm, rows) * min(gn, columns), tiles=rows * columns, per_core=shape.per_core,
        window=macs.window, stride=macs.across, image=image_of(macs, shape), spans=spans_of(macs, shape),
        miss_a=miss_a, miss_b=miss_b, turned_a=macs.window == 1 and "a" not in schedule.ready,
        turned_b=macs.window == 1 and "b" not in schedule.ready, drag_a=drag_a, drag_b=drag_b, resident=resident,
        run=shape.run(resident), store_item=item, absorbed=absorbed, reads=read / max(written * (1 - absorbed), 1.0),
        buffers=schedule.buffers, l0c_slots=shape.l0c_slots, macs=macs.total,
        together=schedule.together,
    )  # fmt: skip


def _drags(product: Product, shape: Shape, step: int, chip: Chip, schedule: Schedule) -> tuple[float, float]:
    """Cycles per byte lost by rows of plain operands that start at odd addresses."""
    macs, size = product.macs, product.dtype.itemsize
    if macs.window > 1:
        return 0.0, 0.0
    rows = (("a", min(macs.k, shape.k * step) * size, macs.k), ("b", shape.n * size, macs.n))
    drag_a, drag_b = (
        0.0 if name in schedule.ready else costs.drag_of_odd_rows(chip, row, length * size)
        for name, row, length in rows
    )
    return drag_a, drag_b


def _misses(product: Product, shape: Shape, resident: str, chip: Chip) -> tuple[float, float]:
    """The part of each operand's loads that comes from device memory.

    The first touch misses as far as the operand is cold. An operand is read again once per row (or column)
    of tiles; the second read hits when no more than L2 holds was touched in between. The cheaper of both
    loop orders is taken: the inner operand is swept whole between two uses of the outer one's tile.
    """
    macs, size, (gm, gn) = product.macs, product.dtype.itemsize, shape.grid
    image = image_of(macs, shape)
    a, b = macs.m * macs.k * size * image, macs.k * macs.n * size
    wave_a, wave_b = gm * shape.m * macs.k * size * image, gn * shape.n * macs.k * size
    again_a = 1 if a + wave_b <= chip.buf.l2 else ceil(shape.along[1] / gn)
    again_b = 1 if b + wave_a <= chip.buf.l2 else ceil(shape.along[0] / gm)
    reads_a, reads_b = min([(1, again_b), (again_a, 1)], key=lambda reads: a * reads[0] + b * reads[1])
    loads_a, loads_b = (
        ceil(tiles / shape.run(name)) if name == resident else tiles
        for name, tiles in zip("ab", reversed(shape.along), strict=True)
    )
    first = product.cold
    return min(1.0, (first + reads_a - 1) / loads_a), min(1.0, (first + reads_b - 1) / loads_b)
