"""Making the replacement of a match: typed first, emitted only when everything fits.

What is planned for operands of some types is planned for all operands of those types, so a plan is made once and
then filled in, match by match. Plans that ask the match for more (captured attributes, lists, chains) are made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import MinigraphError
from minigraph.core.op import NO_ATTRS, Attrs, Op
from minigraph.core.types import TensorType, scalar_dtype
from minigraph.ir.graph import Graph, Ref
from minigraph.ir.records import CONST, Literal
from passes.rewrite.match import Match
from passes.rewrite.pattern import (
    Again,
    AttrVar,
    Call,
    Chain,
    Computed,
    Many,
    Number,
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
Slot = int  # k: the node of the k-th step; ~k: the k-th value that is given


class PlannedNode(NamedTuple):
    """A node to be emitted."""

    op: Op
    ins: tuple[Slot, ...]
    attrs: Attrs
    types: tuple[TensorType, ...]


class Plan(NamedTuple):
    """A replacement that fits: its nodes, operands first, and which values are its results."""

    steps: tuple[PlannedNode, ...]
    results: tuple[Slot, ...]

    def emitted(self, graph: Graph, given: Sequence[Ref], sources: tuple[int, ...]) -> Refs:
        """The results, with every node emitted; ``sources`` are the nodes it is made of."""
        loc = graph.locs(sources)
        made: list[Ref] = []
        for op, ins, attrs, types in self.steps:
            refs = tuple([made[k] if k >= 0 else given[~k] for k in ins])
            made.append(graph.graft(op, refs, attrs, types, loc=loc, sources=sources))
        return tuple([made[k] if k >= 0 else given[~k] for k in self.results])


class Template:
    """The right-hand side of a rule.

    ``kept`` are terms of the pattern that it uses as they are, by the names of their values in a match, and
    ``chains`` those of the pattern, in the order of ``Match.walks``.
    """

    def __init__(
        self, results: Terms, kept: Mapping[str, Term] = MappingProxyType({}), chains: tuple[Chain, ...] = ()
    ) -> None:
        self.results = results
        self.kept = {id(term): name for name, term in kept.items()}
        self.chains = [id(chain) for chain in chains]
        self.order = self.ordered(*results)
        self.names = list(dict.fromkeys([name for term in self.order for name in self._names(term)]))
        self.typed = not any(map(_depends_on_match, self.order))
        self.known: dict[Hashable, Plan | str] = {}

    def ordered(self, *roots: Term) -> list[Term]:
        """The terms to make, operands before their users; nothing below what is there already."""
        return terms(*roots, below=lambda term: () if id(term) in self.kept else inputs(term))[::-1]

    def _names(self, term: Term) -> list[str]:
        """The values of a match that a term of the replacement uses one by one."""
        if id(term) in self.kept:
            return [self.kept[id(term)]]
        if isinstance(term, Many):
            return [name for name in variables(term.each) if name != term.name]
        return [term.name] if isinstance(term, Var) else []

    def given(self, match: Match) -> list[Ref]:
        """Those values."""
        return [match.values[name] for name in self.names]

    def types(self, match: Match) -> tuple[TensorType, ...]:
        """The types of the values of the replacement; raises what its operators say of operands that do not fit."""
        planner = _Planner(match, self, self.given(match))
        return tuple(map(planner.type, planner.results()))

    def build(self, match: Match) -> Refs | str:
        """The values of the replacement, its nodes emitted; or in a word why it does not fit, with nothing emitted."""
        given = self.given(match)
        plan = self._known_plan(match, given) if self.typed else self._plan(match, given)
        return plan if plan.__class__ is str else plan.emitted(match.graph, given, match.nodes)  # type: ignore[union-attr]

    def _known_plan(self, match: Match, given: list[Ref]) -> Plan | str:
        """The plan for values and roots of these types."""
        everything = match.graph.node_map()
        parts: list[Hashable] = []  # of the types, which know no hash but one in Python
        for ref in (*match.roots, *given):
            type = everything[ref]["types"][0] if ref.__class__ is int else match.graph.type(ref)
            parts += type.shape, type.dtype
        key = tuple(parts)
        plan = self.known.get(key)
        if plan is None:
            plan = self._plan(match, given)
            if len(self.known) < MAX_CACHED_PLANS:
                self.known[key] = plan
        return plan

    def _plan(self, match: Match, given: list[Ref]) -> Plan | str:
        """A plan for this match; ``given`` grows by what it needs beside the variables."""
        planner = _Planner(match, self, given)
        try:
            results = planner.results()
        except (MinigraphError, TypeError):
            return "operands"
        if [match.graph.type(root) for root in match.roots] != list(map(planner.type, results)):
            return "type"
        return Plan(tuple(planner.steps), tuple(results))


def _depends_on_match(term: Term) -> bool:
    """Whether a plan needs to know more than the types of the variables."""
    if isinstance(term, Call):
        return any(isinstance(value, AttrVar | Computed) for value in term.attrs.values())
    if isinstance(term, Number):
        return not term.is_known
    return isinstance(term, Many | Again)


class _Planner:
    """One replacement while it is put together; ``given`` are the values that are there."""

    def __init__(self, match: Match, template: Template, given: list[Ref]) -> None:
        self.match, self.template, self.given = match, template, given
        self.slots = {name: ~k for k, name in enumerate(template.names)}
        self.steps: list[PlannedNode] = []

    def results(self) -> list[Slot]:
        """The values of the replacement."""
        made: dict[int, Any] = {}
        for term in self.template.order:
            made[id(term)] = self._value(term, made)
        pairs = zip(self.template.results, self.match.roots, strict=True)
        graph = self.match.graph
        return [self._constant(t, graph.type(root)) if isinstance(t, Number) else made[id(t)] for t, root in pairs]

    def _value(self, term: Term, made: dict[int, Any]) -> Any:
        if id(term) in self.template.kept:
            return self.slots[self.template.kept[id(term)]]
        match term:
            case Var(name=name):
                return self.slots[name]
            case Call():
                return self._call(term, made)
            case Many(name=name, each=each):
                slots = [self._extra(ref) for ref in self.match.values[name]]
                return slots if isinstance(each, Var) else [self._each(name, each, slot) for slot in slots]
            case Again(chain=chain, end=end):
                return self._again(*self.match.walks[self.template.chains.index(id(chain))], made[id(end)])
        return None  # numbers get their type where they are used

    def _extra(self, ref: Ref) -> Slot:
        """A value that is there and that no variable stands for alone."""
        self.given.append(ref)
        return ~(len(self.given) - 1)

    def _call(self, call: Call, made: dict[int, Any]) -> Slot:
        args: list[Any] = []
        for arg in call.args:
            args += made[id(arg)] if isinstance(arg, Many) else [arg if isinstance(arg, Number) else made[id(arg)]]
        known = next((arg for arg in args if not isinstance(arg, Number)), None)
        beside = self.match.out.type if known is None else self.type(known)
        scalar = TensorType((), beside.dtype)
        ins = tuple(self._constant(arg, scalar) if isinstance(arg, Number) else arg for arg in args)
        types = tuple(map(self.type, ins))
        return self._step(call.op, ins, self._attrs(call, types) if call.attrs or call.op.attributes else NO_ATTRS)

    def _attrs(self, call: Call, types: tuple[TensorType, ...]) -> Attrs:
        attrs: dict[str, Any] = {}
        for name, value in call.attrs.items():
            attrs[name] = self._attr(value)
        return attrs if call.op.canonical is None else call.op.canonical(*types, **attrs)

    def _attr(self, value: Any) -> Any:
        """What is captured or computed, else the value itself."""
        if isinstance(value, AttrVar):
            value = self.match.attrs[value.name]
        return value.make(self.match) if isinstance(value, Computed) else value

    def _each(self, name: str, each: Term, slot: Slot) -> Slot:
        """One replacement of ``each``, for one value of a ``many``."""
        made: dict[int, Any] = {}
        for term in self.template.ordered(each):
            made[id(term)] = slot if isinstance(term, Var) and term.name == name else self._value(term, made)
        found: Slot = made[id(each)]
        return found

    def _again(self, walk: tuple[int, ...], end: Ref, new: Slot) -> Slot:
        """The nodes of a chain once more, on another value."""
        graph, below = self.match.graph, end
        for node in reversed(walk):
            ins = tuple(new if ref == below else self._extra(ref) for ref in graph.ins(node))
            new, below = self._step(graph.op(node), ins, graph.attrs(node)), node
        return new

    def _constant(self, number: Number, like: TensorType) -> Slot:
        """A number in the shape and, where it can hold it, the dtype of what stands beside it."""
        value = self._attr(number.value)
        literal = Literal(np.full(like.shape, value, scalar_dtype(value, like.dtype).numpy))
        return self._step(CONST, (), {"value": literal})

    def _step(self, op: Op, ins: tuple[Slot, ...], attrs: Attrs) -> Slot:
        types = op.types([self.type(slot) for slot in ins], attrs)
        (_,) = types
        self.steps.append(PlannedNode(op, ins, attrs, types))
        return len(self.steps) - 1

    def type(self, slot: Slot) -> TensorType:
        """The type of a value that is given or planned."""
        return self.steps[slot].types[0] if slot >= 0 else self.match.graph.type(self.given[~slot])
