"""What one instruction costs on a chip, in cycles: the formulas every other module of this package shares.

Each function is one formula over the chip's figures; nothing here knows of graphs, tiles or queues.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import NamedTuple

from minigraph.core.types import DType
from minigraph.npu.chips.chip import Chip

WIDE = "no unit for 8-byte numbers; counted on the vector unit at half the rate of 4-byte ones"
EMULATED = "the cube takes no float32; counted as three float16 products (arXiv 2507.23387)"
ALIGNED = 32  # bytes: a block of UB and L1; ND to NZ takes rows at such addresses at full rate
MIXED = 0.25  # bytes read per byte written from which device memory is as slow as with an even mixture
CUBE_AS_FLOAT = "the cube takes no {0}; counted at the float32 rate"


class VectorOp(NamedTuple):
    """A vector instruction of a class over ``elements``, ``times`` times; in a ``chain`` each waits for the last."""

    kind: str
    elements: int
    times: int = 1
    chain: bool = False


class CubeRate(NamedTuple):
    """How a dtype goes through the cube: k padded to ``k0``, ``ck`` of it per cycle, ``products`` times."""

    k0: int
    ck: int
    products: int


class Path(NamedTuple):
    """What a transfer meets: ``latency`` cycles, then ``rate`` bytes per cycle of one core's own path.

    ``gm`` and ``l2`` are the cycles device memory and L2, common to all cores, are busy with one byte;
    ``device`` is the part of the bytes that reaches device memory. ``alone``: the latency does not overlap
    with another load.
    """

    latency: int
    rate: float
    gm: float
    l2: float
    device: float
    alone: bool = False


def cube_rate(chip: Chip, dtype: DType) -> CubeRate:
    """The cube's rate for operands of a dtype (bfloat16 and float16 alike; anything wide as float32)."""
    cube = chip.cube
    if dtype.itemsize == 1:
        return CubeRate(cube.k_i8, cube.k_i8, 1)
    if dtype.itemsize == 2:
        return CubeRate(cube.k_f16, cube.k_f16, 1)
    if cube.k_f32 == 0:
        return CubeRate(cube.k_f16, cube.k_f16, 3)
    return CubeRate(cube.pad_f32, cube.k_f32, 1)


def macs_per_cycle(chip: Chip, dtype: DType) -> float:
    """Peak multiply-accumulates of one core per cycle."""
    rate = cube_rate(chip, dtype)
    return chip.cube.m * chip.cube.n * rate.ck / rate.products


