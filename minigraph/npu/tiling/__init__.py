"""From a job to plans: the mapping onto cores and tiles, and the analytic model of its time.

``plan``: the records. ``layout``: the units that a job uses. ``cube_tiling`` and ``vector_tiling``: the tiling search,
over ``cube_candidates`` and ``cube_counts`` for products; ``vector_memory``: what vector work holds and loads.
``costs``: instruction costs. ``analytic`` and ``cube_analytic``: the cycles of a plan.
"""

from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import Job, Layout
from minigraph.npu.tiling.schedule import Schedule

__all__ = ["Job", "Layout", "Schedule", "layout_of"]
