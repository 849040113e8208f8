"""The ways to lay a matrix product out: blocks that fit the buffers, a grid of cores, a split of k, what stays in L1.

Every candidate carries a bound: cycles it cannot beat, whatever else is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf
from typing import NamedTuple

from minigraph.core.fields import Macs
from minigraph.core.types import DType
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.plan import Schedule

ACCUMULATOR = 4  # L0C holds 4-byte sums whatever goes in
LARGE = ((128, 256), (256, 128))
SIDES = (256, 128, 64, 32, 16)
SPLITS = (1, 2, 4, 8, 16)
DEEPEST = 256  # k of a block; deeper ones only delay the first product
SHALLOWER = (2, 4, 8, 16)  # parts of that depth that are tried where L1 is small


@dataclass(frozen=True)
class Product:
    """One product to lay out: its sizes, its operands' dtype, bytes per stored element, what L2 lacks (0 to 1)."""

    macs: Macs
    dtype: DType
    store_item: int
    cold: float = 0.0


class Shape(NamedTuple):
    """The tiles of a candidate and where they go: sides, k blocks, cores sharing one k, the grid, tiles per core.

    ``m``, ``n`` and ``k`` are what of the sides and of a block is wanted, the rest fills up whole cubes.
    """

    bm: int
    bn: int
    bk: int
    m: int
    n: int
    k: int
    blocks: int
    split_k: int
    along: tuple[int, int]
    rows: int
    columns: int
    grid: tuple[int, int]
    l0c_slots: int

    @property
    def turns(self) -> tuple[int, int]:
        """Rows and columns of tiles of the busiest core."""
        return ceil(self.rows / self.grid[0]), ceil(self.columns / self.grid[1])

    @property
    def per_core(self) -> int:
        """Tiles of the busiest core."""
        return self.turns[0] * self.turns[1]

    def run(self, resident: str) -> int:
        """Tiles of a core in a row that share a whole operand ("a" or "b"); 1 for none."""
        down, across = self.turns
        return {"a": across, "b": min(down, self.along[0])}.get(resident, 1)


class Candidate(NamedTuple):
    """A shape, its blocks per load, the operand that stays in L1 ("a", "b" or ""), and cycles it cannot beat."""

    bound: float
    shape: Shape
    step_k: int
    resident: str


def candidates(product: Product, chip: Chip, schedule: Schedule) -> list[Candidate]:
    """Every layout that fits the buffers, as far as the schedule leaves a choice.

    Where buffers are too small for the library's blocks, smaller ones are tried, and last those of less depth.
    """
    for bases in [[schedule.base]] if schedule.base else _bases(product, chip):
        found = list(_candidates(product, bases, chip, schedule))
        if found:
            return found
    return []


def _candidates(
    product: Product, bases: Sequence[tuple[int, int, int]], chip: Chip, schedule: Schedule
) -> Iterator[Candidate]:  # fmt: skip
    size = product.dtype.itemsize
    for shape in _shapes(product, bases, chip, schedule):
        cube, image = _cube_bound(product, shape, chip), image_of(product.macs, shape)
        for resident in _residents(shape, schedule):
            fit = _deepest_load(shape, resident, size * image, size, chip, schedule)
            for step in _steps(fit, shape.blocks, schedule):
                bound = max(cube, _load_bound(product, shape, step, resident, chip, schedule))
                yield Candidate(bound, shape, step, resident)


def _shapes(
    product: Product, bases: Sequence[tuple[int, int, int]], chip: Chip, schedule: Schedule
) -> Iterator[Shape]:  # fmt: skip
    """Every way to cut the product into tiles, the tiles evened out and dealt to the cores."""
    macs, k0 = product.macs, costs.cube_rate(chip, product.dtype).k0
    for bm, bn, bk in bases:
        along = ceil(macs.m / bm), ceil(macs.n / bn)
        m, n = ceil(macs.m / along[0]), ceil(macs.n / along[1])
        sides = _padded(m, chip.cube.m), _padded(n, chip.cube.n)
        slots = 2 if schedule.unit_flag or 2 * bm * bn * ACCUMULATOR <= chip.buf.l0c else 1
        for split in (schedule.split_k,) if schedule.split_k else _splits(macs, along, bk, chip):
            blocks = ceil(ceil(macs.k / split) / bk)
            k = ceil(ceil(macs.k / split) / blocks)
            rows = macs.b * along[0] * split
            grid = schedule.grid or _grid(rows, along[1], chip.cores.aic)
            yield Shape(*sides, _padded(k, k0), m, n, k, blocks, split, along, rows, along[1], grid, slots)