def mmad(chip: Chip, dtype: DType, m: int, k: int, n: int) -> int:
    """Cycles of one (m,k) @ (k,n) block in the cube: head plus whole 16 x 16 x k0 cubes."""
    rate = cube_rate(chip, dtype)
    cubes = ceil(m / chip.cube.m) * ceil(n / chip.cube.n) * ceil(k / rate.k0)
    return rate.products * (chip.cube.head + cubes * (rate.k0 // rate.ck))


def mte1_a(chip: Chip, moved: int, window: int, stride: int, rows_spanned: int) -> int:
    """Cycles to move the left operand's block from L1 to L0A.

    A convolution (``window`` > 1) expands it on the way, at the rate of ``img2col_rate``.
    """
    if window == 1:
        return chip.mte1.ovh + ceil(moved / chip.mte1.l0a)
    rate = img2col_rate(chip, stride, rows_spanned)
    return max(chip.mte1.ovh, chip.mte1.img2col_lat) + ceil(moved / rate)


def img2col_rate(chip: Chip, stride: int, rows_spanned: int) -> float:
    """Bytes per cycle into L0A while a window is expanded, as in the vendor's Load3D table.

    It falls with the output rows a block spans and with the stride along a row; strides other than 1, 2, 4 and 8
    take the floor of 32.
    """
    full, rows = 2 * chip.mte1.l0a, rows_spanned if rows_spanned > 1 else 0
    if stride not in (1, 2, 4, 8):
        return 32.0
    rate = full / (rows + 2) if stride == 1 else full / (2 * stride + rows)
    return max(32.0, min(rate, chip.mte1.l0a))


def mte1_b(chip: Chip, moved: int) -> int:
    """Cycles to move the right operand's block from L1 to L0B."""
    return chip.mte1.ovh + ceil(moved / chip.mte1.l0b)


@lru_cache(maxsize=65536)
def load_path(
    chip: Chip, miss: float, into: str, turned: bool = False, drag: float = 0.0, together: bool = False
) -> Path:  # fmt: skip
    """The way into "l1" or "ub" for a stream of which the part ``miss`` is not in L2.

    Missing lines come first at the device-memory rate, the others at the L2 rate: times add up. ``turned``: rows
    are turned into the cube's format on the way. ``drag`` is cycles lost per byte on the core's own path.
    ``together``: all cores ask for the same addresses at once.
    """
    mte2 = chip.mte2
    hit_rate, miss_rate = (mte2.cap_l1, mte2.cap_l1_miss) if into == "l1" else (mte2.cap_ub, mte2.cap_ub_miss)
    rate = 1 / (miss / miss_rate + (1 - miss) / hit_rate + drag)
    hit = mte2.lat_nz if turned else mte2.lat
    later = mte2.lat_nz + mte2.lat_miss / 2 if turned else max(mte2.lat_miss, mte2.lat)  # half of it is the wait for L2
    latency = round(hit + miss * (later - hit))
    gm, l2 = _shares(chip, miss)
    return Path(latency, rate, gm, 1 / chip.per_cycle(chip.pool.l2_same) if together else l2, miss, turned)


def drag_of_odd_rows(chip: Chip, row_bytes: int, pitch: int) -> float:
    """Cycles lost per byte when rows of ``row_bytes``, ``pitch`` bytes apart, start at odd addresses."""
    return chip.mte2.row_odd / row_bytes if pitch % ALIGNED else 0.0


def drag_of_rows_apart(chip: Chip, row_bytes: float) -> float:
    """Cycles lost per byte of rows that lie apart in memory, on their way into UB."""
    return chip.mte2.row0 / (row_bytes * chip.mte2.cap_ub) if row_bytes else 0.0


def store_path(chip: Chip, absorbed: float, reads: float = 1.0) -> Path:
    """The way from UB out, with the part ``absorbed`` of the bytes staying in L2.

    ``reads``: bytes the task takes from device memory per byte it leaves there.
    """
    return Path(chip.mte3.lat, chip.mte3.cap, *_shares(chip, 1 - absorbed, reads), 1 - absorbed)


def fixp_path(chip: Chip, itemsize: int, absorbed: float, reads: float = 1.0) -> Path:
    """The way out of L0C: the slower of 64 elements per cycle and the write rate into L2."""
    rate = min(chip.fixp.elems * itemsize, chip.fixp.l2_write)
    return Path(chip.fixp.lat, rate, *_shares(chip, 1 - absorbed, reads), 1 - absorbed)


def l0c_to_ub(chip: Chip, results: int) -> int:
    """Cycles of the vector unit to take 4-byte results out of L0C, on chips where both are in one core."""
    return chip.vector.head + ceil(4 * results / chip.fixp.l2_write)


def absorbed_by_l2(chip: Chip, written: int) -> float:
    """The part of ``written`` bytes that fits L2 and need not reach device memory meanwhile."""
    return min(1.0, chip.buf.l2 / written) if written else 1.0


def vector_width(dtype: DType) -> int:
    """Bytes an element takes in a vector register: 2, 4, or 8 for what has no unit of its own."""
    return min(max(dtype.itemsize, 2), 8)


def vector_op(chip: Chip, op: VectorOp, width: int, conflict: bool = False) -> int:
    """Cycles of one vector operation: heads, and repeats times the class's cost.

    ``conflict``: both sources in one bank group of UB, so every repeat costs one cycle more.
    """
    repeats = ceil(op.elements * width / chip.vector.bytes)
    head = chip.vector.head_isolated if op.chain else chip.vector.head
    return op.times * (head + ceil(repeats * (chip.repeat.cycles(op.kind, width) + conflict)))


def _shares(chip: Chip, device: float, reads: float = 1.0) -> tuple[float, float]:
    mixed = min(1.0, reads / MIXED)
    gm = chip.pool.gm_write + mixed * (chip.pool.gm - chip.pool.gm_write)
    return device / chip.per_cycle(gm), 1 / chip.per_cycle(chip.pool.l2)
