"""The search space of matrix product tilings, enumerated: base blocks, core grid, split of k, operand resident in L1.

Problem: the tilings of one product are too many to price, and most leave cores idle or load operands again. The space
is a product of few choices per level of the memory hierarchy, as in analytical cache blocking (T. M. Low, F. D. Igual,
T. M. Smith, E. S. Quintana-Orti, "Analytical Modeling Is Enough for High-Performance BLIS", ACM TOMS 43, 2016). The
first group of base blocks that fits is used (``cube_blocks``). Each is split evenly into tiles, the
tiles are distributed over a grid of cores, and L1 takes a choice of k blocks per load, of slots and of a resident
operand. A candidate's lower bound is the larger of its cycles in the cube and of its loads back to back; the best-first
search of ``cube_tiling`` prunes with it.

Invariants: every candidate fits all buffers, covers the product and agrees with the schedule; a bound never exceeds the
cycles of the analytic model. Not handled: tiles of unequal sizes in one plan, and grids in which some cores have other
tiles than the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as cartesian
from math import ceil
from typing import NamedTuple

from minigraph.core.op_fields import Macs
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_blocks import (
    ACCUMULATOR_BYTES,
    BLOCK_SIDES,
    Block,
    Product,
    base_blocks,
    occupies_cores,
    whole_rows,
)
from minigraph.npu.tiling.cube_counts import (
    core_choices,
    core_grids,
    even_counts,
    k_block_counts,
    k_splits,
    least_padded_count,
    round_up,
    tile_counts,
)
from minigraph.npu.tiling.schedule import Schedule

SHORT_K_BLOCKS = 4  # up to which loads and stores bind, so that more tiles than whole blocks are tried
RESIDENT = {"m": "b", "n": "a"}  # the operand whose tile stays while a core's tiles advance along m or n


class Shape(NamedTuple):
    """The tiles of a candidate and their distribution over the cores.

    ``bm``, ``bn`` and ``bk``: block sizes padded to whole cubes; ``m``, ``n`` and ``k``: their unpadded sizes.
    ``blocks``: k blocks of a tile. ``split_k``: cores that share one k. ``tiles_mn``: tiles along m and n of one
    product of the batch. ``rows`` and ``columns``: the tile matrix of the whole batch, distributed over ``grid``.
    """

    bm: int
    bn: int
    bk: int
    m: int
    n: int
    k: int
    blocks: int
    split_k: int
    tiles_mn: tuple[int, int]
    rows: int
    columns: int
    grid: tuple[int, int]
    l0c_slots: int

    @property
    def core_tiles(self) -> tuple[int, int]:
        """Rows and columns of tiles on the busiest core."""
        return ceil(self.rows / self.grid[0]), ceil(self.columns / self.grid[1])

    @property
    def per_core(self) -> int:
        """Tiles on the busiest core."""
        return self.core_tiles[0] * self.core_tiles[1]

    def reuse(self, resident: str) -> int:
        """Consecutive tiles of a core that share one operand ("a" or "b"); 1 for none."""
        down, across = self.core_tiles
        return {"a": across, "b": min(down, self.tiles_mn[0])}.get(resident, 1)


class Candidate(NamedTuple):
    """A shape, k blocks per load, the operand resident in L1 ("a", "b" or ""), and a lower bound on the cycles.

    ``buffers``: slots of L1.
    """

    bound: float
    shape: Shape
    step_k: int
    resident: str
    buffers: int


def candidates(product: Product, chip: Chip, schedule: Schedule) -> list[Candidate]:
    """Every tiling that fits the buffers and agrees with the schedule.

    The first group of base blocks with a fit is used: large ones, then smaller ones, then those with a smaller k.
    """
    for bases in [[schedule.base]] if schedule.base else base_blocks(product, chip, schedule):
        fitting = list(_candidates(product, bases, chip, schedule))
        if fitting:
            return fitting
    return []


def _candidates(product: Product, bases: Sequence[Block], chip: Chip, schedule: Schedule) -> Iterator[Candidate]:
    size = product.dtype.itemsize
    for shape in _shapes(product, bases, chip, schedule):
        cube, image = _cube_bound(product, shape, chip), image_ratio(product.macs, shape)
        for resident in _resident_choices(shape, schedule):
            for buffers in _buffer_choices(schedule):
                fit = _max_step_k(shape, resident, size * image, size, chip, buffers)
                for step in _step_choices(fit, shape.blocks, schedule):
                    bound = max(cube, _load_bound(product, shape, step, resident, chip, schedule))
                    yield Candidate(bound, shape, step, resident, buffers)


def _shapes(product: Product, bases: Sequence[Block], chip: Chip, schedule: Schedule) -> Iterator[Shape]:
    """Every split of the product into nearly equal tiles, distributed over the cores."""
    macs, k0 = product.macs, costs.cube_rate(chip, product.dtype).k0
    for bm, bn, bk in bases:
        fewest = ceil(macs.m / bm), ceil(macs.n / bn)
        sums = round_up(bm, chip.cube.m) * round_up(bn, chip.cube.n) * ACCUMULATOR_BYTES
        slots = 2 if schedule.unit_flag or 2 * sums <= chip.buf.l0c else 1
        slots = schedule.l0c_buffers or slots
        for split in (schedule.split_k,) if schedule.split_k else k_splits(macs, fewest, k0, chip):
            is_library = not schedule.base and occupies_cores(macs, (bm, bn), chip.cores.aic)
            has_whole_blocks = is_library or schedule.tile_counts is not None
            is_rows = bm in whole_rows(macs.width) and bm not in BLOCK_SIDES  # not split further
            depth, is_fixed = ceil(macs.k / split), bool(schedule.base) or is_library or is_rows
            is_short = not schedule.base and not is_rows and depth <= SHORT_K_BLOCKS * bk
            counts = {schedule.tile_counts or fewest}
            if not schedule.tile_counts and (is_short or not is_fixed):
                for cores in core_choices(chip.cores.aic):
                    counts |= tile_counts(macs, fewest, split, cores, chip)
                    if is_short:
                        counts |= even_counts(macs, fewest, split, cores, chip)
            block_counts = {*k_block_counts(depth, bk, k0, is_fixed)}
            if is_short:
                block_counts.add(least_padded_count(depth, bk, k0))
            for tiles_mn, blocks in cartesian(sorted(counts), sorted(block_counts)):
                m, n = ceil(macs.m / tiles_mn[0]), ceil(macs.n / tiles_mn[1])
                sides = (bm, bn) if has_whole_blocks else (round_up(m, chip.cube.m), round_up(n, chip.cube.n))
                rows = macs.b * tiles_mn[0] * split
                grids = core_grids(rows, tiles_mn[1], chip.cores.aic, all_grids=macs.b > 1 or is_short)
                for grid in {schedule.grid} if schedule.grid else grids:
                    k = ceil(depth / blocks)
                    yield Shape(*sides, round_up(k, k0), m, n, k, blocks, split, tiles_mn, rows, tiles_mn[1], grid,
                                slots)  # fmt: skip


def _resident_choices(shape: Shape, schedule: Schedule) -> list[str]:
    """Operands that may be resident in L1 ("" for none): those that consecutive tiles of a core share."""
    if not schedule.keep_in_l1:
        return [""]
    return ["", *(name for name in RESIDENT.get(schedule.order, "ab") if shape.reuse(name) > 1)]


def _buffer_choices(schedule: Schedule) -> set[int]:
    """Slots of L1 to try: the schedule's, or two; or one, if a better tile then fits."""
    return {schedule.buffers or 2} if schedule.buffers or schedule.step_k else {2, 1}