def _bases(product: Product, chip: Chip) -> Iterator[list[tuple[int, int, int]]]:
    """What the vendor's library takes: the largest blocks, and smaller ones only if cores went without.

    Last come blocks of less depth than L0 has room for: L1 may be too small for those.
    """
    macs, k0 = product.macs, costs.cube_rate(chip, product.dtype).k0
    fed = [(m, n) for m, n in LARGE if macs.b * ceil(macs.m / m) * ceil(macs.n / n) >= chip.cores.aic]
    yield _fitting(product, fed, chip)
    every = _fitting(product, [(m, n) for m in SIDES for n in SIDES], chip)
    yield every
    yield sorted({(m, n, max(k0, k // less // k0 * k0)) for m, n, k in every for less in SHALLOWER})


def _fitting(product: Product, sides: Sequence[tuple[int, int]], chip: Chip) -> list[tuple[int, int, int]]:
    """Sides whose sums fit L0C (and UB, where they leave through it), with the deepest k that fits L0A and L0B twice.

    A side is no longer than the product's own, in whole cubes.
    """
    macs, size, k0 = product.macs, product.dtype.itemsize, costs.cube_rate(chip, product.dtype).k0
    found = set()
    for side_m, side_n in sides:
        bm, bn = min(side_m, _padded(macs.m, chip.cube.m)), min(side_n, _padded(macs.n, chip.cube.n))
        deep = min(chip.buf.l0a // (2 * bm * size), chip.buf.l0b // (2 * bn * size))
        if deep >= k0 and bm * bn * ACCUMULATOR <= chip.buf.l0c and bm * bn * result_item(product) <= way_out(chip):
            found.add((bm, bn, min(deep // k0 * k0, _padded(macs.k, k0), DEEPEST)))
    return sorted(found)


def result_item(product: Product) -> int:
    """The most bytes a result may take on its way out: parts of a split k leave as 4-byte sums."""
    return max(ACCUMULATOR, product.store_item)


def way_out(chip: Chip) -> float:
    """Bytes of a tile that can leave the cube at once: on coupled chips it goes through UB, whole."""
    return chip.buf.ub if chip.family == "coupled" else inf


def _splits(macs: Macs, along: tuple[int, int], bk: int, chip: Chip) -> list[int]:
    """Ways to share one k among cores: only where there are too few tiles, and enough k for each."""
    tiles = macs.b * along[0] * along[1]
    return [split for split in SPLITS if split == 1 or (tiles < 2 * chip.cores.aic and macs.k >= 4 * bk * split)]


def _residents(shape: Shape, schedule: Schedule) -> list[str]:
    """Operands worth keeping in L1: those that several tiles of a core share in a row."""
    if not schedule.keep:
        return [""]
    return ["", *(name for name in "ab" if shape.run(name) > 1)]


def _deepest_load(
    shape: Shape, resident: str, item_a: float, item_b: int, chip: Chip, schedule: Schedule
) -> int:  # fmt: skip
    """Blocks per load that fit L1 beside a resident operand's whole k; 0 when that does not fit."""
    a, b = shape.bm * shape.bk * item_a, shape.bn * shape.bk * item_b
    kept = shape.blocks * {"a": a, "b": b, "": 0.0}[resident]
    moving = {"a": b, "b": a, "": a + b}[resident]
    return max(0, int((chip.buf.l1 - kept) // (schedule.buffers * moving)))


def _steps(fit: int, blocks: int, schedule: Schedule) -> set[int]:
    """Blocks per load: the largest power of two that fits, its half, and one."""
    if schedule.step_k:
        return {min(schedule.step_k, blocks)} if schedule.step_k <= fit else set()
    if fit < 1:
        return set()
    most = 1 << (fit.bit_length() - 1)
    return {min(max(1, most >> less), blocks) for less in (0, 1)} | {1}


def _cube_bound(product: Product, shape: Shape, chip: Chip) -> float:
    """Cycles of the busiest core's blocks in the cube."""
    block = costs.mmad(chip, product.dtype, shape.bm, shape.bk, shape.bn)
    zeroed = chip.sync.xcore if shape.split_k > 1 else 0
    return float(zeroed + shape.per_core * shape.blocks * (block + chip.cube.turn) - chip.cube.turn)


def _load_bound(product: Product, shape: Shape, step: int, resident: str, chip: Chip, schedule: Schedule) -> float:
    """Cycles of the busiest core's loads, one after another, and of a store."""
    chunks, tiles = ceil(shape.blocks / step), shape.per_core
    turned, depth = product.macs.window == 1, shape.blocks * shape.k * product.dtype.itemsize
    loads = shape.m * shape.n * product.store_item / chip.fixp.l2_write
    for name, moved in (("a", shape.m * depth * image_of(product.macs, shape)), ("b", shape.n * depth)):
        waits = chunks * chip.mte2.lat_nz if turned and name not in schedule.ready else 0
        often = tiles / shape.run(name) if name == resident else tiles
        loads += often * (moved / chip.mte2.cap_l1 + waits)
    return loads


def spans_of(macs: Macs, shape: Shape) -> int:
    """Rows of result pixels that a tile of a convolution covers."""
    return ceil(shape.bm / macs.width) if macs.width else 1


def image_of(macs: Macs, shape: Shape) -> float:
    """Bytes of the image a tile loads for each byte the cube gets of it: whole rows, and what the kernel overlaps."""
    if macs.window == 1:
        return 1.0
    halo = max(0, macs.height - macs.down) / spans_of(macs, shape) if macs.width else 0.0
    return min(1.0, (macs.down + halo) * macs.across / macs.window)


@lru_cache(maxsize=4096)
def _grid(rows: int, columns: int, cores: int) -> tuple[int, int]:
    """Cores along rows and columns: fewest tiles on the busiest core, then fewest operand rows and columns."""
    grids = [(gm, min(cores // gm, columns)) for gm in range(1, min(cores, rows) + 1)]
    return min(grids, key=lambda g: (ceil(rows / g[0]) * ceil(columns / g[1]), g[0] + g[1], g))


def _padded(size: int, unit: int) -> int:
    return ceil(size / unit) * unit
