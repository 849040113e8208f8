"""The search space of matrix product tilings, enumerated: base blocks, core grid, split of k, operand resident in L1.

Problem: the tilings of one product are too many to price, and most leave cores idle or load operands again. The space
is a product of few choices per level of the memory hierarchy, as in analytical cache blocking (T. M. Low, F. D. Igual,
T. M. Smith, E. S. Quintana-Orti, "Analytical Modeling Is Enough for High-Performance BLIS", ACM TOMS 43, 2016). A base
block of m, n and k fits L0A, L0B and L0C; the first group of base blocks that fits is used: the vendor library's large
ones, if they occupy all cores, then smaller ones, then those with a smaller k. Each is split evenly into tiles, the
tiles are distributed over a grid of cores, and L1 takes a choice of k blocks per load, of slots and of a resident
operand. A candidate's lower bound is the larger of its cycles in the cube and of its loads back to back; the best-first
search of ``cube_tiling`` prunes with it.

Invariants: every candidate fits all buffers, covers the product and agrees with the schedule; a bound never exceeds the
cycles of the analytic model. Not handled: tiles of unequal sizes in one plan, and grids in which some cores have other
tiles than the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as cartesian
from math import ceil, inf
from typing import NamedTuple

from minigraph.core.op_fields import Macs
from minigraph.core.types import DType
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_counts import (
    core_grids,
    even_counts,
    k_block_counts,
    k_splits,
    least_padded_count,
    round_up,
    tile_counts,
)
from minigraph.npu.tiling.schedule import Schedule

Block = tuple[int, int, int]  # m, n and k of a base block
ACCUMULATOR_BYTES = 4  # per element of L0C, for operands of any dtype
LARGE_BLOCKS = ((128, 256), (256, 128))  # (m, n) of the vendor library's base blocks
BLOCK_SIDES = (256, 128, 64, 32, 16)  # m or n of smaller ones
SHORT_K_BLOCKS = 4  # up to which loads and stores bind, so that more tiles than whole blocks are tried
MAX_BLOCK_K = 256  # elements; larger blocks only delay the first product
RESIDENT = {"m": "b", "n": "a"}  # the operand whose tile stays while a core's tiles advance along m or n
BLOCK_K_DIVISORS = (2, 4, 8, 16)  # of a block's k, tried where L1 is small


class Partner(NamedTuple):
    """The vector half of a MIX kernel: cycles, tiles of its busiest core, bytes through device memory and L2."""

    cycles: int
    tiles: int
    moved: tuple[float, float]


@dataclass(frozen=True)
class Product:
    """One product to tile: sizes, operand dtype, bytes per stored element, share of the operands not in L2 (0 to 1).

    ``sharers_b``: cores that load the same blocks of the right operand in step. ``aligned``: the operand ("a" or "b")
    with rows aligned to 32 bytes whatever its sizes. ``stores``: results leave the core. ``in_attention``: its tiles
    are an attention kernel's. ``partners``: plans of the vector work that overlaps with it.
    """

    macs: Macs
    dtype: DType
    store_item: int
    cold: float = 0.0
    sharers_b: int = 1
    aligned: str = ""
    stores: bool = True
    in_attention: bool = False
    partners: tuple[Partner, ...] = ()

    @property
    def is_convolution(self) -> bool:
        """Whether the operands are images and filters, which chips keep in their own formats."""
        return self.macs.window > 1 or self.macs.height > 0


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
    for bases in [[schedule.base]] if schedule.base else _base_blocks(product, chip, schedule):
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
        slots = 2 if schedule.unit_flag or 2 * bm * bn * ACCUMULATOR_BYTES <= chip.buf.l0c else 1
        slots = schedule.l0c_buffers or slots
        for split in (schedule.split_k,) if schedule.split_k else k_splits(macs, fewest, k0, chip):
            is_library = not schedule.base and _occupies_cores(macs, (bm, bn), chip)  # which computes whole blocks
            depth, is_fixed = ceil(macs.k / split), bool(schedule.base) or is_library
            is_short = not schedule.base and depth <= SHORT_K_BLOCKS * bk
            counts = tile_counts(macs, fewest, split, chip) if is_short or not is_fixed else {fewest}
            if is_library and is_short:
                counts |= even_counts(macs, fewest, split, chip)
            block_counts = {*k_block_counts(depth, bk, k0, is_fixed)}
            if is_short:
                block_counts.add(least_padded_count(depth, bk, k0))
            for tiles_mn, blocks in cartesian(sorted(counts), sorted(block_counts)):
                m, n = ceil(macs.m / tiles_mn[0]), ceil(macs.n / tiles_mn[1])
                sides = (bm, bn) if is_library else (round_up(m, chip.cube.m), round_up(n, chip.cube.n))
                rows = macs.b * tiles_mn[0] * split
                for grid in [schedule.grid] if schedule.grid else core_grids(rows, tiles_mn[1], chip.cores.aic):
                    k = ceil(depth / blocks)
                    yield Shape(*sides, round_up(k, k0), m, n, k, blocks, split, tiles_mn, rows, tiles_mn[1], grid,
                                slots)  # fmt: skip


def _occupies_cores(macs: Macs, sides: tuple[int, int], chip: Chip) -> bool:
    """Whether there is a whole large block (m, n) for every core, so that the vendor's library uses it."""
    is_whole = sides in LARGE_BLOCKS and sides[0] <= macs.m and sides[1] <= macs.n
    return is_whole and macs.b * ceil(macs.m / sides[0]) * ceil(macs.n / sides[1]) >= chip.cores.aic


