"""The tiling search for matrix products on the cube cores.

Problem: choose base block, core grid, split of k, k blocks per load and the operand resident in L1 so that a product
takes the fewest cycles and every tile fits L0A, L0B, L0C and L1, and UB on coupled chips. This is the cache blocking of
Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (ACM TOMS 34, 2008), with explicit buffers.

Method: best-first search with a lower bound, as in branch and bound (Land and Doig, 1960), over an enumerated space.
``cube_candidates`` lists the tilings with a lower bound on the cycles of each. They are visited by ascending bound,
and the analytic model (``cube_analytic``) gives their cycles. The search stops when the next bound is not below the
best cycles. Ties go to less memory traffic.

Invariants: the result fits every buffer; a bound never exceeds the analytic cycles; equal arguments give equal plans.

Not handled: tiles of a plan are all alike. The event engine is not consulted. L2 residency between tiles is estimated
for two loop orders, of which the better one counts. A schedule that leaves the cube idle is an error; a product's shape
that does is noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from minigraph.core.errors import UsageError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs, cube_analytic
from minigraph.npu.tiling.cube_blocks import (
    ACCUMULATOR_BYTES,
    Block,
    Partner,
    Product,
    l0c_bytes,
    max_result_bytes,
    store_capacity,
)
from minigraph.npu.tiling.cube_candidates import Candidate, Shape, candidates, image_ratio, output_rows
from minigraph.npu.tiling.cube_counts import round_up
from minigraph.npu.tiling.cube_parts import cube_traffic
from minigraph.npu.tiling.plan import CubePlan
from minigraph.npu.tiling.schedule import DEFAULT, Schedule

IDLE_CUBE_CORES_NOTE = "at least half of the cube cores are idle: too few tiles"
UNALIGNED_ROWS_NOTE = "operand rows are not aligned to 32 bytes: MTE2 converts them to NZ row by row"


def cube_plan(product: Product, chip: Chip, schedule: Schedule = DEFAULT) -> CubePlan:
    """The fastest plan found; raises ``UsageError`` for a schedule or buffers that do not fit, or an idle cube."""
    _check_schedule(product, chip, schedule)
    best: tuple[float, float, CubePlan] | None = None
    for candidate in sorted(candidates(product, chip, schedule)):
        if best is not None and candidate.bound >= best[0]:
            break
        plan = _plan_of(product, candidate, chip, schedule)
        estimate = _cycles_with_partner(plan, chip, product.partners), cube_traffic(plan)[0]
        if best is None or estimate < best[:2]:
            best = (*estimate, plan)
    if best is None:
        raise UsageError(_no_fit_message(product, chip, schedule))
    return best[2]


def _cycles_with_partner(plan: CubePlan, chip: Chip, partners: Sequence[Partner]) -> int:
    """Cycles of a plan and of the vector work that follows tile by tile, by the best of its plans."""
    cube, (device, through_l2) = cube_analytic.cube_cycles(plan, chip), cube_traffic(plan)
    cycles = [
        cube_analytic.pipelined_cycles(
            cube, vector, min(plan.per_core, tiles), (device + more_device, through_l2 + more_l2), chip
        )
        for vector, tiles, (more_device, more_l2) in partners
    ]
    return min(cycles, default=cube)


def _no_fit_message(product: Product, chip: Chip, schedule: Schedule) -> str:
    """The error text when no tiling fits: L1 is too small for the schedule's loads, or a buffer for any tile."""
    if schedule.base:
        bm, bn, bk = schedule.base
        slots = schedule.buffers or (2 if schedule.step_k else 1)
        need = slots * (schedule.step_k or 1) * (bm + bn) * bk * product.dtype.itemsize
        layout = f"base {schedule.base} with step_k {schedule.step_k or 1} and {slots} buffers"
        return f"schedule: {layout} needs {need} bytes of L1, which has {chip.buf.l1}; reduce step_k"
    if schedule.step_k:
        return f"schedule: step_k {schedule.step_k} does not fit L1 of {chip.title}; reduce it"
    buffers = ("l0a", "l0b", "l0c", "l1") + ("ub",) * (chip.family == "coupled")
    sizes = ", ".join(f"buf.{name} {getattr(chip.buf, name):,}" for name in buffers)
    layout = f"no tile of a {product.dtype} product fits the buffers of {chip.title}"
    return f"simulator: {layout} ({sizes} bytes); use a chip with larger buffers"


