"""From a job to plans: which cores, which tiles, what stays in which buffer, and closed forms that price them.

``layout`` decides between the units; ``cube_candidates``, ``cube_tiling`` and ``vector_tiling`` find tiles; ``costs``
is what one instruction takes, ``cube_analytic`` and ``analytic`` what a plan does; ``plan`` holds the records.
"""

from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import Job, Layout, Schedule

__all__ = ["Job", "Layout", "Schedule", "layout_of"]
