"""Instruction costs in cycles: formulas over the chip's parameters, shared by all modules of this package.

Nothing here depends on graphs, tiles or queues.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import NamedTuple

from minigraph.core.types import DType
from minigraph.npu.chips.chip import Chip

WIDE_NOTE = "no vector unit for 8-byte elements: estimated at half the rate of 4-byte elements"
EMULATED_NOTE = "no float32 operands in the cube: emulated by three float16 products (arXiv 2507.23387)"
CUBE_AS_FLOAT_NOTE = "no {0} operands in the cube: estimated at the float32 rate"
BLOCK_BYTES = 32  # UB and L1 are addressed in such blocks; ND2NZ reads rows aligned to them at full rate
BANK_ROW_BYTES = 512  # one block of each of UB's 16 bank groups (vendor's arch-2201 page)
L2_LINE_BYTES = 512  # of which a load that misses fetches whole ones (vendor's CAModel configuration)
EFFICIENT_TRANSFER_BYTES = 16384  # of the smallest transfer that device memory serves at full rate (vendor guide)
MIXED_READ_RATIO = 0.25  # bytes read per byte written from which device memory runs at its mixed read/write bandwidth


class VectorOp(NamedTuple):
    """A vector instruction of class ``kind`` over ``elements``, issued ``times`` times; a ``chain`` is dependent."""

    kind: str
    elements: int
    times: int = 1
    chain: bool = False


class CubeRate(NamedTuple):
    """A dtype in the cube: k is padded to ``k0``, one cycle takes ``ck`` of k; ``products`` emulate one product."""

    k0: int
    ck: int
    products: int


class Path(NamedTuple):
    """A transfer's data path: ``latency`` cycles, then ``rate`` bytes per cycle of one core.

    ``gm`` and ``l2``: cycles per byte of device memory and of L2, which all cores share. ``device``: share of the
    bytes that device memory serves. ``serialized``: the latency does not overlap with the latency of another load.
    ``request``: bytes that device memory could serve in the time that it loses with each small transfer.
    """

    latency: int
    rate: float
    gm: float
    l2: float
    device: float
    serialized: bool = False
    request: float = 0.0

    def gm_cycles(self, bytes_moved: int) -> float:
        """Cycles of device memory for one transfer; it loses time with those below ``EFFICIENT_TRANSFER_BYTES``.

        >>> path = Path(20, 50.0, 0.5, 0.25, 1.0, request=1000)
        >>> path.gm_cycles(8192), path.gm_cycles(16000), path.gm_cycles(32768)
        (4596.0, 8192.0, 16384.0)
        """
        return self.gm * min(bytes_moved + self.request, max(bytes_moved, EFFICIENT_TRANSFER_BYTES))


def cube_rate(chip: Chip, dtype: DType) -> CubeRate:
    """The cube's rate for a dtype: bfloat16 runs as float16, wider dtypes as float32."""
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
    """Cycles of one (m,k) @ (k,n) block: start-up of the instruction, then whole 16 x 16 x k0 cubes."""
    rate = cube_rate(chip, dtype)
    cubes = ceil(m / chip.cube.m) * ceil(n / chip.cube.n) * ceil(k / rate.k0)
    return rate.products * (chip.cube.head + cubes * (rate.k0 // rate.ck))


def mte1_a(chip: Chip, bytes_moved: int, window: int, stride: int, rows_spanned: int) -> int:
    """Cycles to move the left operand's block from L1 to L0A; of a convolution (``window`` > 1) by img2col."""
    if window == 1:
        return chip.mte1.ovh + ceil(bytes_moved / chip.mte1.l0a)
    rate = img2col_rate(chip, stride, rows_spanned)
    return max(chip.mte1.ovh, chip.mte1.img2col_lat) + ceil(bytes_moved / rate)


def img2col_rate(chip: Chip, stride: int, rows_spanned: int) -> float:
    """Bytes per cycle that img2col writes to L0A, as in the vendor's Load3D table.

    The rate falls with the output rows that a block spans and with the stride along a row; strides other than 1, 2, 4
    and 8 run at the minimum of 32.
    """
    full, rows = 2 * chip.mte1.l0a, rows_spanned if rows_spanned > 1 else 0
    if stride not in (1, 2, 4, 8):
        return 32.0
    rate = full / (rows + 2) if stride == 1 else full / (2 * stride + rows)
    return max(32.0, min(rate, chip.mte1.l0a))


def mte1_b(chip: Chip, bytes_moved: int) -> int:
    """Cycles to move the right operand's block from L1 to L0B."""
    return chip.mte1.ovh + ceil(bytes_moved / chip.mte1.l0b)


@lru_cache(maxsize=65536)
def load_path(
    chip: Chip, miss: float, into: str, nd2nz_rows: int = 0, penalty: float = 0.0, streams: int = 0,
    device: float | None = None, line_share: float = 1.0,
) -> Path:  # fmt: skip
    """The load path into "l1" or "ub" at the L2 miss rate ``miss``.

    Misses run at the device-memory rate and hits at the L2 rate, one after the other: their times add up.
    ``nd2nz_rows``: rows that MTE2 converts from ND to NZ. ``penalty``: extra cycles per byte on the core's path.
    ``streams``: streams of addresses that several cores load in step (0: each core has its own). ``device``: share of
    the bytes that device memory serves, below ``miss`` if several cores wait for the same bytes. ``line_share``: share
    of an L2 line that a load reads; its neighbours hit.
    """
    mte2 = chip.mte2
    hit_rate, miss_rate = (mte2.cap_l1, mte2.cap_l1_miss) if into == "l1" else (mte2.cap_ub, mte2.cap_ub_miss)
    rate = 1 / (miss / miss_rate + (1 - miss) / hit_rate + penalty)
    hit = mte2.lat_nz + nd2nz_rows * mte2.row_nz if nd2nz_rows else mte2.lat
    later = mte2.lat_miss / 2 if nd2nz_rows else max(0, mte2.lat_miss - mte2.lat)  # lat_nz has the other half
    latency = round(hit + miss * line_share * later)
    served = miss if device is None else device
    gm, l2 = _pool_cycles(chip, served)
    if streams:  # requests for one address are served one after another
        same = chip.pool.l2_same_l1 if into == "l1" else chip.pool.l2_same
        l2 = max(l2, 1 / (streams * chip.per_cycle(same)))
    return Path(latency, rate, gm, l2, served, bool(nd2nz_rows), line_share * chip.pool.gm_request)


def misalignment_penalty(chip: Chip, row_bytes: int, pitch: int) -> float:
    """Cycles per byte lost when rows of ``row_bytes`` at a stride of ``pitch`` bytes are not aligned to 32 bytes."""
    return chip.mte2.row_odd / row_bytes if pitch % BLOCK_BYTES else 0.0


def stride_penalty(chip: Chip, row_bytes: float) -> float:
    """Cycles per byte lost by a strided load into UB; 0 ``row_bytes`` is a contiguous load."""
    return chip.mte2.row0 / (row_bytes * chip.mte2.cap_ub) if row_bytes else 0.0


def store_path(chip: Chip, absorbed: float, read_ratio: float = 1.0) -> Path:
    """The store path out of UB; L2 absorbs the share ``absorbed`` of the bytes.

    ``read_ratio``: bytes the task reads from device memory per byte it writes there.
    """
    pool, request = _pool_cycles(chip, 1 - absorbed, read_ratio), chip.pool.gm_request
    return Path(chip.mte3.lat, chip.mte3.cap, *pool, 1 - absorbed, request=request)


def fixp_path(chip: Chip, itemsize: int, absorbed: float, read_ratio: float = 1.0) -> Path:
    """The store path out of L0C through FixPipe: the slower of its element rate and the write rate into L2."""
    rate = min(chip.fixp.elems * itemsize, chip.fixp.l2_write)
    pool, request = _pool_cycles(chip, 1 - absorbed, read_ratio), chip.pool.gm_request
    return Path(chip.fixp.lat, rate, *pool, 1 - absorbed, request=request)


def l0c_to_ub(chip: Chip, results: int) -> int:
    """Cycles of the vector unit to move 4-byte results from L0C to UB, on coupled chips."""
    return chip.vector.head + ceil(4 * results / chip.fixp.l2_write)


def absorbed_by_l2(chip: Chip, written: int) -> float:
    """The share of ``written`` bytes that fits L2, so that it is not written back during the task."""
    return min(1.0, chip.buf.l2 / written) if written else 1.0


def vector_width(dtype: DType) -> int:
    """Bytes of an element in a vector register: 2, 4, or 8 for dtypes without a vector unit."""
    return min(max(dtype.itemsize, 2), 8)


def vector_op(chip: Chip, op: VectorOp, width: int, conflict: bool = False) -> int:
    """Cycles of one vector operation: start-up of each instruction, plus its repeats at the cost of its class.

    ``conflict``: both sources are in one UB bank group, which costs one more cycle per repeat.
    """
    repeats = ceil(op.elements * width / chip.vector.bytes)
    head = chip.vector.head_isolated if op.chain else chip.vector.head
    return op.times * (head + ceil(repeats * (chip.repeat.cycles(op.kind, width) + conflict)))


def _pool_cycles(chip: Chip, device: float, read_ratio: float = 1.0) -> tuple[float, float]:
    mixed = min(1.0, read_ratio / MIXED_READ_RATIO)
    gm = chip.pool.gm_write + mixed * (chip.pool.gm - chip.pool.gm_write)
    return device / chip.per_cycle(gm), 1 / chip.per_cycle(chip.pool.l2)
