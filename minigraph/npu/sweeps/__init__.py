"""Design space exploration: models × pipelines × chips × chip parameters, over any executor, into one table."""

from minigraph.core.deprecated_names import sweeps_getattr as __getattr__  # noqa: F401
from minigraph.core.processes import SerialExecutor
from minigraph.npu.sweeps.axes import Axis, axis_of
from minigraph.npu.sweeps.pareto import best_points, front_lines
from minigraph.npu.sweeps.run import sweep
from minigraph.npu.sweeps.table import Table

__all__ = ["Axis", "SerialExecutor", "Table", "axis_of", "best_points", "front_lines", "sweep"]
