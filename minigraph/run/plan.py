"""From a graph to straight-line steps with planned buffers: what is computed when, into which memory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from minigraph.ir.graph import Graph, Ref, reference
from minigraph.op import Attrs, Op
from minigraph.run.blocks import blocks_of
from minigraph.run.bodies import with_bodies
from minigraph.run.memory import assign_buffers
from minigraph.run.steps import Plan, Source, Step
from minigraph.types import TensorType


def planned(graph: Graph) -> Plan:
    """The program of a graph: fused nodes inlined, steps joined for kernels, values numbered, buffers shared."""
    plan, fresh = Plan(), itertools.count()
    inputs = [next(fresh) for _ in graph.inputs]
    types = [graph.type(node) for node in graph.inputs]
    plan.sources += [Source("input", v, k, type) for k, (v, type) in enumerate(zip(inputs, types, strict=True))]
    plan.outs = _inline(plan, graph, inputs, fresh)
    plan.steps = with_bodies(plan.steps, (*plan.outs, *plan.stored.values()), {s.value: s.type for s in plan.sources})
    plan.blocks = list(blocks_of(plan.steps))
    assign_buffers(plan)
    return plan


def _inline(
    plan: Plan, graph: Graph, inputs: Sequence[int], fresh: itertools.count[int], within: str = ""
) -> tuple[int, ...]:
    """Append the steps of ``graph`` on these input values; returns its output values."""
    numbers: dict[Ref, int] = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.topological():
        op, attrs, types = graph.op(node), graph.call_attrs(node), graph.types(node)
        ins = tuple(numbers[ref] for ref in graph.ins(node))
        if op.role == "fused":
            outs = _inline(plan, graph.regions(node)[0], ins, fresh, f"{within}%{node}.")
        elif op.is_leaf:
            outs = (numbers[node],) if node in numbers else (_source(plan, op, attrs, types[0], next(fresh)),)
        else:
            outs = tuple(next(fresh) for _ in types)
            plan.steps.append(Step(op, ins, attrs, outs, types, graph.loc(node), f"{within}%{node}"))
            if op.stores:
                plan.stored[attrs["name"]] = outs[0]
        numbers.update((reference(node, r), out) for r, out in enumerate(outs))
    return tuple(numbers[ref] for ref in graph.outs)


def _source(plan: Plan, op: Op, attrs: Attrs, type: TensorType, value: int) -> int:
    payload = attrs["value"].array if op.role == "const" else attrs["name"]
    plan.sources.append(Source(op.role, value, payload, type))
    return value
