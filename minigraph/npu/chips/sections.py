"""The sections of a chip's data: units, buffers, queues, shared bandwidths, overheads and the kernel library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cores:
    """Number of cube cores (``aic``) and of vector cores (``aiv``; 0: cube cores have both units), and their clock."""

    aic: int
    aiv: int
    freq_mhz: float


@dataclass(frozen=True)
class Cube:
    """The matrix unit: an ``m`` x ``n`` x k block per cycle, k by dtype (``k_f32`` 0: no float32 operands).

    ``pad_f32``: multiple to which k is padded in float32. ``head``: start-up cycles of an instruction. ``turn``:
    turnaround cycles from one instruction's end to the next one's start, for the exchange of flags.
    """

    m: int
    n: int
    k_f16: int
    k_i8: int
    k_f32: int
    pad_f32: int
    head: int
    turn: int


@dataclass(frozen=True)
class Buffers:
    """Bytes of each buffer, per core but for ``l2`` and device memory; ``ub_reserved``: kept by the kernel library."""

    l0a: int
    l0b: int
    l0c: int
    l1: int
    ub: int
    ub_reserved: int
    l2: int
    gm: int


@dataclass(frozen=True)
class Mte1:
    """Moves from L1 to L0A and L0B: bytes per cycle, overhead per move and of img2col (Load3D) reads in cycles."""

    l0a: float
    l0b: float
    ovh: int
    img2col_lat: int


@dataclass(frozen=True)
class Mte2:
    """Loads into L1 (cube cores) and UB (vector cores).

    Latency in cycles of an L2 hit (``lat``), an L2 miss (``lat_miss``), and a load with ND2NZ conversion (``lat_nz``,
    and ``row_nz`` for each row; such loads do not overlap). ``cap_``: bytes per cycle of one core, on hits and misses.
    ``row_odd``: cycles per row that ND2NZ reads at an address not aligned to 32 bytes. ``row0``: a strided load of rows
    of r bytes into UB reaches r / (r + row0) of the rate. ``outstanding``: loads in flight.
    """

    lat: int
    lat_miss: int
    lat_nz: int
    row_nz: float
    cap_l1: float
    cap_l1_miss: float
    cap_ub: float
    cap_ub_miss: float
    row_odd: float
    row0: float
    outstanding: int


@dataclass(frozen=True)
class Mte3:
    """Stores from UB: latency in cycles, bytes per cycle of one core."""

    lat: int
    cap: float


@dataclass(frozen=True)
class Fixp:
    """FixPipe, which stores L0C: elements per cycle, latency in cycles, bytes per cycle into L2.

    On coupled chips, the parameters of the move from L0C to UB.
    """

    elems: float
    lat: int
    l2_write: float


@dataclass(frozen=True)
class Vector:
    """The vector unit: bytes per repeat; start-up cycles of a pipelined (``head``) and of a dependent instruction."""

    bytes: int
    head: int
    head_isolated: int


@dataclass(frozen=True)
class Repeat:
    """Cycles per vector repeat, by instruction class and element size (2 or 4 bytes)."""

    simple_f16: float
    simple_f32: float
    special_f16: float
    special_f32: float
    cast_f16: float
    cast_f32: float
    reduce_f16: float
    reduce_f32: float
    transpose_f16: float
    transpose_f32: float
    gather_f16: float
    gather_f32: float

    def cycles(self, kind: str, width: int) -> float:
        """Cycles per repeat of a class for elements of ``width`` bytes; 8-byte elements cost as 4-byte ones."""
        return float(getattr(self, f"{kind}_{'f16' if width == 2 else 'f32'}"))


@dataclass(frozen=True)
class Scalar:
    """The scalar unit: cycles per element of a loop; ``init_us``: head overhead that counts as core time."""

    elem: float
    init_us: float


@dataclass(frozen=True)
class Pool:
    """Bandwidth that all cores share, in TB/s: achieved, and the profiler's roof, of device memory (GM) and of L2.

    ``gm_write``: device memory, writes only. ``gm_request``: bytes lost with each transfer below 16 KB. ``l2_same``,
    ``l2_same_l1``: L2, if cores load one address into UB, L1.
    """

    gm: float
    gm_write: float
    gm_request: int
    gm_roof: float
    l2: float
    l2_same: float
    l2_same_l1: float
    l2_roof: float


@dataclass(frozen=True)
class TaskHead:
    """Head overhead: device microseconds before a kernel's first instruction, and the extra of a MIX kernel.

    ``online``: 1 if kernels are compiled at their first use, 0 if they are precompiled.
    """

    head_us: float
    mix_extra_us: float
    online: int


@dataclass(frozen=True)
class Library:
    """The vendor's kernel library: 1 if plain operators are fused into its kernel for ``attention``, else 0."""

    attention: int


@dataclass(frozen=True)
class Sync:
    """Cycles to set and wait for a flag, to issue an instruction, and to synchronise all cores."""

    flag: int
    issue: int
    xcore: int
