"""The roofline model (Williams, Waterman, Patterson, CACM 2009): one point per task and memory level.

As in the vendor's profiler, there are two bandwidth roofs, device memory and L2, with reads and writes counted. A
task's attainable performance is the lower of the peak of its units and its operational intensity times the bandwidth.
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

COLUMNS = ("task", "operator", "roof", "Ops/Byte", "TOps/s", "attainable TOps/s", "% attainable", "% peak", "us")
CURVES = {"GM": "GM Read + Write", "L2": "L2 Read + Write"}


class Roof(NamedTuple):
    """A bandwidth roof (``unit`` "TB/s") or a compute roof ("TOps/s")."""

    name: str
    value: float
    unit: str


class RooflinePoint(NamedTuple):
    """A task under one bandwidth roof (``roof``): operational intensity, and performance in TOps/s.

    ``tops``: achieved; ``attainable``: attainable under the roofs; ``peak``: of the units that the task uses.
    """

    row: NodeRow
    roof: str
    intensity: float
    tops: float
    attainable: float
    peak: float


@dataclass(frozen=True)
class Roofline:
    """The roofs of a chip and the points of a run; ``earlier``: the points of a run to compare with."""

    title: str
    roofs: tuple[Roof, ...]
    points: tuple[RooflinePoint, ...]
    earlier: tuple[RooflinePoint, ...] = ()


def roofline(report: Report, before: Report | None = None) -> Roofline:
    """The roofline of a run, with the points of the run ``before`` the passes, if given."""
    points = tuple(point for row in report.rows for point in _points(row))
    earlier = tuple(point for row in (before.rows if before else ()) for point in _points(row))
    return Roofline(f"GM/L2 of {report.title} on {report.label}", roofs_of(report.chip), points, earlier)


def roofs_of(chip: Chip) -> tuple[Roof, ...]:
    """The two bandwidth roofs, and the peaks of the cube and vector units of all cores.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> [f"{roof.name} {roof.value:.0f}" for roof in roofs_of(chip_named("ascend910b1"))][:3]
    ['GM Read + Write 2', 'L2 Read + Write 8', 'Cube_FP16(100%) 364']
    """
    cube = {name: costs.macs_per_cycle(chip, t) for name, t in (("FP16", float16), ("FP32", float32), ("INT8", int8))}
    peaks = {f"Cube_{name}": 2 * rate * chip.cores.aic for name, rate in cube.items()}
    bits = ((16, 2), (32, 4))
    peaks |= {f"Vector_FP{bit}": chip.vector.bytes / size * chip.vector_cores for bit, size in bits}
    return (
        Roof(CURVES["GM"], chip.pool.gm_roof, "TB/s"),
        Roof(CURVES["L2"], chip.pool.l2_roof, "TB/s"),
        *(Roof(f"{name}(100%)", peak * chip.hz / 1e12, "TOps/s") for name, peak in peaks.items()),
    )


def roofline_sheet(report: Report) -> Sheet:
    """One row per task and bandwidth roof, with the attainable performance."""
    model = roofline(report)
    rows = tuple(
        (f"%{p.row.node}", p.row.name, p.roof, p.intensity, p.tops, p.attainable, 100 * p.tops / p.attainable,
         100 * p.tops / p.peak, p.row.us)
        for p in model.points
    )  # fmt: skip
    roofs = "; ".join(f"{roof.name} {roof.value:,.3g} {roof.unit}" for roof in model.roofs)
    notes = f"roofs: {roofs}", report.calibration
    return Sheet(f"roofline {model.title}", COLUMNS, rows, notes, report.what_if, memory=report.basis.memory)


def _points(row: NodeRow) -> list[RooflinePoint]:
    """A task's points; none for a task without operations, or for a memory level without traffic."""
    cost, chip = row.cost, row.chip
    if not cost.ops or not cost.peak:
        return []
    tops, peak = cost.ops / row.us / 1e6, cost.ops / chip.us(cost.peak) / 1e6
    points = []
    for level, roof in (("GM", chip.pool.gm_roof), ("L2", chip.pool.l2_roof)):
        if cost.bytes[level]:
            intensity = cost.ops / cost.bytes[level]
            points.append(RooflinePoint(row, CURVES[level], intensity, tops, min(peak, intensity * roof), peak))
    return points
