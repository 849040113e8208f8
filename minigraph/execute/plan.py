"""The plan of a program: steps on numbered values, and the buffers that they write to."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minigraph.core.location import Loc
from minigraph.core.op import Attrs, Op
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import GraphReader, Ref, reference


class Step(NamedTuple):
    """One operator call on numbered values.

    ``outs`` are the numbers of its results, ``loc`` the user's lines, ``node`` the name of its node in the graph:
    ``%7``, and ``%7.%2`` inside a fused node.
    """

    op: Op
    ins: tuple[int, ...]
    attrs: Attrs
    outs: tuple[int, ...]
    types: tuple[TensorType, ...]
    loc: tuple[Loc, ...] = ()
    node: str = ""


def ops_of(steps: Iterable[Step]) -> set[Op]:
    """The set of operators used by steps: far smaller, for a fast search."""
    return {step.op for step in steps}


class Source(NamedTuple):
    """A value that exists before the first step: ``role`` is "input", "const" or "parameter"."""

    role: str
    value: int
    payload: Any  # position, array or key
    type: TensorType


@dataclass
class Plan:
    """A program: sources, steps in order, outputs, values stored to Parameters, and buffers.

    ``buffer_of`` maps a value to the buffer that its step writes to; values without one are allocated at each call,
    because they leave the program or their operator allocates its result. ``buffers`` are the sizes in bytes.
    """

    sources: list[Source] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    outs: tuple[int, ...] = ()
    stored: dict[str, int] = field(default_factory=dict)
    buffer_of: dict[int, int] = field(default_factory=dict)
    buffers: list[int] = field(default_factory=list)

    @property
    def live_out(self) -> tuple[int, ...]:
        """The values that the program returns or stores."""
        return *self.outs, *self.stored.values()

    @property
    def types(self) -> dict[int, TensorType]:
        """The types of all values."""
        types = {source.value: source.type for source in self.sources}
        for step in self.steps:
            for out, type in zip(step.outs, step.types, strict=True):
                types[out] = type
        return types

    @property
    def nbytes(self) -> int:
        """The total size of the buffers."""
        return sum(self.buffers)


Values = tuple[int, ...]


class Inliner:
    """Appends the steps of graphs to a plan, with fused nodes inlined; ``fresh`` yields numbers for new values."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.fresh = plan, itertools.count()

    def append_whole(self, graph: Graph) -> None:
        """Append a whole graph: its inputs become sources, its outputs the outputs of the program."""
        for k, node in enumerate(graph.inputs):
            self.plan.sources.append(Source("input", next(self.fresh), k, graph.type(node)))
        self.plan.outs = self.append(graph, tuple(source.value for source in self.plan.sources))

    def append(self, graph: GraphReader, inputs: Values, within: str = "") -> Values:
        """Append the steps of ``graph`` for these input values; returns its output values.

        ``within`` is the prefix of its nodes' names.
        """
        numbers: dict[Ref, int] = dict(zip(graph.inputs, inputs, strict=True))
        for node in graph.topological():
            op, types = graph.op(node), graph.types(node)
            if op.is_leaf:
                if node not in numbers:
                    numbers[node] = self.source(op, graph.attrs(node), types[0])
                continue
            ins = tuple(numbers[ref] for ref in graph.ins(node))
            if op.role == "alias":  # a name for its first operand, which only gradients distinguish
                outs = ins[:1]
            elif op.role == "fused":
                outs = self.inline_fused(graph, node, ins, f"{within}%{node}")
            else:
                outs = tuple(next(self.fresh) for _ in types)
                attrs = graph.call_attrs(node)
                self.plan.steps.append(Step(op, ins, attrs, outs, types, graph.loc(node), f"{within}%{node}"))
                if op.stores:
                    self.plan.stored[attrs["name"]] = outs[0]
            for r, out in enumerate(outs):
                numbers[reference(node, r)] = out
        return tuple(numbers[ref] for ref in graph.outs)

    def inline_fused(self, graph: GraphReader, node: int, ins: Values, name: str) -> Values:
        """Inline a fused node: append the steps of its body; returns its output values."""
        return self.append(graph.regions(node)[0], ins, f"{name}.")

    def source(self, op: Op, attrs: Attrs, type: TensorType) -> int:
        """Add a constant or a Parameter as a source; returns its value."""
        payload = attrs["value"].array if op.role == "const" else attrs["name"]
        self.plan.sources.append(Source(op.role, next(self.fresh), payload, type))
        return self.plan.sources[-1].value
