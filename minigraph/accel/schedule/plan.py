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
    fresh = inlining.fresh
    if plan.stored:
        _elide_parameter_copies(plan)
    live_out = plan.live_out
    plan.steps = lower_scatter_sums(plan.steps, fresh)
    concats = ConcatElision(plan.steps, live_out, plan.types, fresh)
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


def _elide_parameter_copies(plan: TiledPlan) -> None:
    """Assign results to Parameters without a copy, unless the caller receives the same array.

    This is the copy coalescing of register allocation: a large Parameter is updated in two thirds of the time. It is
    sound for a step that allocates its result. Readers of the copy then read the result itself.
    """
    producer = {out: i for i, step in enumerate(plan.steps) for out in step.outs}
    root = memory_roots(plan)
    returned = {root[value] for value in plan.outs}
    elided: dict[int, int] = {}  # by copy, the result that replaces it
    for i, step in enumerate(plan.steps):
        if not elided.keys().isdisjoint(step.ins):
            plan.steps[i] = step = step._replace(ins=tuple(elided.get(value, value) for value in step.ins))
        if step.op.stores and step.ins[1] not in returned:
            k = producer.get(step.ins[1])
            if k is not None and plan.steps[k].op.into and not plan.steps[k].op.view:
                returned.add(step.ins[1])
                elided[step.outs[0]] = step.ins[1]
                plan.steps[k] = plan.steps[k]._replace(node=f"{plan.steps[k].node} {step.node}")
    plan.steps = [step for step in plan.steps if not (step.op.stores and step.outs[0] in elided)]
    plan.outs = tuple(elided.get(value, value) for value in plan.outs)
    plan.stored = {key: elided.get(value, value) for key, value in plan.stored.items()}
