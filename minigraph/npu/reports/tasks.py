"""The task table: time, roofline bound, bottleneck, queue utilisation, memory traffic and evidence grade of each task.

The verdict is the vendor profiler's. The grade is the grade of the least certain among the parameters that account
for at least a tenth of the task's time.
"""

from __future__ import annotations

from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.hardware_parameter import GRADE_LEGEND, GRADES
from minigraph.npu.cost import Cost
from minigraph.npu.efficiency import band_legend
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.engine.resource_use import LEVELS
from minigraph.npu.job_cost import VERDICT_LEGEND
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.reports.sheet import Cell, Sheet
from minigraph.npu.tiling.layout import ESTIMATE_NOTE

SIGNIFICANT_SHARE = 0.1  # of a task's time, from which a cause counts for its grade
COLUMNS = (
    "task", "operator", "line", "us", "band us", "bound us", "head us", "verdict", "cores", "waves", "imbalance",
    *(f"{queue} %" for queue in QUEUES), *(f"{level} kB" for level in LEVELS), "L2 hit %", "cube peak %", "grade",
)  # fmt: skip
ENERGY_NOTE = "energy: not estimated, because no values in joules per operation or byte are published for these chips"
# The chip parameters behind each cause of a critical path.
PARAMETERS = {
    "head": ("task.head_us",), "bandwidth": ("pool.gm", "pool.l2"), "S": ("scalar.elem",), "issue": ("sync.issue",),
    "flag": ("sync.flag",), "buffer": ("sync.flag",), "other cores": ("sync.xcore",), "M": ("cube.head", "cube.turn"),
    "MTE1": ("mte1.l0a", "mte1.l0b", "mte1.ovh"), "MTE2": ("mte2.lat", "mte2.lat_nz", "mte2.cap_l1", "mte2.cap_ub"),
    "MTE3": ("mte3.lat", "mte3.cap"), "FIXP": ("fixp.elems", "fixp.l2_write"),
    "V": ("vector.head", "repeat.simple_f16", "repeat.simple_f32"),
}  # fmt: skip


def task_sheet(report: Report) -> Sheet:
    """All tasks, the slowest first: times in microseconds, traffic in kB over all cores, queues of the busiest core."""
    rows = tuple(_cells(row) for row in sorted(report.rows, key=lambda row: -row.us))
    total = f"{len(rows):,} task{'s' * (len(rows) != 1)}, {report.us:,.2f} us, lower bound {report.bound_us:,.2f} us"
    title = f"{report.title} on {report.label}: {total} ({report.engine} engine)"
    notes = (report.calibration, *report.notes, ENERGY_NOTE)
    return Sheet(title, COLUMNS, rows, notes, report.what_if, (band_legend(), VERDICT_LEGEND, GRADE_LEGEND),
                 report.basis.memory)  # fmt: skip


def schedule_sheet(report: Report) -> Sheet:
    """The kernel of every task: what bounds it, and the schedule that fixes its tiles, cores, buffers and queues."""
    rows = tuple(
        (f"%{row.node}", row.name, row.us, row.cost.verdict, "{} {:.0%}".format(*row.cost.busiest), str(row.schedule))
        for row in report.rows
    )
    columns = ("task", "operator", "us", "verdict", "busiest queue", "schedule")
    title = f"Schedules of {report.title} on {report.label}"
    basis = report.basis
    return Sheet(title, columns, rows, (basis.calibration,), basis.what_if, (VERDICT_LEGEND,), basis.memory)


def _cells(row: NodeRow) -> tuple[Cell, ...]:
    cost, us = row.cost, row.chip.us
    return (
        f"%{row.node}", row.name, row.loc, row.us, row.band_text, us(cost.bound), us(row.head), cost.verdict,
        cost.layout.cores, waves(row), imbalance(row), *(100 * use for use in queue_use(row).values()),
        *(cost.bytes[level] / 1e3 for level in LEVELS), 100 * cost.hit_rate, 100 * cost.cube_utilization,
        grade_of(cost, row.chip),
    )  # fmt: skip


def queue_use(row: NodeRow) -> dict[str, float]:
    """Utilisation (0 to 1) of each queue of the busiest core during a task, without its head."""
    cycles = max(row.cost.cycles, 1)
    return {queue: max((part.busy[queue] for part in row.cost.parts), default=0) / cycles for queue in QUEUES}


def waves(row: NodeRow) -> int:
    """Waves: tiles on the busiest core, in the plan with the most."""
    return max((plan.per_core for plan in row.cost.layout.tiled_plans), default=1)


def imbalance(row: NodeRow) -> float:
    """Load imbalance: work of the busiest core over the mean of the active cores; 1 is balanced.

    Idle cores are not counted; see the column ``cores``.
    """
    return max((1 / part.balance for part in row.cost.parts), default=1.0)


def grade_of(cost: Cost, chip: Chip) -> str:
    """The grade of the least certain parameter behind a tenth of the task; "U" on a nominal or changed chip."""
    if chip.grade != "calibrated" or ESTIMATE_NOTE in cost.layout.notes:
        return "U"
    causes = _significant_causes(cost, chip)
    grades = [chip.parameters[name].grade for cause in causes for name in PARAMETERS.get(cause, ())]
    return max(grades, key=GRADES.index, default="U")


def _significant_causes(cost: Cost, chip: Chip) -> list[str]:
    """Causes of at least a tenth of a task's time: on its critical path or, without one, its busiest queue."""
    head = cost.head_us * chip.cores.freq_mhz
    times = {"head": head, **(cost.critical or {cost.busiest[0]: float(cost.cycles)})}
    return [cause for cause, cycles in times.items() if cycles >= SIGNIFICANT_SHARE * (head + cost.cycles)]
