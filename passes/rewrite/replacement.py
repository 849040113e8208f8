"""The replacement builder: infers the types of a replacement first, and emits its nodes only if everything fits.

A plan for operands of some types is valid for all operands of these types, so plans are cached by type and then emitted
for each match. Plans that depend on more of the match (captured attributes, operand lists, chains) are not cached.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import MinigraphError
from minigraph.core.op import NO_ATTRS, Attrs, Op
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.types import TensorType, scalar_dtype
from minigraph.ir.graph import Graph, Ref
from minigraph.ir.structural_ops import CONST, Literal
from passes.rewrite.match import Match
from passes.rewrite.pattern import (
    AttrVar,
    Call,
    Chain,
    Computed,
    Many,
    Number,
    Reapply,
    Term,
    Terms,
    Var,
    inputs,
    terms,
    variables,
)  # fmt: skip

MAX_CACHED_PLANS = 1024  # per rule

Refs = tuple[Ref, ...]
Builder = Callable[[Match], Refs | str | None]
Slot = int  # k: the k-th planned node; ~k: the k-th operand


class PlannedNode(NamedTuple):
    """A node to be emitted."""

    op: Op
    ins: tuple[Slot, ...]
    attrs: Attrs
    types: tuple[TensorType, ...]


class Plan(NamedTuple):
    """A well-typed replacement: its nodes, operands first, and the slots of its results."""

    nodes: tuple[PlannedNode, ...]
    results: tuple[Slot, ...]

    def emit(self, graph: Graph, operands: Sequence[Ref], sources: tuple[int, ...]) -> Refs:
        """Emit all nodes and return the results; ``sources`` are the matched nodes."""
        loc = graph.locs(sources)
        new: list[Ref] = []
        for op, ins, attrs, types in self.nodes:
            refs = tuple([new[k] if k >= 0 else operands[~k] for k in ins])
            new.append(graph.graft(op, refs, attrs, types, loc=loc, sources=sources))
        return tuple([new[k] if k >= 0 else operands[~k] for k in self.results])


class Template:
    """The right-hand side of a rule.

    ``kept`` are pattern terms that the replacement reuses, by the names of their values in a match, and ``chains`` are
    the chains of the pattern in the order of ``Match.paths``.
    """

    def __init__(
        self, results: Terms, kept: Mapping[str, Term] = MappingProxyType({}), chains: tuple[Chain, ...] = ()
    ) -> None:
        self.results = results
        self.kept = {id(term): name for name, term in kept.items()}
        self.chains = [id(chain) for chain in chains]
        self.order = self.creation_order(*results)
        self.names = list(dict.fromkeys([name for term in self.order for name in self._names(term)]))
        self.is_cacheable = not any(map(_depends_on_match, self.order))
        self.plans: dict[Hashable, Plan | str] = {}

    def creation_order(self, *roots: Term) -> list[Term]:
        """The terms to create, operands before their users; terms below kept terms are left out."""
        return terms(*roots, subterms_of=lambda term: () if id(term) in self.kept else inputs(term))[::-1]

    def _names(self, term: Term) -> list[str]:
        """The names of the match values that a replacement term uses."""
        if id(term) in self.kept:
            return [self.kept[id(term)]]
        if isinstance(term, Many):
            return [name for name in variables(term.each) if name != term.name]
        return [term.name] if isinstance(term, Var) else []

    def operands(self, match: Match) -> list[Ref]:
        """The match values that the replacement uses."""
        return [match.values[name] for name in self.names]

    def types(self, match: Match) -> tuple[TensorType, ...]:
        """The result types of the replacement; raises the errors of its operators for operands that do not fit."""
        planner = _Planner(match, self, self.operands(match))
        return tuple(map(planner.type, planner.results()))

    def build(self, match: Match) -> Refs | str:
        """Emit the replacement and return its results; or emit nothing and return the reason why it does not fit."""
        operands = self.operands(match)
        plan = self._cached_plan(match, operands) if self.is_cacheable else self._make_plan(match, operands)
        return plan if plan.__class__ is str else plan.emit(match.graph, operands, match.nodes)  # type: ignore[union-attr]

    def _cached_plan(self, match: Match, operands: list[Ref]) -> Plan | str:
        """The plan for operands and roots of these types."""
        node_data = match.graph.node_map()
        parts: list[Hashable] = []  # shapes and dtypes, because hashing a TensorType is slow
        for ref in (*match.roots, *operands):
            type = node_data[ref]["types"][0] if ref.__class__ is int else match.graph.type(ref)
            parts += type.shape, type.dtype
        key = tuple(parts)
        plan = self.plans.get(key)
        if plan is None:
            plan = self._make_plan(match, operands)
            if len(self.plans) < MAX_CACHED_PLANS:
                self.plans[key] = plan
        return plan

    def _make_plan(self, match: Match, operands: list[Ref]) -> Plan | str:
        """A plan for this match; appends to ``operands`` the values that it needs besides the variables."""
        planner = _Planner(match, self, operands)
        try:
            results = planner.results()
        except (MinigraphError, TypeError):
            return "operands"
        if [match.graph.type(root) for root in match.roots] != list(map(planner.type, results)):
            return "type"
        return Plan(tuple(planner.nodes), tuple(results))


def _depends_on_match(term: Term) -> bool:
    """Whether the plan of a term depends on more than the types of the variables."""
    if isinstance(term, Call):
        return any(isinstance(value, AttrVar | Computed) for value in term.attrs.values())
    if isinstance(term, Number):
        return not term.is_known
    return isinstance(term, Many | Reapply)


class _Planner:
    """Plans one replacement; ``operands`` are its existing values."""

    def __init__(self, match: Match, template: Template, operands: list[Ref]) -> None:
        self.match, self.template, self.operands = match, template, operands
        self.slots = {name: ~k for k, name in enumerate(template.names)}
        self.nodes: list[PlannedNode] = []

    def results(self) -> list[Slot]:
        """Plan all nodes and return the slots of the results."""
        slot_of: dict[int, Any] = {}
        for term in self.template.order:
            slot_of[id(term)] = self._plan_term(term, slot_of)
        pairs = zip(self.template.results, map(self.match.graph.type, self.match.roots), strict=True)
        return [self._plan_constant(t, type) if isinstance(t, Number) else slot_of[id(t)] for t, type in pairs]

    def _plan_term(self, term: Term, slot_of: dict[int, Any]) -> Any:
        if id(term) in self.template.kept:
            return self.slots[self.template.kept[id(term)]]
        match term:
            case Var(name=name):
                return self.slots[name]
            case Call():
                return self._plan_call(term, slot_of)
            case Many(name=name, each=each):
                slots = [self._add_operand(ref) for ref in self.match.values[name]]
                return slots if isinstance(each, Var) else [self._plan_each(name, each, slot) for slot in slots]
            case Reapply(chain=chain, end=end):
                return self._plan_again(*self.match.paths[self.template.chains.index(id(chain))], slot_of[id(end)])
        return None  # numbers get their type where they are used

    def _add_operand(self, ref: Ref) -> Slot:
        """Add an existing value that is not a single variable."""
        self.operands.append(ref)
        return ~(len(self.operands) - 1)

    def _plan_call(self, call: Call, slot_of: dict[int, Any]) -> Slot:
        args: list[Any] = []
        for arg in call.args:
            slots: Any = arg if isinstance(arg, Number) else slot_of[id(arg)]
            args += slots if isinstance(arg, Many) else [slots]
        promoted = [args[k] for k in call.op.promotes.positions if k < len(args)] if call.op.promotes else []
        tensor = next((arg for arg in (*promoted, *args) if not isinstance(arg, Number)), None)
        scalar = TensorType((), (self.match.out.type if tensor is None else self.type(tensor)).dtype)
        ins = tuple(self._plan_constant(arg, scalar) if isinstance(arg, Number) else arg for arg in args)
        types = tuple(map(self.type, ins))
        return self._plan_node(call.op, ins, self._attrs(call, types) if call.attrs or call.op.attributes else NO_ATTRS)

    def _attrs(self, call: Call, types: tuple[TensorType, ...]) -> Attrs:
        attrs: dict[str, Any] = {}
        for name, value in call.attrs.items():
            attrs[name] = self._attr_value(value)
        return attrs if call.op.canonical is None else call.op.canonical(*types, **attrs)

    def _attr_value(self, value: object) -> Any:
        """The value of a captured or computed attribute, else the value itself."""
        if isinstance(value, AttrVar):
            value = self.match.attrs[value.name]
        return value.make(self.match) if isinstance(value, Computed) else value

    def _plan_each(self, name: str, each: Term, slot: Slot) -> Slot:
        """The replacement ``each`` for one value of a ``many``."""
        slot_of: dict[int, Any] = {}
        for term in self.template.creation_order(each):
            slot_of[id(term)] = slot if isinstance(term, Var) and term.name == name else self._plan_term(term, slot_of)
        result: Slot = slot_of[id(each)]
        return result

    def _plan_again(self, nodes: tuple[int, ...], end: Ref, new: Slot) -> Slot:
        """Repeat the operators of a matched chain on another value."""
        graph, below = self.match.graph, end
        for node in reversed(nodes):
            ins = tuple(new if ref == below else self._add_operand(ref) for ref in graph.ins(node))
            new, below = self._plan_node(graph.op(node), ins, graph.attrs(node)), node
        return new

    def _plan_constant(self, number: Number, like: TensorType) -> Slot:
        """A constant of the type ``like``, or of another dtype if that cannot represent the number."""
        value = self._attr_value(number.value)
        dtype = scalar_dtype(value, like.dtype).numpy
        array = call_ignoring_float_errors(np.full, like.shape, value, dtype)  # a large number is inf, as in eager mode
        return self._plan_node(CONST, (), {"value": Literal(array)})

    def _plan_node(self, op: Op, ins: tuple[Slot, ...], attrs: Attrs) -> Slot:
        types = op.types([self.type(slot) for slot in ins], attrs)
        (_,) = types
        self.nodes.append(PlannedNode(op, ins, attrs, types))
        return len(self.nodes) - 1

    def type(self, slot: Slot) -> TensorType:
        """The type of an operand or a planned node."""
        return self.nodes[slot].types[0] if slot >= 0 else self.match.graph.type(self.operands[~slot])