def cube_notes(product: Product, plan: CubePlan, chip: Chip) -> tuple[str, ...]:
    """Notes on idle resources: cube lanes that multiply padding, cores without a tile; and on emulated dtypes."""
    k0 = costs.cube_rate(chip, product.dtype).k0
    sides = (("m", product.macs.m, chip.cube.m), ("k", product.macs.k, k0), ("n", product.macs.n, chip.cube.n))
    notes = [
        f"cube utilisation along {name} is {100 * size / (ceil(size / unit) * unit):.0f} %: {size} is padded to "
        f"{ceil(size / unit) * unit}"
        for name, size, unit in sides
        if 2 * size <= ceil(size / unit) * unit
    ]
    if 2 * plan.cores <= chip.cores.aic:
        notes.append(IDLE_CUBE_CORES_NOTE)
    if plan.penalty_a or plan.penalty_b:
        notes.append(UNALIGNED_ROWS_NOTE)
    if costs.cube_rate(chip, product.dtype).products > 1:
        notes.append(costs.EMULATED_NOTE)
    elif product.dtype.itemsize == 8 or (product.dtype.kind != "f" and product.dtype.itemsize > 1):
        notes.append(costs.CUBE_AS_FLOAT_NOTE.format(product.dtype.name))
    return tuple(notes)


def base_notes(plan: CubePlan, schedule: Schedule) -> tuple[str, ...]:
    """A note if a plan's base block is not the schedule's: tiles divide each side of a core's share evenly."""
    blocks = plan.bm, plan.bn, plan.bk
    if schedule.base is None or blocks == schedule.base:
        return ()
    sides = " and ".join(
        name for name, wanted, used in zip("mnk", schedule.base, blocks, strict=True) if wanted != used
    )
    stated, used = (", ".join(map(str, block)) for block in (schedule.base, blocks))
    return (f"base block of {stated} (m, n, k) runs as {used}: the even split of {sides} into tiles",)


# ---- checks of the caller's schedule ---------------------------------------------------------------


def _check_schedule(product: Product, chip: Chip, schedule: Schedule) -> None:
    if schedule.base is not None:
        _check_base(schedule.base, product, chip, schedule)
    if schedule.grid is not None and not 1 <= schedule.grid[0] * schedule.grid[1] <= chip.cores.aic:
        raise UsageError(f"schedule: a grid of {schedule.grid} needs more than the {chip.cores.aic} cube cores")


def _check_base(base: tuple[int, int, int], product: Product, chip: Chip, schedule: Schedule) -> None:
    (bm, bn, bk), k0 = base, costs.cube_rate(chip, product.dtype).k0
    if bm < chip.cube.m or bn < chip.cube.n or bk < k0:
        use = min(1.0, bm / chip.cube.m) * min(1.0, bn / chip.cube.n)
        raise UsageError(
            f"schedule: base {base} leaves the cube idle ({100 * use:.1f} % of its rows and columns are used); "
            f"use at least {chip.cube.m} x {chip.cube.n} x {k0}"
        )
    if schedule.tile_counts:
        _check_tile_counts(schedule.tile_counts, base, product, chip)
    size, (bm, bn, bk) = product.dtype.itemsize, _padded(base, k0, chip)
    for name, need, have in (
        ("L0A", schedule.l0_buffers * bm * bk * size, chip.buf.l0a),
        ("L0B", schedule.l0_buffers * bk * bn * size, chip.buf.l0b),
        ("L0C", l0c_bytes(bm, bn, schedule), chip.buf.l0c),
        ("UB", bm * bn * max_result_bytes(product), store_capacity(chip)),
    ):
        if need > have:
            raise UsageError(f"schedule: base {base} needs {need} bytes of {name}, which has {have}")


def _check_tile_counts(counts: tuple[int, int], base: tuple[int, int, int], product: Product, chip: Chip) -> None:
    sizes, cubes = (product.macs.m, product.macs.n), (chip.cube.m, chip.cube.n)
    for axis, count, size, side, cube in zip("mn", counts, sizes, base[:2], cubes, strict=True):
        fewest, most = ceil(size / side), ceil(size / cube)
        if not fewest <= count <= most:
            raise UsageError(
                f"schedule: tile_counts {counts} has {count} along {axis}; {size} elements in blocks of {side} take "
                f"{fewest} to {most}"
            )


def _padded(block: Block, k0: int, chip: Chip) -> Block:
    """A block of whole cubes, as buffers hold it."""
    m, n, k = block
    return round_up(m, chip.cube.m), round_up(n, chip.cube.n), round_up(k, k0)


# ---- plans -----------------------------------------------------------------------------------------


