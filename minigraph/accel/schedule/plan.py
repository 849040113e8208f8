"""The accelerated schedule of a graph: steps in order, grouped into loops and tiles, with buffers assigned."""

from __future__ import annotations

from minigraph.accel.loops.fused_nodes import LoopInlining
from minigraph.accel.schedule.concat_elision import ConcatElision
from minigraph.accel.schedule.layouts import KnownLayouts, note_layouts
from minigraph.accel.schedule.lowering import lower_graph
from minigraph.accel.schedule.scatter_add import lower_scatter_sums
from minigraph.accel.schedule.tiled_memory import assign_buffers, memory_roots
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.accel.schedule.tiling import has_large_result, tiled_groups_of
from minigraph.ir.graph import Graph


def make_plan(graph: Graph) -> TiledPlan:
    """The schedule of a graph: lowered, fused nodes inlined, tiled, buffers assigned."""
    plan = TiledPlan()
    inlining = LoopInlining(plan)
    inlining.append_whole(lower_graph(graph))
    plan.steps = lower_scatter_sums(plan.steps, inlining.fresh)
    concats = ConcatElision(plan.steps, plan.live_out, plan.types, inlining.fresh)
    plan.steps, plan.preallocated = concats.steps, concats.views
    types = plan.types
    layouts = KnownLayouts(plan, types)
    plan.steps = [layouts.propagate(step) for step in plan.steps]
    root = memory_roots(plan)
    if has_large_result(plan.steps):
        plan.tiled_groups = tiled_groups_of(plan)
    assign_buffers(plan, types, root)
    note_layouts(plan, layouts, root)
    return plan