def _max_step_k(shape: Shape, resident: str, item_a: float, item_b: int, chip: Chip, buffers: int) -> int:
    """K blocks per load, of whole bytes, that fit L1 with a resident operand over the whole k; 0 if that does not."""
    a, b = ceil(shape.bm * shape.bk * item_a), shape.bn * shape.bk * item_b
    resident_bytes = shape.blocks * {"a": a, "b": b, "": 0}[resident]
    moving = {"a": b, "b": a, "": a + b}[resident]
    return max(0, (chip.buf.l1 - resident_bytes) // (buffers * moving))


def _step_choices(fit: int, blocks: int, schedule: Schedule) -> set[int]:
    """K blocks per load to try: for the fewest loads that fit, for twice and four times as many loads, and one."""
    if schedule.step_k:
        return {min(schedule.step_k, blocks)} if schedule.step_k <= fit else set()
    if fit < 1:
        return set()
    fewest = ceil(blocks / min(fit, blocks))
    return {ceil(blocks / min(multiple * fewest, blocks)) for multiple in (1, 2, 4)} | {1}


def _cube_bound(product: Product, shape: Shape, chip: Chip) -> float:
    """Lower bound from the cube: cycles of all blocks of the busiest core."""
    block = costs.mmad(chip, product.dtype, shape.bm, shape.bk, shape.bn)
    zeroed = chip.sync.xcore if shape.split_k > 1 else 0
    return float(zeroed + shape.per_core * shape.blocks * (block + chip.cube.turn) - chip.cube.turn)


def _load_bound(product: Product, shape: Shape, step: int, resident: str, chip: Chip, schedule: Schedule) -> float:
    """Lower bound from MTE2: cycles of all loads of the busiest core back to back, and of one store."""
    chunks, tiles = ceil(shape.blocks / step), shape.per_core
    nd2nz, k, size = not product.is_convolution, shape.blocks * shape.k, product.dtype.itemsize
    loads = shape.m * shape.n * product.store_item / chip.fixp.l2_write
    image = image_ratio(product.macs, shape)
    for name, bytes_moved, rows in (("a", shape.m * k * size * image, chunks * shape.m), ("b", shape.n * k * size, k)):
        converts = nd2nz and name not in schedule.nz_operands
        latency = chunks * chip.mte2.lat_nz + rows * chip.mte2.row_nz if converts else 0
        count = tiles / shape.reuse(name) if name == resident else tiles
        loads += count * (bytes_moved / chip.mte2.cap_l1 + latency)
    return loads


def output_rows(macs: Macs, shape: Shape) -> int:
    """Rows of the output image that a tile of a convolution covers."""
    return ceil(shape.m / macs.width) if macs.width else 1


def image_ratio(macs: Macs, shape: Shape) -> float:
    """Bytes of the input image that a tile loads per byte that img2col writes: whole rows with the kernel's halo."""
    if macs.window == 1:
        return 1.0
    halo = max(0, macs.height - macs.stride_y) / output_rows(macs, shape) if macs.width else 0.0
    return min(1.0, (macs.stride_y + halo) * macs.stride_x / macs.window)