def _plan_of(product: Product, candidate: Candidate, chip: Chip, schedule: Schedule) -> CubePlan:
    macs, shape = product.macs, candidate.shape
    resident, step = candidate.resident, candidate.step_k
    order = schedule.order or _better_order(product, shape, chip)
    miss_a, miss_b, wait_a, wait_b = _miss_rates(product, shape, resident, order, chip)
    item = ACCUMULATOR_BYTES if shape.split_k > 1 else product.store_item
    written = macs.b * macs.m * macs.n * shape.split_k * item
    absorbed = costs.absorbed_by_l2(chip, product.workspace or written)
    a, b = _operand_bytes(product, shape)
    read = macs.b * (product.cold_share("a") * a + product.cold_share("b") * b)
    rows, columns, (gm, gn) = shape.rows, shape.columns, shape.grid
    penalty_a, penalty_b = _row_penalties(product, shape, step, chip, schedule)
    cores = min(gm, rows) * min(gn, columns)
    return CubePlan(
        dtype=product.dtype, bm=shape.bm, bn=shape.bn, bk=shape.bk, m=shape.m, n=shape.n, k=shape.k,
        blocks=shape.blocks, step_k=step, split_k=shape.split_k, cores=cores, tile_counts=shape.tiles_mn,
        tiles=rows * columns, per_core=shape.per_core, window=macs.window, stride=macs.stride_x,
        image_ratio=image_ratio(macs, shape), output_rows=output_rows(macs, shape), miss_a=miss_a, miss_b=miss_b,
        wait_a=wait_a, wait_b=wait_b,
        nd2nz_a=not product.is_convolution and "a" not in schedule.nz_operands,
        nd2nz_b=not product.is_convolution and "b" not in schedule.nz_operands,
        penalty_a=penalty_a, penalty_b=penalty_b, resident=resident, reuse=shape.reuse(resident),
        order=order, grid=shape.grid, store_item=item, absorbed=absorbed,
        read_ratio=read / max(written * (1 - absorbed), 1.0), buffers=candidate.buffers,
        l0_slots=schedule.l0_buffers, l0c_slots=shape.l0c_slots, macs=macs.total,
        shared_loads=schedule.shared_loads and cores > 1, sharers_b=product.sharers_b, stores=product.stores,
    )  # fmt: skip


def _row_penalties(product: Product, shape: Shape, step: int, chip: Chip, schedule: Schedule) -> tuple[float, float]:
    """Cycles per byte that unaligned rows of ND operands lose."""
    macs, size = product.macs, product.dtype.itemsize
    if product.is_convolution:
        return 0.0, 0.0
    rows = (("a", min(macs.k, shape.k * step) * size, macs.k), ("b", shape.n * size, macs.n))
    penalty_a, penalty_b = (
        0.0 if name in schedule.nz_operands + product.aligned else costs.misalignment_penalty(chip, row, length * size)
        for name, row, length in rows
    )
    return penalty_a, penalty_b


def _reads(product: Product, shape: Shape, order: str, chip: Chip) -> tuple[int, int]:
    """How often both operands are read from device memory.

    Each row (or column) of tiles reads the other operand again, which hits if the reuse distance, the bytes touched in
    between, fits L2. The inner operand of the loop order is read whole between two uses of a tile of the outer one.
    """
    (a, b), (gm, gn) = _operand_bytes(product, shape), shape.grid
    size, image = product.dtype.itemsize, image_ratio(product.macs, shape)
    wave_a, wave_b = gm * shape.m * product.macs.k * size * image, gn * shape.n * product.macs.k * size
    if order == "n":
        return 1, 1 if b + wave_a <= chip.buf.l2 else ceil(shape.tiles_mn[0] / gm)
    return 1 if a + wave_b <= chip.buf.l2 else ceil(shape.tiles_mn[1] / gn), 1


def _operand_bytes(product: Product, shape: Shape) -> tuple[float, float]:
    macs, size = product.macs, product.dtype.itemsize
    return macs.m * macs.k * size * image_ratio(macs, shape), macs.k * macs.n * size


def _better_order(product: Product, shape: Shape, chip: Chip) -> str:
    """The loop order that reads fewer bytes from device memory."""
    a, b = _operand_bytes(product, shape)
    reads = {order: _reads(product, shape, order, chip) for order in "nm"}
    return min(reads, key=lambda order: a * reads[order][0] + b * reads[order][1])


def _miss_rates(
    product: Product, shape: Shape, resident: str, order: str, chip: Chip
) -> tuple[float, float, float, float]:  # fmt: skip
    """The L2 miss rate of each operand's bytes, and the share of its loads that wait for device memory.

    Cores that load a block at the same time all wait for it, though device memory serves it once. The first read
    misses for the cold share of the operand, and later ones as ``_reads`` counts them.
    """
    (gm, gn), (reads_a, reads_b) = shape.grid, _reads(product, shape, order, chip)
    loads_a, loads_b = (
        ceil(tiles / shape.reuse(name)) if name == resident else tiles
        for name, tiles in zip("ab", reversed(shape.tiles_mn), strict=True)
    )
    from_device = product.cold_share("a") + reads_a - 1, product.cold_share("b") + reads_b - 1
    loads = loads_a, loads_b, ceil(loads_a / gn), ceil(loads_b / min(gm, shape.tiles_mn[0]))
    miss_a, miss_b, wait_a, wait_b = (min(1.0, r / n) for r, n in zip(2 * from_device, loads, strict=True))
    return miss_a, miss_b, wait_a, wait_b
