"""Making the replacement of a match: typed first, emitted only when everything fits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigraph.errors import MinigraphError
from minigraph.ir.graph import Graph, Ref
from minigraph.ir.records import CONST, Literal
from minigraph.op import Op
from minigraph.types import TensorType, scalar_dtype
from passes.match import Match
from passes.pattern import AttrVar, Call, Number, Term, Var, terms


class Planned(NamedTuple):
    """A node to be emitted: its operands are references, or earlier plans of the same replacement."""

    op: Op
    args: tuple[Ref | Planned, ...]
    attrs: dict[str, Any]
    type: TensorType


class Template:
    """The right-hand side of a rule."""

    def __init__(self, root: Term) -> None:
        self.root = root
        self.order = terms(root)[::-1]  # operands before their users

    def build(self, match: Match) -> Ref | str:
        """The value of the replacement, its nodes emitted; or in a word why it does not fit, with nothing emitted."""
        try:
            planned = self._planned(match)
        except (MinigraphError, TypeError):
            return "operands"
        type = planned.type if isinstance(planned, Planned) else match.graph.type(planned)
        if type != match.out.type:
            return "type"
        return _emitted(match.graph, planned, match.nodes)

    def _planned(self, match: Match) -> Ref | Planned:
        made: dict[int, Ref | Planned] = {}
        for term in self.order:
            if isinstance(term, Var):
                made[id(term)] = match.values[term.name]
            elif isinstance(term, Call):
                made[id(term)] = _call(match, term, made)
        root = self.root
        return _constant(root, match.out.type) if isinstance(root, Number) else made[id(root)]


def _call(match: Match, call: Call, made: dict[int, Ref | Planned]) -> Planned:
    known = [made[id(arg)] for arg in call.args if not isinstance(arg, Number)]
    beside = _type(match.graph, known[0]) if known else match.out.type
    scalar = TensorType((), beside.dtype)
    args = tuple(_constant(a, scalar) if isinstance(a, Number) else made[id(a)] for a in call.args)
    types = [_type(match.graph, arg) for arg in args]
    attrs = {name: match.attrs[v.name] if isinstance(v, AttrVar) else v for name, v in call.attrs.items()}
    if call.op.canonical is not None:
        attrs = call.op.canonical(*types, **attrs)
    (type,) = call.op.types(types, attrs)
    return Planned(call.op, args, attrs, type)


def _constant(number: Number, like: TensorType) -> Planned:
    """A number in the shape and, where it can hold it, the dtype of what stands beside it."""
    literal = Literal(np.full(like.shape, number.value, scalar_dtype(number.value, like.dtype).numpy))
    return Planned(CONST, (), {"value": literal}, literal.type)


def _type(graph: Graph, value: Ref | Planned) -> TensorType:
    return value.type if isinstance(value, Planned) else graph.type(value)


def _emitted(graph: Graph, root: Ref | Planned, sources: tuple[int, ...]) -> Ref:
    if not isinstance(root, Planned):
        return root
    order: list[Planned] = [root]
    for plan in order:  # grows while it is walked
        order += [arg for arg in plan.args if isinstance(arg, Planned)]
    nodes: dict[int, int] = {}
    for plan in reversed(order):
        if id(plan) not in nodes:
            ins = [nodes[id(arg)] if isinstance(arg, Planned) else arg for arg in plan.args]
            nodes[id(plan)] = graph.emit(plan.op, ins, plan.attrs, [plan.type], sources=sources)
    return nodes[id(root)]
