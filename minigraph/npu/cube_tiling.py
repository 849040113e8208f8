"""Laying a matrix product out over the cube cores: blocks that fit the buffers, a grid of cores, a split of k.

Every candidate is priced with the closed form and the cheapest wins, ties by bytes from device memory.
A mapping that leaves the cube idle is refused when it was asked for, and noted when the shape forces it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from minigraph.errors import UsageError
from minigraph.npu import analytic, costs
from minigraph.npu.chip import Chip
from minigraph.npu.plan import DEFAULT, CubePlan, Schedule
from minigraph.types import DType
from minigraph.work import Macs

ACCUMULATOR = 4  # L0C holds 4-byte sums whatever goes in
SIDES = (256, 128, 64, 32, 16)
SPLITS = (1, 2, 4, 8, 16)
DEEPEST = 256  # k of a block; deeper ones only delay the first product
FEW_CUBE_CORES = "at least half of the cube cores have nothing to do: too few tiles"
SPANS = 2  # output rows a convolution's tile covers: the work record does not tell their width


@dataclass(frozen=True)
class Product:
    """One product to lay out: its sizes, its operands' dtype, bytes per stored element, what L2 lacks (0 to 1)."""

    macs: Macs
    dtype: DType
    store_item: int
    cold: float = 0.0


@dataclass(frozen=True)
class Block:
    """One candidate: tile sides, k per block, blocks per load, cores sharing one k, tiles fitting L0C."""

    bm: int
    bn: int
    bk: int
    step_k: int
    split_k: int
    l0c_slots: int


def cube_plan(product: Product, chip: Chip, schedule: Schedule = DEFAULT) -> CubePlan:
    """The cheapest plan; raises ``UsageError`` for a schedule that does not fit or idles the cube."""
    _check(product, chip, schedule)
    plans = [_laid_out(product, block, chip, schedule) for block in _blocks(product, chip, schedule)]
    return min(plans, key=lambda plan: (analytic.cube_cycles(plan, chip), device_bytes(plan)))


def device_bytes(plan: CubePlan) -> float:
    """Bytes the plan's loads take from device memory."""
    a, b = analytic.operand_bytes(plan, plan.blocks)
    return plan.tiles * (a * plan.miss_a + b * plan.miss_b)


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
    if costs.cube_rate(chip, product.dtype).products > 1:
        notes.append(costs.EMULATED)
    elif product.dtype.itemsize == 8 or (product.dtype.kind != "f" and product.dtype.itemsize > 1):
        notes.append(costs.CUBE_AS_FLOAT.format(product.dtype.name))
    return tuple(notes)


def _check(product: Product, chip: Chip, schedule: Schedule) -> None:
    if schedule.base is not None:
        bm, bn, bk = schedule.base
        size, step = product.dtype.itemsize, schedule.step_k or 1
        if bm < chip.cube.m or bn < chip.cube.n or bk < costs.cube_rate(chip, product.dtype).k0:
            use = min(1.0, bm / chip.cube.m) * min(1.0, bn / chip.cube.n)
            raise UsageError(
                f"schedule: base {schedule.base} leaves the cube idle ({100 * use:.1f} % of its rows and columns); "
                f"use at least {chip.cube.m} x {chip.cube.n} x {costs.cube_rate(chip, product.dtype).k0}"
            )
        for name, need, have in (
            ("L0A", schedule.buffers * bm * bk * size, chip.buf.l0a),
            ("L0B", schedule.buffers * bk * bn * size, chip.buf.l0b),
            ("L0C", bm * bn * ACCUMULATOR, chip.buf.l0c),
            ("L1", schedule.buffers * (bm + bn) * bk * step * size, chip.buf.l1),
        ):
            if need > have:
                raise UsageError(f"schedule: base {schedule.base} needs {need} bytes of {name}, which has {have}")
    if schedule.grid is not None and not 1 <= schedule.grid[0] * schedule.grid[1] <= chip.cores.aic:
        raise UsageError(f"schedule: a grid of {schedule.grid} needs more than the {chip.cores.aic} cube cores")


def _blocks(product: Product, chip: Chip, schedule: Schedule) -> Iterator[Block]:
    macs = product.macs
    for bm, bn, bk in [schedule.base] if schedule.base else _bases(product, chip, schedule.buffers):
        slots = 2 if schedule.unit_flag or 2 * bm * bn * ACCUMULATOR <= chip.buf.l0c else 1
        for split in (schedule.split_k,) if schedule.split_k else _splits(macs, bm, bn, bk, chip):
            depth = ceil(macs.k / split / bk)
            for step in {min(step, depth) for step in _steps(product, chip, (bm, bn, bk), schedule)}:
                yield Block(bm, bn, bk, step, split, slots)


