"""``ms.profiler``: the times of operators in PyNative mode, in MindSpore's folders, as a Chrome trace.

Settings of devices have no effect. A compiled program calls no operator: ``minigraph explain`` shows its times.
"""

from minigraph.core.missing_names import profiler_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.profiler.marks import mstx
from minigraph.profiler.monitor import DynamicProfilerMonitor
from minigraph.profiler.recording import analyse, profile, tensorboard_trace_handler
from minigraph.profiler.settings import (
    AicoreMetrics,
    ExportType,
    ProfilerActivity,
    ProfilerLevel,
)
from minigraph.profiler.settings import (
    _ExperimentalConfig as _ExperimentalConfig,
)
from minigraph.profiler.steps import ProfilerAction, schedule

__all__ = [
    "AicoreMetrics", "DynamicProfilerMonitor", "ExportType", "ProfilerAction", "ProfilerActivity", "ProfilerLevel",
    "analyse", "mstx", "profile", "schedule", "tensorboard_trace_handler",
]  # fmt: skip
