"""Making the replacement of a match: typed first, emitted only when everything fits."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from minigraph.errors import MinigraphError
from minigraph.ir.graph import Graph, Ref
from minigraph.ir.records import CONST, Literal
from minigraph.op import Op
from minigraph.types import TensorType, scalar_dtype
from passes.patterns.match import Match
from passes.patterns.pattern import Again, AttrVar, Call, Chain, Computed, Many, Number, Term, Terms, Var, inputs, terms

KEPT_TYPES = 1024  # inferred types remembered per rule

Refs = tuple[Ref, ...]
Build = Callable[[Match], Refs | str | None]


class Planned(NamedTuple):
    """A node to be emitted: its operands are references, or earlier plans of the same replacement."""

    op: Op
    args: tuple[Ref | Planned, ...]
    attrs: dict[str, Any]
    type: TensorType


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
        self.known: dict[Hashable, TensorType] = {}
        self.order = self.ordered(*results)

    def ordered(self, *roots: Term) -> list[Term]:
        """The terms to make, operands before their users; nothing below what is there already."""
        return terms(*roots, below=lambda term: () if id(term) in self.kept else inputs(term))[::-1]

    def types(self, match: Match) -> tuple[TensorType, ...]:
        """The types of the values of the replacement; raises what its operators say of operands that do not fit."""
        plan = _Plan(match, self)
        return tuple(map(plan.type, plan.made()))

    def build(self, match: Match) -> Refs | str:
        """The values of the replacement, its nodes emitted; or in a word why it does not fit, with nothing emitted."""
        plan = _Plan(match, self)
        try:
            results = plan.made()
        except (MinigraphError, TypeError):
            return "operands"
        for root, new in zip(match.roots, results, strict=True):
            if plan.type(new) != match.graph.type(root):
                return "type"
        return plan.emitted(results)


class _Plan:
    """One replacement while it is put together; ``nodes`` are to be emitted in that order."""

    def __init__(self, match: Match, template: Template) -> None:
        self.match, self.template = match, template
        self.nodes: list[Planned] = []

    def made(self) -> list[Ref | Planned]:
        """The results."""
        made: dict[int, Any] = {}
        for term in self.template.order:
            made[id(term)] = self._value(term, made)
        pairs = zip(self.template.results, self.match.roots, strict=True)
        graph = self.match.graph
        return [self._constant(t, graph.type(root)) if isinstance(t, Number) else made[id(t)] for t, root in pairs]

    def _value(self, term: Term, made: dict[int, Any]) -> Any:
        if id(term) in self.template.kept:
            return self.match.values[self.template.kept[id(term)]]
        match term:
            case Var(name=name):
                return self.match.values[name]
            case Call():
                return self._call(term, made)
            case Many(name=name, each=each):
                return self.match.values[name] if isinstance(each, Var) else self._each(name, each)
            case Again(chain=chain, end=end):
                return self._again(*self.match.walks[self.template.chains.index(id(chain))], made[id(end)])
        return None  # numbers get their type where they are used

    def _call(self, call: Call, made: dict[int, Any]) -> Planned:
        args: list[Any] = []
        for arg in call.args:
            args += made[id(arg)] if isinstance(arg, Many) else [arg if isinstance(arg, Number) else made[id(arg)]]
        known = next((arg for arg in args if not isinstance(arg, Number)), None)
        beside = self.match.out.type if known is None else self.type(known)
        scalar = TensorType((), beside.dtype)
        operands = tuple(self._constant(a, scalar) if isinstance(a, Number) else a for a in args)
        return self._planned(call, operands)

    def _planned(self, call: Call, args: tuple[Ref | Planned, ...]) -> Planned:
        types = tuple([self.type(arg) for arg in args])
        attrs = self._attrs(call, types) if call.attrs or call.op.attributes else {}
        key = (id(call), types) if not call.attrs else None
        known = self.template.known.get(key) if key else None
        if known is None:
            (known,) = call.op.types(types, attrs)
            if key and len(self.template.known) < KEPT_TYPES:
                self.template.known[key] = known
        return self._add(Planned(call.op, args, attrs, known))

    def _attrs(self, call: Call, types: tuple[TensorType, ...]) -> dict[str, Any]:
        attrs: dict[str, Any] = {}
        for name, value in call.attrs.items():
            attrs[name] = self._attr(value)
        return attrs if call.op.canonical is None else call.op.canonical(*types, **attrs)

    def _attr(self, value: Any) -> Any:
        """What is captured or computed, else the value itself."""
        if isinstance(value, AttrVar):
            value = self.match.attrs[value.name]
        return value.make(self.match) if isinstance(value, Computed) else value

    def _each(self, name: str, each: Term) -> list[Any]:
        """One replacement of ``each`` per value of a ``many``."""
        found = []
        for ref in self.match.values[name]:
            made: dict[int, Any] = {}
            for term in self.template.ordered(each):
                made[id(term)] = ref if isinstance(term, Var) and term.name == name else self._value(term, made)
            found.append(made[id(each)])
        return found

    def _again(self, walk: tuple[int, ...], end: Ref, new: Any) -> Any:
        """The nodes of a chain once more, on another value."""
        graph, below = self.match.graph, end
        for node in reversed(walk):
            args = tuple(new if ref == below else ref for ref in graph.ins(node))
            (type,) = graph.op(node).types([self.type(arg) for arg in args], graph.attrs(node))
            new, below = self._add(Planned(graph.op(node), args, dict(graph.attrs(node)), type)), node
        return new

    def _constant(self, number: Number, like: TensorType) -> Planned:
        """A number in the shape and, where it can hold it, the dtype of what stands beside it."""
        value = self._attr(number.value)
        literal = Literal(np.full(like.shape, value, scalar_dtype(value, like.dtype).numpy))
        return self._add(Planned(CONST, (), {"value": literal}, literal.type))

    def _add(self, plan: Planned) -> Planned:
        self.nodes.append(plan)
        return plan

    def type(self, value: Ref | Planned) -> TensorType:
        """The type of a value that is there or planned."""
        return value.type if value.__class__ is Planned else self.match.graph.type(value)  # type: ignore[arg-type]

    def emitted(self, results: list[Ref | Planned]) -> Refs:
        """The results, with every planned node emitted."""
        graph: Graph = self.match.graph
        nodes: dict[int, int] = {}
        for plan in self.nodes:
            ins = [nodes[id(arg)] if arg.__class__ is Planned else arg for arg in plan.args]
            nodes[id(plan)] = graph.emit(plan.op, ins, plan.attrs, [plan.type], sources=self.match.nodes)  # type: ignore[arg-type]
        return tuple(nodes[id(new)] if new.__class__ is Planned else new for new in results)  # type: ignore[misc]
