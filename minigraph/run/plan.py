"""From a graph to straight-line steps with planned buffers: what is computed when, into which memory."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from functools import partial

from minigraph.ir.graph import Graph
from minigraph.run.bodies.joined import with_bodies
from minigraph.run.branches import with_branches
from minigraph.run.inlining import Inlining
from minigraph.run.planning.beside import with_images_beside
from minigraph.run.planning.blocks import are_large, blocks_of, closely
from minigraph.run.planning.common import with_common
from minigraph.run.planning.gather import gathered
from minigraph.run.planning.layouts import Likes, note_layouts
from minigraph.run.planning.memory import assign_buffers, memory_roots
from minigraph.run.planning.neutral import without_ones
from minigraph.run.planning.over import lay_over
from minigraph.run.planning.padding import Padding
from minigraph.run.planning.parts import Parts
from minigraph.run.planning.stacks import Stacking
from minigraph.run.planning.totals import with_totals
from minigraph.run.planning.updates import put_updates_last
from minigraph.run.steps import Plan, Source, Step, ops_of
from minigraph.types import TensorType


def planned(graph: Graph) -> Plan:
    """The program of a graph: fused nodes inlined, steps joined for kernels, values numbered, buffers shared."""
    plan, fresh = Plan(), itertools.count()
    inputs = [next(fresh) for _ in graph.inputs]
    types = [graph.type(node) for node in graph.inputs]
    plan.sources += [Source("input", v, k, type) for k, (v, type) in enumerate(zip(inputs, types, strict=True))]
    plan.outs = Inlining(plan, fresh).append(graph, tuple(inputs))
    if plan.stored:
        _keep_results(plan)
    leaving = plan.leaving
    given = {source.value: source.type for source in plan.sources}
    plan.steps = with_branches(plan.steps, leaving, given, partial(_finished, fresh=fresh))
    return _finished(plan, fresh)


def _finished(plan: Plan, fresh: itertools.count[int]) -> Plan:
    """The plan of steps in order, made ready to be written: joined, cut into pieces, with buffers."""
    leaving = plan.leaving
    given = {source.value: source.type for source in plan.sources}
    plan.steps = with_common(with_images_beside(plan.steps, leaving, given, fresh), fresh)
    without_ones(plan)
    plan.steps = _without_repeating(with_totals(plan.steps, leaving, fresh), leaving, given)
    plan.steps = with_bodies(plan.steps, leaving, given)
    stacking = Stacking(plan.steps, leaving, fresh)
    parts = Parts(stacking.steps, leaving, stacking.places)
    padding = Padding(parts.steps, leaving, stacking.places | parts.places, fresh)
    plan.steps, plan.places = padding.steps, stacking.places | parts.places | padding.places
    types = plan.types
    likes = Likes(plan, types)
    plan.steps = [likes.seen(step) for step in plan.steps]
    root = memory_roots(plan)
    if are_large(plan.steps):
        plan.steps = gathered(plan)
        plan.steps = closely(plan)
        plan.blocks = blocks_of(plan)
        put_updates_last(plan, types, root)
        lay_over(plan, types, root)
    assign_buffers(plan, types, root)
    note_layouts(plan, likes, root)
    return plan


def _without_repeating(steps: Sequence[Step], leaving: Collection[int], types: dict[int, TensorType]) -> list[Step]:
    """The steps, elementwise ones reading a tensor instead of its repetition where another operand has the shape.

    Kernels then need no copy of what is repeated, and numpy takes one number faster than one that it steps nowhere in.
    """
    if not any(op.repeats for op in ops_of(steps)):
        return list(steps)
    types = types | {out: type for step in steps for out, type in zip(step.outs, step.types, strict=True)}
    source: dict[int, int] = {}  # by repetition, what is repeated
    found = []
    for step in steps:
        if step.op.repeats:
            source[step.outs[0]] = source.get(step.ins[0], step.ins[0])
        elif step.op.family == "elementwise" and _is_read_beside_whole(step, source, types):
            step = step._replace(ins=tuple(source.get(value, value) for value in step.ins))
        found.append(step)
    read = {value for step in found for value in step.ins}.union(leaving)
    return [step for step in found if not step.op.repeats or step.outs[0] in read]


def _is_read_beside_whole(step: Step, source: dict[int, int], types: dict[int, TensorType]) -> bool:
    """Whether a step reads a repetition, and another operand that has the shape of its result."""
    if source.keys().isdisjoint(step.ins):
        return False
    return any(value not in source and types[value].shape == step.types[0].shape for value in step.ins)


def _keep_results(plan: Plan) -> None:
    """Let Parameters keep results as they are instead of copies, where nobody else is given them.

    That is sound for a step that makes memory of its own. What stood for the copy stands for the result from then on.
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
