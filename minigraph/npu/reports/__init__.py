"""Reports on a simulated run: as data, as tables for a terminal, and as CSV.

``task_sheet``, ``schedule_sheet``, ``critical_sheet``, ``roofline`` and ``occupancy`` read a ``Report``. ``sliders``,
``tornado`` (both sensitivity analysis) and ``fusion_gains`` evaluate a graph on variants of a chip or of the graph.
``op_summary``, ``op_statistic``, ``fusion_op``, ``task_time`` and ``operator_trace`` have the form of the vendor's
profiler; ``chrome_trace`` is for Perfetto.
"""

from minigraph.npu.reports.chrome import chrome_trace
from minigraph.npu.reports.critical_path import critical_sheet
from minigraph.npu.reports.fusion import EdgeGain, fusion_gains, fusion_sheet
from minigraph.npu.reports.memory import Level, Occupancy, memory_sheet, occupancy
from minigraph.npu.reports.operator_trace import operator_trace
from minigraph.npu.reports.profiler import fusion_op, op_statistic, task_time
from minigraph.npu.reports.profiler_summary import op_summary
from minigraph.npu.reports.roofline import Roof, Roofline, RooflinePoint, roofline, roofline_sheet
from minigraph.npu.reports.sensitivity import Slider, sliders, tornado, tornado_sheet, what_if
from minigraph.npu.reports.sheet import Sheet
from minigraph.npu.reports.tasks import grade_of, schedule_sheet, task_sheet

__all__ = [
    "EdgeGain",
    "Level",
    "Occupancy",
    "Roof",
    "Roofline",
    "RooflinePoint",
    "Sheet",
    "Slider",
    "chrome_trace",
    "critical_sheet",
    "fusion_gains",
    "fusion_op",
    "fusion_sheet",
    "grade_of",
    "memory_sheet",
    "occupancy",
    "op_statistic",
    "op_summary",
    "operator_trace",
    "roofline",
    "roofline_sheet",
    "schedule_sheet",
    "sliders",
    "task_sheet",
    "task_time",
    "tornado",
    "tornado_sheet",
    "what_if",
]
