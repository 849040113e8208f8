"""Graphs as steps, faster, and with composite operators opened where kernels are to compute what they are made of.

Many fused nodes share a body. The steps of its first use give those of all others, which differ in numbers only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from minigraph.accel.loops.opened import opened
from minigraph.core.location import Loc
from minigraph.core.op import Attrs, Op
from minigraph.core.types import TensorType
from minigraph.execute.steps import Inlining, Numbers, Plan, Source, Step
from minigraph.ir.reading import GraphReader, Ref, reference

Pick = Callable[[Numbers], Numbers]

_step_of = partial(tuple.__new__, Step)  # a tuple as one, without a call in Python


class _Use(NamedTuple):
    """A body that was inlined: where in the plan its steps and sources are, and its values' numbers.

    ``within`` is what stands before the names of its nodes.
    """

    steps: slice
    sources: slice
    inputs: Numbers
    outs: Numbers
    within: str


class _Row(NamedTuple):
    """A step of a body on places among the body's values: its inputs, then what is made in it."""

    op: Op
    ins: Pick
    attrs: Attrs
    outs: Pick
    types: tuple[TensorType, ...]
    loc: tuple[Loc, ...]
    node: str


class _Body(NamedTuple):
    """A body ready to be inlined once more: how many values are ``made`` in it, and its steps and sources."""

    made: int
    rows: list[_Row]
    sources: list[tuple[int, Source]]
    outs: Pick


class SharedInlining(Inlining):
    """Appends the steps of graphs to a plan, those of a body that was met before as a copy."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._first: dict[int, _Use] = {}  # by id of a body
        self._bodies: dict[int, _Body] = {}

    def append(
        self, graph: GraphReader, inputs: Numbers, within: str = "", place: tuple[Loc, ...] | None = None
    ) -> Numbers:
        """Append the steps of ``graph`` on these input values, all at one ``place``; returns its output values."""
        numbers: dict[Ref, int] = dict(zip(graph.inputs, inputs, strict=True))
        everything, fresh, steps = graph.node_map(), self.fresh, self.plan.steps
        for node in graph.topological():
            data = everything[node]
            op, types = data["op"], data["types"]
            if op.is_leaf:
                if node not in numbers:
                    numbers[node] = self.source(op, data["attrs"], types[0])
                continue
            ins = tuple([numbers[ref] for ref in data["ins"]])
            loc = data["loc"] if place is None else place
            outs = self._parts(graph, node, ins, within, loc) if op.expand or op.role == "fused" else None
            if outs is None:
                outs = (next(fresh),) if len(types) == 1 else tuple(islice(fresh, len(types)))
                attrs = graph.call_attrs(node) if data["regions"] else data["attrs"]
                steps.append(_step_of((op, ins, attrs, outs, types, loc, f"{within}%{node}")))
                if op.stores:
                    self.plan.stored[attrs["name"]] = outs[0]
            if len(outs) == 1:
                numbers[node] = outs[0]
            else:
                numbers.update([(reference(node, r), out) for r, out in enumerate(outs)])
        return tuple([numbers[ref] for ref in graph.outs])

    def _parts(self, graph: GraphReader, node: int, ins: Numbers, within: str, loc: tuple[Loc, ...]) -> Numbers | None:
        """The results of a node made of others, whose steps are appended; ``None`` if it is a step itself."""
        op = graph.op(node)
        if op.role == "fused":
            return self._inlined(graph.regions(node)[0], ins, f"{within}%{node}.")
        parts = opened(op, map(graph.type, graph.ins(node)), graph.call_attrs(node))
        return None if parts is None else self.append(parts, ins, f"{within}%{node}.", loc)

    # ---- bodies that many nodes share ----------------------------------------------------------------

    def _inlined(self, body: GraphReader, inputs: Numbers, within: str) -> Numbers:
        """Append the steps of a body; returns its output values."""
        known = self._bodies.get(id(body))
        if known is None:
            first = self._first.get(id(body))
            if first is None or len({*first.inputs}) < len(first.inputs):  # of two that are one, which is meant?
                return self._used(body, inputs, within)
            known = self._bodies[id(body)] = self._seen(first)
        numbers = (*inputs, *islice(self.fresh, known.made))
        self.plan.sources += [source._replace(value=numbers[place]) for place, source in known.sources]
        self.plan.steps += [
            _step_of((op, ins(numbers), attrs, outs(numbers), types, loc, within + node))
            for op, ins, attrs, outs, types, loc, node in known.rows
        ]
        return known.outs(numbers)

    def _used(self, body: GraphReader, inputs: Numbers, within: str) -> Numbers:
        """Append the steps of a body that is met for the first time, and note where they are."""
        plan = self.plan
        step, source = len(plan.steps), len(plan.sources)
        outs = self.append(body, inputs, within)
        self._first[id(body)] = _Use(
            slice(step, len(plan.steps)), slice(source, len(plan.sources)), inputs, outs, within
        )
        return outs

    def _seen(self, use: _Use) -> _Body:
        """What the first use of a body tells of every other one."""
        steps, sources = self.plan.steps[use.steps], self.plan.sources[use.sources]
        made = sorted([*(out for step in steps for out in step.outs), *(source.value for source in sources)])
        places = {value: place for place, value in enumerate((*use.inputs, *made))}
        start = len(use.within)
        rows = [
            _Row(op, _pick(places, ins), attrs, _pick(places, outs), types, loc, node[start:])
            for op, ins, attrs, outs, types, loc, node in steps
        ]
        return _Body(len(made), rows, [(places[s.value], s) for s in sources], _pick(places, use.outs))


def _pick(places: dict[int, int], values: Sequence[int]) -> Pick:
    """What takes these values out of all of a body's."""
    if len(values) > 1:
        return itemgetter(*[places[value] for value in values])
    first = places[values[0]] if values else 0
    return itemgetter(slice(first, first + len(values)))  # of a tuple a tuple, also of one
