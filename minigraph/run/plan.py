"""From a graph to straight-line steps with planned buffers: what is computed when, into which memory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minigraph.ir.graph import Graph, Ref, reference
from minigraph.op import Attrs, Op
from minigraph.types import TensorType


class Step(NamedTuple):
    """One operator call on numbered values. ``outs`` are the numbers of its results."""

    op: Op
    ins: tuple[int, ...]
    attrs: Attrs
    outs: tuple[int, ...]
    types: tuple[TensorType, ...]


class Source(NamedTuple):
    """A value that is there before the first step: ``role`` is "input", "const" or "parameter"."""

    role: str
    value: int
    payload: Any  # position, array or key


@dataclass
class Plan:
    """A program: sources, steps in order, what it returns, what it stores into Parameters, and its buffers.

    ``buffer_of`` maps a value to the buffer its step writes into; values without one are allocated anew at
    each call, because they leave the program. ``buffers`` are the sizes in bytes.
    """

    sources: list[Source] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    outs: tuple[int, ...] = ()
    stored: dict[str, int] = field(default_factory=dict)
    buffer_of: dict[int, int] = field(default_factory=dict)
    buffers: list[int] = field(default_factory=list)

    @property
    def nbytes(self) -> int:
        """Bytes of all planned buffers."""
        return sum(self.buffers)


def planned(graph: Graph) -> Plan:
    """The program of a graph: fused bodies inlined, values numbered, buffers shared by liveness."""
    plan, fresh = Plan(), itertools.count()
    inputs = [next(fresh) for _ in graph.inputs]
    plan.sources += [Source("input", value, position) for position, value in enumerate(inputs)]
    plan.outs = _inline(plan, graph, inputs, fresh)
    _assign_buffers(plan)
    return plan


def _inline(plan: Plan, graph: Graph, inputs: Sequence[int], fresh: itertools.count[int]) -> tuple[int, ...]:
    """Append the steps of ``graph`` on these input values; returns its output values."""
    numbers: dict[Ref, int] = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.topological():
        op, attrs, types = graph.op(node), graph.attrs(node), graph.types(node)
        ins = tuple(numbers[ref] for ref in graph.ins(node))
        if op.role == "fused":
            outs = _inline(plan, graph.regions(node)[0], ins, fresh)
        elif op.is_leaf:
            outs = (numbers[node],) if node in numbers else (_source(plan, op, attrs, next(fresh)),)
        else:
            outs = tuple(next(fresh) for _ in types)
            plan.steps.append(Step(op, ins, attrs, outs, types))
            if op.stores:
                plan.stored[attrs["name"]] = outs[0]
        numbers.update((reference(node, r), out) for r, out in enumerate(outs))
    return tuple(numbers[ref] for ref in graph.outs)


def _source(plan: Plan, op: Op, attrs: Attrs, value: int) -> int:
    payload = attrs["value"].array if op.role == "const" else attrs["name"]
    plan.sources.append(Source(op.role, value, payload))
    return value


# ---- buffers -----------------------------------------------------------------------------------------


def _assign_buffers(plan: Plan) -> None:
    """Give every inner value whose operator takes ``out=`` a buffer, reused once the value is dead."""
    root = _memory_roots(plan)
    leaving = {root[value] for value in (*plan.outs, *plan.stored.values())}
    last_use = {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    free: list[int] = []
    dying: dict[int, list[int]] = {}
    for value, i in last_use.items():
        dying.setdefault(i, []).append(value)
    for i, step in enumerate(plan.steps):
        dead = [plan.buffer_of[value] for value in dying.get(i, ()) if value in plan.buffer_of]
        if step.op.family == "elementwise":  # such an operator may write over an operand it reads last
            free += dead
        if step.op.into and root[step.outs[0]] == step.outs[0] and step.outs[0] not in leaving:
            plan.buffer_of[step.outs[0]] = _buffer(plan, free, step.types[0].nbytes)
            if step.outs[0] not in last_use:
                free.append(plan.buffer_of[step.outs[0]])
        if step.op.family != "elementwise":
            free += dead


def _memory_roots(plan: Plan) -> dict[int, int]:
    """For each value, the value whose memory it may look at: views see through to their operand."""
    root = {source.value: source.value for source in plan.sources}
    for step in plan.steps:
        for out in step.outs:
            root[out] = root[step.ins[0]] if step.op.view and step.ins else out
    return root


def _buffer(plan: Plan, free: list[int], nbytes: int) -> int:
    """The smallest free buffer that is large enough but not four times too large, or a new one."""
    fitting = [b for b in free if nbytes <= plan.buffers[b] <= 4 * nbytes]
    if fitting:
        best = min(fitting, key=lambda b: plan.buffers[b])
        free.remove(best)
        return best
    plan.buffers.append(nbytes)
    return len(plan.buffers) - 1
