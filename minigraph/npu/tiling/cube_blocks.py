"""The base blocks of a matrix product: which sizes the tiling search tries, in order of preference.

A base block of m, n and k fits L0A, L0B and L0C. The vendor library's large blocks come first, if they occupy all
cores, then smaller ones, then those with a smaller k. A convolution also tries blocks of whole rows of its output, with
a k of whole kernels: img2col writes L0A faster if a block spans fewer rows of the image (the vendor's Load3D table).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import NamedTuple

from minigraph.core.op_fields import Macs
from minigraph.core.types import DType
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_counts import round_up
from minigraph.npu.tiling.schedule import Schedule

Block = tuple[int, int, int]  # m, n and k of a base block
ACCUMULATOR_BYTES = 4  # per element of L0C, for operands of any dtype
LARGE_BLOCKS = ((128, 256), (256, 128))  # (m, n) of the vendor library's base blocks
BLOCK_SIDES = (256, 128, 64, 32, 16)  # m or n of smaller ones
MAX_BLOCK_K = 256  # elements; larger blocks only delay the first product
BLOCK_K_DIVISORS = (2, 4, 8, 16)  # of a block's k, tried where L1 is small


class Partner(NamedTuple):
    """The vector half of a MIX kernel: cycles, tiles of its busiest core, bytes through device memory and L2."""

    cycles: int
    tiles: int
    bytes_moved: tuple[float, float]


@dataclass(frozen=True)
class Product:
    """One product to tile: sizes, operand dtype, bytes per stored element, share of the operands not in L2 (0 to 1).

    ``sharers_b``: cores that load the same blocks of the right operand in step. ``aligned``: the operand ("a" or "b")
    with rows aligned to 32 bytes whatever its sizes. ``stores``: results leave the core. ``workspace``: bytes in
    which results are exchanged tile by tile; 0: they are stored whole. ``exchanged``: the operand ("a" or "") that
    comes from such a workspace, so that L2 holds it. ``sides``: the sides of its blocks (m, n), if its kernel fixes
    them. ``partners``: plans of the vector work that overlaps with it.
    """

    macs: Macs
    dtype: DType
    store_item: int
    cold: float = 0.0
    sharers_b: int = 1
    aligned: str = ""
    stores: bool = True
    workspace: int = 0
    exchanged: str = ""
    sides: tuple[int, int] | None = None
    partners: tuple[Partner, ...] = ()

    def cold_share(self, operand: str) -> float:
        """The share (0 to 1) of the operand "a" or "b" that is not in L2."""
        return 0.0 if operand == self.exchanged else self.cold

    @property
    def is_convolution(self) -> bool:
        """Whether the operands are images and filters, which chips keep in their own formats."""
        return self.macs.window > 1 or self.macs.height > 0


def occupies_cores(macs: Macs, sides: tuple[int, int], cores: int) -> bool:
    """Whether there is a whole large block (m, n) for every core, so that the vendor's library uses it."""
    is_whole = sides in LARGE_BLOCKS and sides[0] <= macs.m and sides[1] <= macs.n
    return is_whole and macs.b * ceil(macs.m / sides[0]) * ceil(macs.n / sides[1]) >= cores


def base_blocks(product: Product, chip: Chip, schedule: Schedule) -> Iterator[list[Block]]:
    """Base blocks by preference, as in the vendor's library: large ones if they occupy all cores, then smaller ones.

    The last group has a smaller k than fits L0, for chips with a small L1.
    """
    macs, k0 = product.macs, costs.cube_rate(chip, product.dtype).k0
    large = [sides for sides in LARGE_BLOCKS if occupies_cores(macs, sides, chip.cores.aic)]
    if large and product.is_convolution:  # blocks that span fewer rows of an image are moved faster, even if clipped
        width = macs.width
        large = [*LARGE_BLOCKS, *((rows // width * width, n) for rows, n in LARGE_BLOCKS if 0 < width <= rows)]
    yield fitting_blocks(product, large, chip, schedule)
    blocks, rows = (
        fitting_blocks(product, [(m, n) for m in sides for n in BLOCK_SIDES], chip, schedule)
        for sides in (BLOCK_SIDES, whole_rows(macs.width))
    )
    all_blocks = sorted({*blocks, *rows, *whole_kernel_blocks(rows, macs.window * k0)})
    yield all_blocks
    yield sorted({(m, n, max(k0, k // less // k0 * k0)) for m, n, k in all_blocks for less in BLOCK_K_DIVISORS})


def whole_rows(width: int) -> list[int]:
    """For each side of a block, the most pixels up to it that are whole rows of an output image; 0: no image.

    >>> whole_rows(56), whole_rows(14), whole_rows(0)
    ([224, 112, 56], [252, 126, 56, 28, 14], [])
    """
    return [side // width * width for side in BLOCK_SIDES if 0 < width <= side]


def whole_kernel_blocks(blocks: Iterable[Block], kernel: int) -> Iterator[Block]:
    """Blocks whose k is cut to whole kernels, of ``kernel`` elements for one group of channels.

    >>> list(whole_kernel_blocks([(112, 16, 256), (64, 64, 128)], 144))
    [(112, 16, 144)]
    """
    return ((m, n, k // kernel * kernel) for m, n, k in blocks if k >= kernel)


def fitting_blocks(product: Product, sides: Sequence[tuple[int, int]], chip: Chip, schedule: Schedule) -> list[Block]:
    """Blocks (m, n, k) whose results fit L0C, and UB on coupled chips, with the largest k that fits L0A and L0B.

    L0A and L0B hold as many blocks as the schedule has buffers there. Sides are clipped to the product's own, padded to
    whole cubes. Buffers hold whole cubes.
    """
    macs, size, k0 = product.macs, product.dtype.itemsize, costs.cube_rate(chip, product.dtype).k0
    fitting = set()
    for side_m, side_n in sides:
        bm, bn = min(side_m, round_up(macs.m, chip.cube.m)), min(side_n, round_up(macs.n, chip.cube.n))
        slots, (rows, columns) = schedule.l0_buffers, (round_up(bm, chip.cube.m), round_up(bn, chip.cube.n))
        max_k = min(chip.buf.l0a // (slots * rows * size), chip.buf.l0b // (slots * columns * size))
        sums, stored = l0c_bytes(rows, columns, schedule), rows * columns * max_result_bytes(product)
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
