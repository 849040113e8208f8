"""A chip as data: every figure with its value, source, evidence grade and band.

One TOML file per chip becomes one frozen ``Chip``. The sections below are the schema: a key that is not a
field, a field that is not a key, a figure without a source or outside of its own band is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_type_hints

from minigraph.core.errors import ChipError, did_you_mean
from minigraph.core.html_tables import table_html
from minigraph.npu.chips.figure import Figure, check_figure

FAMILIES = ("split", "coupled")


@dataclass(frozen=True)
class Cores:
    """How many cube cores (``aic``) and vector cores (``aiv``, 0 = inside the cube cores), and their clock."""

    aic: int
    aiv: int
    freq_mhz: float


@dataclass(frozen=True)
class Cube:
    """The matrix unit: an ``m`` x ``n`` x k block per cycle, k by dtype (``k_f32`` 0: no float32 operands).

    ``pad_f32`` is what k is padded to in float32; ``head`` the cycles before an instruction's first block;
    ``turn`` the cycles from one instruction's end to the next one's start, while flags are exchanged.
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
    """Bytes of each buffer a kernel may use: per core, and ``l2`` for the chip."""

    l0a: int
    l0b: int
    l0c: int
    l1: int
    ub: int
    l2: int


@dataclass(frozen=True)
class Mte1:
    """L1 to the cube's operand buffers: bytes per cycle to L0A and L0B, overhead per move in cycles.

    ``img2col_lat`` replaces the overhead for convolution reads.
    """

    l0a: float
    l0b: float
    ovh: int
    img2col_lat: int


@dataclass(frozen=True)
class Mte2:
    """Loads into L1 (cube cores) and UB (vector cores).

    Latency in cycles when L2 has the line (``lat``), when it has not, and when ND is turned into NZ on the way
    into L1 (``lat_nz``; such loads do not overlap); the bytes per cycle one core can take in each case;
    ``row_odd`` cycles per row that ND to NZ finds at an address not divisible by 32; ``row0``: rows of r bytes
    that lie apart move into UB at r / (r + row0) of the rate; how many loads may be ``outstanding``.
    """

    lat: int
    lat_miss: int
    lat_nz: int
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
    """Results out of L0C: elements per cycle, latency in cycles, bytes per cycle into L2.

    On coupled chips the same numbers describe the move from L0C to UB.
    """

    elems: float
    lat: int
    l2_write: float


@dataclass(frozen=True)
class Vector:
    """The vector unit: bytes per repeat, cycles before a chained and before an isolated instruction."""

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
        """Cycles per repeat of a class for elements of ``width`` bytes (8-byte ones cost as 4-byte ones)."""
        return float(getattr(self, f"{kind}_{'f16' if width == 2 else 'f32'}"))


@dataclass(frozen=True)
class Scalar:
    """The scalar unit: cycles per element of a load-compute-store loop, microseconds a kernel sets itself up.

    ``init_us`` is the part of a task's head that is spent in the cores: what a profiler counts as core time.
    """

    elem: float
    init_us: float


@dataclass(frozen=True)
class Pool:
    """What all cores share, in TB/s: bandwidth achieved and the profiler's roof, of device memory and of L2.

    ``gm_write`` is what device memory takes when it is only written; ``l2_same`` what L2 gives when all cores
    ask for the same addresses at once.
    """

    gm: float
    gm_write: float
    gm_roof: float
    l2: float
    l2_same: float
    l2_roof: float


@dataclass(frozen=True)
class TaskHead:
    """Device microseconds before a kernel's first useful cycle; extra when cube and vector cores work together.

    ``online`` is 1 where kernels are compiled when they are first used, 0 where they come compiled.
    """

    head_us: float
    mix_extra_us: float
    online: int


@dataclass(frozen=True)
class Sync:
    """Cycles to set and see a flag, to issue an instruction, and for cores to wait for each other."""

    flag: int
    issue: int
    xcore: int


@dataclass(frozen=True, eq=False)
class Chip:
    """One chip; numbers as ``chip.mte2.lat``, their warrants as ``chip.figures["mte2.lat"]``.

    ``family`` is "split" (cube and vector cores meet in L2) or "coupled" (one core has both units).
    ``calibrated`` is False when no published measurement was reproduced with these figures.
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

    def __repr__(self) -> str:
        return f"<chip {self.name}>"

    def _repr_html_(self) -> str:
        known = self.figures.items()
        rows = [(key, f"{one.v:g}", f"{one.lo:g} to {one.hi:g}", one.grade, one.src) for key, one in known]
        return table_html(f"{self.title}: {self.standing}", rows, ("figure", "value", "band", "grade", "source"))

    @property
    def hz(self) -> float:
        """Cycles per second."""
        return self.cores.freq_mhz * 1e6

    @property
    def label(self) -> str:
        """The name for people with its standing: "Ascend 310 (nominal)"."""
        return f"{self.title} ({'calibrated' if self.calibrated else 'nominal'})"

    @property
    def standing(self) -> str:
        """How far the figures can be trusted, and why: "Ascend 310 is nominal: ..."."""
        kind = "calibrated on published measurements" if self.calibrated else "nominal"
        return f"{self.title} is {kind}: {self.note}"

    @property
    def vector_cores(self) -> int:
        """Cores with a vector unit."""
        return self.cores.aiv or self.cores.aic

    def us(self, cycles: float) -> float:
        """Microseconds of a number of cycles."""
        return cycles / self.cores.freq_mhz

    def per_cycle(self, terabytes: float) -> float:
        """Bytes per cycle of a bandwidth in TB/s."""
        return terabytes * 1e12 / self.hz

    def changed(self, **values: float) -> Chip:
        """This chip with other values, for what-if questions: ``chip.changed(mte2_lat=100)``.

        The section stands before the first underscore. Raises ``ChipError`` for an unknown figure or an
        impossible value.
        """
        chip = self
        for key, value in values.items():
            section, _, name = key.partition("_")
            full = f"{section}.{name}"
            if full not in self.figures:
                raise ChipError(f"chip {self.name}: no figure '{full}'{did_you_mean(full, self.figures)}")
            old = self.figures[full]
            figure = Figure(value, f"changed by hand; was {old.v:g}", "U", value, value)
            check_figure(f"chip {self.name}", full, figure, full in WHOLE, full in MAY_BE_ZERO)
            part = replace(getattr(chip, section), **{name: value})
            chip = replace(chip, **{section: part, "figures": {**chip.figures, full: figure}})
        return chip


SECTIONS: dict[str, type] = {
    name: kind for name, kind in get_type_hints(Chip).items() if isinstance(kind, type) and kind.__module__ == __name__
}
# Figures for which nothing is a meaningful amount: no such unit, or no such cost.
MAY_BE_ZERO = frozenset({"cores.aiv", "cube.k_f32", "task.mix_extra_us", "task.online", "sync.xcore"})
WHOLE = frozenset(
    f"{name}.{key}" for name, kind in SECTIONS.items() for key, t in get_type_hints(kind).items() if t is int
)