def _base_blocks(product: Product, chip: Chip, schedule: Schedule) -> Iterator[list[Block]]:
    """Base blocks by preference, as in the vendor's library: large ones if they occupy all cores, then smaller ones.

    The last group has a smaller k than fits L0, for chips with a small L1.
    """
    macs, k0 = product.macs, costs.cube_rate(chip, product.dtype).k0
    large = [sides for sides in LARGE_BLOCKS if _occupies_cores(macs, sides, chip)]
    if large and product.is_convolution:  # blocks that span fewer rows of an image are moved faster, even if clipped
        large = list(LARGE_BLOCKS)
    yield fitting_blocks(product, large, chip, schedule)
    all_blocks = fitting_blocks(product, [(m, n) for m in BLOCK_SIDES for n in BLOCK_SIDES], chip, schedule)
    yield all_blocks
    yield sorted({(m, n, max(k0, k // less // k0 * k0)) for m, n, k in all_blocks for less in BLOCK_K_DIVISORS})


def fitting_blocks(product: Product, sides: Sequence[tuple[int, int]], chip: Chip, schedule: Schedule) -> list[Block]:
    """Blocks (m, n, k) whose results fit L0C, and UB on coupled chips, with the largest k that fits L0A and L0B.

    L0A and L0B hold as many blocks as the schedule has buffers there. Sides are clipped to the product's own, padded to
    whole cubes.
    """
    macs, size, k0 = product.macs, product.dtype.itemsize, costs.cube_rate(chip, product.dtype).k0
    fitting = set()
    for side_m, side_n in sides:
        bm, bn = min(side_m, round_up(macs.m, chip.cube.m)), min(side_n, round_up(macs.n, chip.cube.n))
        slots = schedule.l0_buffers
        max_k = min(chip.buf.l0a // (slots * bm * size), chip.buf.l0b // (slots * bn * size))
        sums, stored = l0c_bytes(bm, bn, schedule), bm * bn * max_result_bytes(product)
        if max_k >= k0 and sums <= chip.buf.l0c and stored <= store_capacity(chip):
            fitting.add((bm, bn, min(max_k // k0 * k0, round_up(macs.k, k0), MAX_BLOCK_K)))
    return sorted(fitting)


def l0c_bytes(bm: int, bn: int, schedule: Schedule) -> int:
    """Bytes of L0C that the sums of base blocks need: with unit_flag, two tiles overlap in one slot."""
    return bm * bn * ACCUMULATOR_BYTES * (1 if schedule.unit_flag else schedule.l0c_buffers or 1)


def max_result_bytes(product: Product) -> int:
    """Largest possible bytes per stored element: the partial sums of a split k have 4 bytes."""
    return max(ACCUMULATOR_BYTES, product.store_item)


def store_capacity(chip: Chip) -> float:
    """Bytes that bound a stored tile: on coupled chips it has to fit UB."""
    return chip.buf.ub if chip.family == "coupled" else inf


def _resident_choices(shape: Shape, schedule: Schedule) -> list[str]:
    """Operands that may be resident in L1 ("" for none): those that consecutive tiles of a core share."""
    if not schedule.keep:
        return [""]
    return ["", *(name for name in RESIDENT.get(schedule.order, "ab") if shape.reuse(name) > 1)]


def _buffer_choices(schedule: Schedule) -> set[int]:
    """Slots of L1 to try: the schedule's, or two; or one, if a better tile then fits."""
    return {schedule.buffers or 2} if schedule.buffers or schedule.step_k else {2, 1}


def _max_step_k(shape: Shape, resident: str, item_a: float, item_b: int, chip: Chip, buffers: int) -> int:
    """K blocks per load, of whole bytes, that fit L1 with a resident operand over the whole k; 0 if that does not."""
    a, b = ceil(shape.bm * shape.bk * item_a), shape.bn * shape.bk * item_b
    kept = shape.blocks * {"a": a, "b": b, "": 0}[resident]
    moving = {"a": b, "b": a, "": a + b}[resident]
    return max(0, (chip.buf.l1 - kept) // (buffers * moving))


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
    for name, moved, rows in (("a", shape.m * k * size * image, chunks * shape.m), ("b", shape.n * k * size, k)):
        converts = nd2nz and name not in schedule.ready
        latency = chunks * chip.mte2.lat_nz + rows * chip.mte2.row_nz if converts else 0
        count = tiles / shape.reuse(name) if name == resident else tiles
        loads += count * (moved / chip.mte2.cap_l1 + latency)
    return loads


def output_rows(macs: Macs, shape: Shape) -> int:
    """Rows of the output image that a tile of a convolution covers."""
    return ceil(shape.bm / macs.width) if macs.width else 1


def image_ratio(macs: Macs, shape: Shape) -> float:
    """Bytes of the input image that a tile loads per byte that img2col writes: whole rows with the kernel's halo."""
    if macs.window == 1:
        return 1.0
    halo = max(0, macs.height - macs.stride_y) / output_rows(macs, shape) if macs.width else 0.0
    return min(1.0, (macs.stride_y + halo) * macs.stride_x / macs.window)
