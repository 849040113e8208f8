"""The Ascend NPU simulator: chips as data files, kernels as instruction streams, a discrete-event model of one core.

``simulate(fn_or_graph, *args, chip="ascend910b1")`` returns a ``Report``. ``cycles(graph)`` is a fast cost function for
passes, by the analytic model. ``sweep(models, chips, ...)`` explores a design space. ``chrome_trace`` and
``op_summary`` write files for Perfetto and the vendor's tools.
"""

from minigraph.core.deprecated_names import npu_getattr as __getattr__  # noqa: F401
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.hardware_parameter import HardwareParameter
from minigraph.npu.chips.registry import CHIPS, chip_named, register_chip
from minigraph.npu.host import DEFAULT_HOST, HOSTS, host_named
from minigraph.npu.report import Report
from minigraph.npu.reports.chrome import chrome_trace
from minigraph.npu.reports.profiler_summary import op_summary
from minigraph.npu.simulator import cycles, simulate
from minigraph.npu.sweeps import sweep
from minigraph.npu.sweeps.tuning import Tuning, autotune
from minigraph.npu.tiling.schedule import Schedule

__all__ = [
    "CHIPS",
    "DEFAULT_HOST",
    "HOSTS",
    "Chip",
    "HardwareParameter",
    "Report",
    "Schedule",
    "Tuning",
    "autotune",
    "chip_named",
    "chrome_trace",
    "cycles",
    "host_named",
    "op_summary",
    "register_chip",
    "simulate",
    "sweep",
]
