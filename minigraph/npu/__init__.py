"""The Ascend NPU simulator: chips as data, operators as instruction streams, time as queues of one core.

``simulate(fn_or_graph, *args, chip="ascend910b1")`` returns a ``Report``; ``cycles(graph)`` is its cheap cousin
for passes, ``sweep(models, chips, ...)`` does it for a whole design space; ``chrome_trace`` and ``op_summary`` write
what Perfetto and the vendor's tools read.
"""

from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.figure import Figure
from minigraph.npu.chips.registry import CHIPS, chip_named, register_chip
from minigraph.npu.host import DEFAULT_HOST, HOSTS, host_named
from minigraph.npu.report import Report
from minigraph.npu.reports.chrome import chrome_trace
from minigraph.npu.reports.profiler_summary import op_summary
from minigraph.npu.simulator import cycles, simulate
from minigraph.npu.sweeps import sweep
from minigraph.npu.tiling.plan import Schedule

__all__ = [
    "CHIPS",
    "DEFAULT_HOST",
    "HOSTS",
    "Chip",
    "Figure",
    "Report",
    "Schedule",
    "chip_named",
    "chrome_trace",
    "cycles",
    "host_named",
    "op_summary",
    "register_chip",
    "simulate",
    "sweep",
]
