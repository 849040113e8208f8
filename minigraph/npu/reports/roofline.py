"""Every task under the roofs of its chip: operations per byte against operations per second.

Two curves, as in the vendor's profiler: the bytes of device memory and those of L2, each read and written. A task is
a dot under each of them; what it could reach is the lower of its unit's peak and its intensity times the bandwidth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from minigraph.core.types import float16, float32, int8
from minigraph.npu.chips.chip import Chip
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.reports.sheet import Sheet
from minigraph.npu.tiling import costs

COLUMNS = ("task", "operator", "curve", "Ops/Byte", "TOps/s", "reachable TOps/s", "% of reachable", "% of peak", "us")
CURVES = {"GM": "GM Read + Write", "L2": "L2 Read + Write"}


class Roof(NamedTuple):
    """A slanted roof (``unit`` "TB/s") or a flat one ("TOps/s")."""

    name: str
    value: float
    unit: str


class RooflinePoint(NamedTuple):
    """A task under one curve: operations per byte of the level, and operations per second reached, in 10^12."""

    row: NodeRow
    curve: str
    intensity: float
    tops: float
    reachable: float
    peak: float


@dataclass(frozen=True)
class Roofline:
    """The roofs of a chip and the tasks of a run under them; ``earlier`` are those of the run before a change."""

    title: str
    roofs: tuple[Roof, ...]
    points: tuple[RooflinePoint, ...]
    earlier: tuple[RooflinePoint, ...] = ()


def roofline(report: Report, before: Report | None = None) -> Roofline:
    """The roofline of a run, and of the run ``before`` a pass to compare with."""
    points = tuple(point for row in report.rows for point in _points(row))
    earlier = tuple(point for row in (before.rows if before else ()) for point in _points(row))
    return Roofline(f"GM/L2 of {report.title} on {report.chip.label}", roofs_of(report.chip), points, earlier)


def roofs_of(chip: Chip) -> tuple[Roof, ...]:
    """The two curves and the peaks of cube and vector units of all cores.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> [f"{roof.name} {roof.value:.0f}" for roof in roofs_of(chip_named("ascend910b1"))][:3]
    ['GM Read + Write 2', 'L2 Read + Write 8', 'Cube_FP16(100%) 364']
    """
    cube = {name: costs.macs_per_cycle(chip, t) for name, t in (("FP16", float16), ("FP32", float32), ("INT8", int8))}
    peaks = {f"Cube_{name}": 2 * each * chip.cores.aic for name, each in cube.items()}
    bits = ((16, 2), (32, 4))
    peaks |= {f"Vector_FP{bit}": chip.vector.bytes / size * chip.vector_cores for bit, size in bits}
    return (
        Roof(CURVES["GM"], chip.pool.gm_roof, "TB/s"),
        Roof(CURVES["L2"], chip.pool.l2_roof, "TB/s"),
        *(Roof(f"{name}(100%)", each * chip.hz / 1e12, "TOps/s") for name, each in peaks.items()),
    )


def roofline_sheet(report: Report) -> Sheet:
    """Every task under both curves, with what it could reach there."""
    found = roofline(report)
    rows = tuple(
        (f"%{p.row.node}", p.row.name, p.curve, p.intensity, p.tops, p.reachable, 100 * p.tops / p.reachable,
         100 * p.tops / p.peak, p.row.us)
        for p in found.points
    )  # fmt: skip
    roofs = "; ".join(f"{roof.name} {roof.value:,.3g} {roof.unit}" for roof in found.roofs)
    return Sheet(f"roofline {found.title}", COLUMNS, rows, (f"roofs: {roofs}", report.standing))


def _points(row: NodeRow) -> list[RooflinePoint]:
    """A task's dots; none for one that computes nothing, or under a curve whose bytes it does not touch."""
    cost, chip = row.cost, row.chip
    if not cost.ops or not cost.peak:
        return []
    tops, peak = cost.ops / row.us / 1e6, cost.ops / chip.us(cost.peak) / 1e6
    found = []
    for level, roof in (("GM", chip.pool.gm_roof), ("L2", chip.pool.l2_roof)):
        if cost.bytes[level]:
            intensity = cost.ops / cost.bytes[level]
            found.append(RooflinePoint(row, CURVES[level], intensity, tops, min(peak, intensity * roof), peak))
    return found
