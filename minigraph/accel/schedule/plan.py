"""The accelerated schedule of a graph: steps in order, grouped into loops and tiles, with buffers assigned."""

from __future__ import annotations

from minigraph.accel.loops.joined import LoopInlining
from minigraph.accel.schedule.blocks import are_large, blocks_of
from minigraph.accel.schedule.joins import Joins
from minigraph.accel.schedule.layouts import Likes, note_layouts
from minigraph.accel.schedule.lowered import lowered
from minigraph.accel.schedule.tiled_memory import assign_buffers, memory_roots
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.accel.schedule.totals import with_totals
from minigraph.ir.graph import Graph


def planned(graph: Graph) -> TiledPlan:
    """The schedule of a graph: lowered, fused nodes inlined, tiled, buffers assigned."""
    plan = TiledPlan()
    inlining = LoopInlining(plan)
    inlining.append_whole(lowered(graph))
    fresh = inlining.fresh
    if plan.stored:
        _keep_results(plan)
    leaving = plan.leaving
    plan.steps = with_totals(plan.steps, fresh)
    joins = Joins(plan.steps, leaving, plan.types, fresh)
    plan.steps, plan.places = joins.steps, joins.places
    types = plan.types
    likes = Likes(plan, types)
    plan.steps = [likes.seen(step) for step in plan.steps]
    root = memory_roots(plan)
    if are_large(plan.steps):
        plan.blocks = blocks_of(plan)
    assign_buffers(plan, types, root)
    note_layouts(plan, likes, root)
    return plan


def _keep_results(plan: TiledPlan) -> None:
    """Assign results to Parameters without a copy, where the caller does not receive the same array.

    That is sound for a step that allocates its result. Readers of the copy then read the result itself.
    """
    maker = {out: i for i, step in enumerate(plan.steps) for out in step.outs}
    root = memory_roots(plan)
    given = {root[value] for value in plan.outs}
    same: dict[int, int] = {}  # by copy, the result that is kept
    for i, step in enumerate(plan.steps):
        if not same.keys().isdisjoint(step.ins):
            plan.steps[i] = step = step._replace(ins=tuple(same.get(value, value) for value in step.ins))
        if step.op.stores and step.ins[1] not in given:
            made = maker.get(step.ins[1])
            if made is not None and plan.steps[made].op.into and not plan.steps[made].op.view:
                given.add(step.ins[1])
                same[step.outs[0]] = step.ins[1]
                plan.steps[made] = plan.steps[made]._replace(node=f"{plan.steps[made].node} {step.node}")
    plan.steps = [step for step in plan.steps if not (step.op.stores and step.outs[0] in same)]
    plan.outs = tuple(same.get(value, value) for value in plan.outs)
    plan.stored = {key: same.get(value, value) for key, value in plan.stored.items()}
