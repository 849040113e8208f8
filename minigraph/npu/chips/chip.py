"""A chip as data: hardware figures, each with its value, source, evidence grade and uncertainty band.

One TOML file per chip becomes one frozen ``Chip``. The sections below are its schema: unknown keys, missing keys,
figures without a source and figures outside of their own band are errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import get_type_hints

from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.errors import ChipError
from minigraph.core.html_tables import table_html
from minigraph.npu.chips.figure import Figure, changed_figure, check_figure, figure_changes, parameter_hint

FAMILIES = ("split", "coupled")


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

    On coupled chips, the figures of the move from L0C to UB.
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
class Sync:
    """Cycles to set and wait for a flag, to issue an instruction, and to synchronise all cores."""

    flag: int
    issue: int
    xcore: int


@dataclass(frozen=True, eq=False)
class Chip:
    """One chip: values as ``chip.mte2.lat``, their provenance as ``chip.figures["mte2.lat"]``.

    ``family``: "split" (cube and vector cores exchange data through L2) or "coupled" (each core has both units).
    ``calibrated``: published measurements have been reproduced with the figures in ``reference``. A chip with other
    figures, or another ``kind`` (family and whether calibrated), for any reason, is a what-if.
    """

    name: str
    title: str
    family: str
    calibrated: bool
    note: str
    cores: Cores
    cube: Cube
    buf: Buffers
    mte1: Mte1
    mte2: Mte2
    mte3: Mte3
    fixp: Fixp
    vector: Vector
    repeat: Repeat
    scalar: Scalar
    pool: Pool
    task: TaskHead
    sync: Sync
    figures: Mapping[str, Figure]
    reference: Mapping[str, Figure]
    kind: tuple[str, bool]

    def __repr__(self) -> str:
        return f"<chip {self.name}>"

    def _repr_html_(self) -> str:
        rows = [(k, f"{x.v:g}", f"{x.lo:g} to {x.hi:g}", x.grade, x.src) for k, x in self.figures.items()]
        return table_html(self.calibration, rows, ("figure", "value", "band", "grade", "source"))

    @property
    def hz(self) -> float:
        """Cycles per second."""
        return self.cores.freq_mhz * 1e6

    @property
    def what_if(self) -> str:
        """What differs from the reference, as "mte2.lat 190 -> 100"; empty if nothing does."""
        figures = ((key, old, self.figures.get(key, old), attrgetter(key)(self)) for key, old in self.reference.items())
        changes = [change for row in figures for change in figure_changes(*row, may_be_weaker=not self.calibrated)]
        changes += [f"chip.family {self.kind[0]} -> {self.family}"] * (self.family != self.kind[0])
        return ", ".join(changes + ["chip.calibrated false -> true"] * (self.calibrated > self.kind[1]))

    @property
    def grade(self) -> str:
        """The basis of predictions: "calibrated", "nominal" or "what-if"."""
        return "what-if" if self.what_if else "calibrated" if self.calibrated else "nominal"

    @property
    def label(self) -> str:
        """The title and the grade: "Ascend 310 (nominal)", "Ascend 910B1 (what-if: mte2.lat 190 -> 100)"."""
        return f"{self.title} ({self.grade}{': ' * bool(self.what_if)}{self.what_if})"

    @property
    def calibration(self) -> str:
        """The grade and its reason: "Ascend 310 is nominal: ..."."""
        if self.what_if:
            return f"{self.title} is a what-if, not checked against any measurement: {self.what_if}"
        return f"{self.title} is {self.grade}{' on published measurements' * self.calibrated}: {self.note}"

    @property
    def vector_cores(self) -> int:
        """Cores with a vector unit."""
        return self.cores.aiv or self.cores.aic

    def us(self, cycles: float) -> float:
        """Cycles in microseconds."""
        return cycles / self.cores.freq_mhz

    def per_cycle(self, terabytes: float) -> float:
        """A bandwidth in TB/s, in bytes per cycle."""
        return terabytes * 1e12 / self.hz

    def replace(self, **values: float) -> Chip:
        """A copy of this chip with other values, for sensitivity analysis: ``chip.replace(mte2_lat=100)``.

        The first underscore separates section and key. Raises ``ChipError`` for an unknown figure or an invalid value.
        """
        chip = self
        for key, value in values.items():
            section, _, name = key.partition("_")
            full = f"{section}.{name}"
            if full not in self.figures:
                raise ChipError(f"chip {self.name}: no parameter '{full}'{parameter_hint(full, self.figures)}")
            figure = changed_figure(self.figures[full], value, self.reference.get(full))
            check_figure(f"chip {self.name}", full, figure, full in INTEGER_KEYS, full in MAY_BE_ZERO)
            figures = {**chip.figures, full: figure}
            chip = replace(chip, **{section: replace(getattr(chip, section), **{name: value}), "figures": figures})
        return chip

    changed, standing = DeprecatedAttribute("replace"), DeprecatedAttribute("calibration")


SECTIONS: dict[str, type] = {name: kind for name, kind in get_type_hints(Chip).items()
                             if isinstance(kind, type) and kind.__module__ == __name__}  # fmt: skip
MAY_BE_ZERO = {"cores.aiv", "cube.k_f32", "task.mix_extra_us", "task.online", "sync.xcore", "mte2.row_nz",
               "buf.ub_reserved", "pool.gm_request"}  # fmt: skip
INTEGER_KEYS = {f"{name}.{key}" for name, kind in SECTIONS.items() for key, t in get_type_hints(kind).items()
                if t is int}  # fmt: skip