def _bases(product: Product, chip: Chip, buffers: int) -> list[tuple[int, int, int]]:
    """Tile sides whose sums fit L0C, each with the deepest k block that fits L0A and L0B, and half of it."""
    macs, size, k0 = product.macs, product.dtype.itemsize, costs.cube_rate(chip, product.dtype).k0
    found = set()
    for bm in {min(side, _padded(macs.m, chip.cube.m)) for side in SIDES}:
        for bn in {min(side, _padded(macs.n, chip.cube.n)) for side in SIDES}:
            deep = min(chip.buf.l0a // (buffers * bm * size), chip.buf.l0b // (buffers * bn * size))
            if deep >= k0 and bm * bn * ACCUMULATOR <= chip.buf.l0c:
                whole = min(deep // k0 * k0, _padded(macs.k, k0), DEEPEST)
                found |= {(bm, bn, whole), (bm, bn, max(k0, whole // 2 // k0 * k0))}
    return sorted(found)


def _splits(macs: Macs, bm: int, bn: int, bk: int, chip: Chip) -> list[int]:
    """Ways to share one k among cores: only where there are too few tiles, and enough k for each."""
    tiles = macs.b * ceil(macs.m / bm) * ceil(macs.n / bn)
    return [split for split in SPLITS if split == 1 or (tiles < 2 * chip.cores.aic and macs.k >= 4 * bk * split)]


def _steps(product: Product, chip: Chip, base: tuple[int, int, int], schedule: Schedule) -> tuple[int, ...]:
    """Blocks per load: powers of two that fit L1, as the vendor's kernels have them."""
    if schedule.step_k:
        return (schedule.step_k,)
    bm, bn, bk = base
    fit = chip.buf.l1 // (schedule.buffers * (bm + bn) * bk * product.dtype.itemsize)
    return tuple(1 << power for power in range(max(1, fit.bit_length())))


def _laid_out(product: Product, block: Block, chip: Chip, schedule: Schedule) -> CubePlan:
    macs, size = product.macs, product.dtype.itemsize
    along_m, along_n = ceil(macs.m / block.bm), ceil(macs.n / block.bn)
    bm, bn = _padded(ceil(macs.m / along_m), chip.cube.m), _padded(ceil(macs.n / along_n), chip.cube.n)
    depth = ceil(macs.k / block.split_k)
    blocks = ceil(depth / block.bk)
    bk = ceil(depth / blocks)
    rows, columns = macs.b * along_m * block.split_k, along_n
    gm, gn = schedule.grid or _grid(rows, columns, chip.cores.aic)
    per_core = ceil(rows / gm) * ceil(columns / gn)
    miss_a, miss_b = _misses(product, along_m, along_n, (gm, gn), (bm, bn), chip)
    written = macs.b * macs.m * macs.n * block.split_k * (ACCUMULATOR if block.split_k > 1 else product.store_item)
    ready = schedule.ready_format or macs.window > 1
    return CubePlan(
        dtype=product.dtype, bm=bm, bn=bn, bk=bk, blocks=blocks, step_k=min(block.step_k, blocks),
        split_k=block.split_k, cores=min(gm, rows) * min(gn, columns), tiles=rows * columns, per_core=per_core,
        window=macs.window, spans=SPANS, miss_a=miss_a, miss_b=miss_b,
        row_a=0 if ready else min(depth, bk * block.step_k) * size, row_b=0 if ready else min(macs.n, bn) * size,
        store_item=ACCUMULATOR if block.split_k > 1 else product.store_item,
        absorbed=costs.absorbed_by_l2(chip, written), buffers=schedule.buffers, l0c_slots=block.l0c_slots,
        macs=macs.total,
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _grid(rows: int, columns: int, cores: int) -> tuple[int, int]:
    """Cores along rows and columns: fewest tiles on the busiest core, then fewest operand rows and columns."""
    grids = [(gm, min(cores // gm, columns)) for gm in range(1, min(cores, rows) + 1)]
    return min(grids, key=lambda g: (ceil(rows / g[0]) * ceil(columns / g[1]), g[0] + g[1], g))


def _misses(
    product: Product, along_m: int, along_n: int, grid: tuple[int, int], tile: tuple[int, int], chip: Chip
) -> tuple[float, float]:
    """The part of each operand's loads that comes from device memory.

    The first touch misses as far as the operand is cold. An operand is read again once per row (or column)
    of tiles; the second read hits when no more than L2 holds was touched in between. The cheaper of both
    loop orders is taken: the inner operand is swept whole between two uses of the outer one's tile.
    """
    macs, size = product.macs, product.dtype.itemsize
    a = macs.m * macs.k * size / macs.window
    b = macs.k * macs.n * size
    wave_a, wave_b = grid[0] * tile[0] * macs.k * size / macs.window, grid[1] * tile[1] * macs.k * size
    again_a = 1 if a + wave_b <= chip.buf.l2 else ceil(along_n / grid[1])
    again_b = 1 if b + wave_a <= chip.buf.l2 else ceil(along_m / grid[0])
    reads_a, reads_b = min([(1, again_b), (again_a, 1)], key=lambda reads: a * reads[0] + b * reads[1])
    first = product.cold
    return min(1.0, (first + reads_a - 1) / along_n), min(1.0, (first + reads_b - 1) / along_m)


def _padded(size: int, unit: int) -> int:
    return ceil(size / unit) * unit
