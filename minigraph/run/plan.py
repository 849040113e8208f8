"""From a graph to straight-line steps with planned buffers: what is computed when, into which memory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minigraph.ir.graph import Graph, Ref, reference
from minigraph.loc import Loc
from minigraph.op import Attrs, Op
from minigraph.types import TensorType


class Step(NamedTuple):
    """One operator call on numbered values. ``outs`` are the numbers of its results, ``loc`` the user's lines."""

    op: Op
    ins: tuple[int, ...]
    attrs: Attrs
    outs: tuple[int, ...]
    types: tuple[TensorType, ...]
    loc: tuple[Loc, ...] = ()


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


def lifetimes(plan: Plan) -> dict[int, tuple[int, int]]:
    """For each value that a step makes: the number of that step, and of the last step whose operands look at it.

    A view looks at its operand's memory. What leaves the program lives until one step after the last.

    >>> from minigraph import Tensor, ops, trace
    >>> lifetimes(planned(trace(lambda x: ops.exp(ops.tanh(x)) + x, Tensor([1.0]))))
    {1: (0, 1), 2: (1, 2), 3: (2, 3)}
    """
    root = _memory_roots(plan)
    made = {out: i for i, step in enumerate(plan.steps) for out in step.outs}
    last = {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    last |= {root[value]: len(plan.steps) for value in (*plan.outs, *plan.stored.values())}
    return {value: (i, max(i, last.get(value, i))) for value, i in made.items() if root[value] == value}


def _inline(plan: Plan, graph: Graph, inputs: Sequence[int], fresh: itertools.count[int]) -> tuple[int, ...]:
    """Append the steps of ``graph`` on these input values; returns its output values."""
    numbers: dict[Ref, int] = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.topological():
        op, attrs, types = graph.op(node), graph.call_attrs(node), graph.types(node)
        ins = tuple(numbers[ref] for ref in graph.ins(node))
        if op.role == "fused":
            outs = _inline(plan, graph.regions(node)[0], ins, fresh)
        elif op.is_leaf:
            outs = (numbers[node],) if node in numbers else (_source(plan, op, attrs, next(fresh)),)
        else:
            outs = tuple(next(fresh) for _ in types)
            plan.steps.append(Step(op, ins, attrs, outs, types, graph.loc(node)))
            if op.stores:
                plan.stored[attrs["name"]] = outs[0]
        numbers.update((reference(node, r), out) for r, out in enumerate(outs))
    return tuple(numbers[ref] for ref in graph.outs)


def _source(plan: Plan, op: Op, attrs: Attrs, value: int) -> int:
    payload = attrs["value"].array if op.role == "const" else attrs["name"]
    plan.sources.append(Source(op.role, value, payload))
    return value


# ---- buffers -----------------------------------------------------------------------------------------


class _Free:
    """Buffers nobody needs at the moment, by size."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes, self.by_size = sizes, dict[int, list[int]]()

    def give(self, buffers: Sequence[int]) -> None:
        """Buffers whose values are dead."""
        for buffer in buffers:
            self.by_size.setdefault(self.sizes[buffer], []).append(buffer)

    def take(self, nbytes: int) -> int:
        """The smallest free buffer that is large enough but not four times too large, or a new one."""
        fitting = [size for size, buffers in self.by_size.items() if nbytes <= size <= 4 * nbytes and buffers]
        if fitting:
            return self.by_size[min(fitting)].pop()
        self.sizes.append(nbytes)
        return len(self.sizes) - 1


def _assign_buffers(plan: Plan) -> None:
    """Give every inner value whose operator takes ``out=`` a buffer, reused once the value is dead."""
    root = _memory_roots(plan)
    leaving = {root[value] for value in (*plan.outs, *plan.stored.values())}
    last_use = {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    types = {out: type for step in plan.steps for out, type in zip(step.outs, step.types, strict=True)}
    free = _Free(plan.buffers)
    dying: dict[int, list[int]] = {}
    for value, i in last_use.items():
        dying.setdefault(i, []).append(value)
    for i, step in enumerate(plan.steps):
        dead = [value for value in dying.get(i, ()) if value in plan.buffer_of]
        over = [value for value in dead if _may_write_over(step, value, root, types)]
        free.give([plan.buffer_of[value] for value in over])
        if step.op.into and root[step.outs[0]] == step.outs[0] and step.outs[0] not in leaving:
            plan.buffer_of[step.outs[0]] = free.take(step.types[0].nbytes)
            if step.outs[0] not in last_use:
                free.give([plan.buffer_of[step.outs[0]]])
        free.give([plan.buffer_of[value] for value in dead if value not in over])


def _may_write_over(step: Step, value: int, root: dict[int, int], types: dict[int, TensorType]) -> bool:
    """Whether a step may write its result where an operand is that it reads last.

    Only an elementwise operator, and only element upon element of the same size: with any other overlap
    numpy copies first, and may then compute in another order than it did in eager mode, or is wrong (casts).
    """
    if step.op.family != "elementwise" or any(other != value for other in step.ins if root[other] == value):
        return False
    own, new = types[value], step.types[0]
    return own.shape == new.shape and own.dtype.itemsize == new.dtype.itemsize


def _memory_roots(plan: Plan) -> dict[int, int]:
    """For each value, the value whose memory it may look at: views see through to their operand."""
    root = {source.value: source.value for source in plan.sources}
    for step in plan.steps:
        for out in step.outs:
            root[out] = root[step.ins[0]] if step.op.view and step.ins else out
    return root
