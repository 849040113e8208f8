"""Finding a pattern at a node: a short list of steps per order of commutative operands, without recursion."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from minigraph.errors import MinigraphError
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.values import exact, exact_attrs
from minigraph.op import Op
from minigraph.types import DType, Shape, TensorType
from passes.pattern import AttrVar, Call, Number, Term, Var, terms

MOST_ORDERS = 64  # operand orders tried per pattern; further commutative operators match as written


class Value:
    """What a predicate sees of a matched value: ``m.x.shape``, ``m.x.dtype``, ``m.x.uses``, ``m.x.const``."""

    def __init__(self, graph: Graph, ref: Ref) -> None:
        self.graph, self.ref = graph, ref

    @property
    def type(self) -> TensorType:
        """Shape and dtype."""
        return self.graph.type(self.ref)

    @property
    def shape(self) -> Shape:
        """Sizes of the axes."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """Number format."""
        return self.type.dtype

    @property
    def uses(self) -> int:
        """How many operands and outputs take a result of its node."""
        return self.graph.use_count(producer(self.ref))

    @property
    def op(self) -> Op:
        """The operator that makes it."""
        return self.graph.op(producer(self.ref))

    @property
    def const(self) -> np.ndarray | None:
        """The array of a constant, else ``None``."""
        return self.graph.attrs(producer(self.ref))["value"].array if self.op.role == "const" else None


@dataclass(frozen=True)
class Match:
    """A place where a pattern was found: its nodes, root first, and what the variables stand for."""

    graph: Graph
    nodes: tuple[int, ...]
    values: Mapping[str, Ref]
    attrs: Mapping[str, Any]

    @property
    def root(self) -> int:
        """The node whose result the pattern is."""
        return self.nodes[0]

    @property
    def out(self) -> Value:
        """The value of the whole pattern."""
        return Value(self.graph, self.root)

    def __getattr__(self, name: str) -> Value:
        if name not in self.values:
            raise AttributeError(f"the pattern has no variable '{name}'")
        return Value(self.graph, self.values[name])

    @cached_property
    def dying(self) -> tuple[int, ...]:
        """The nodes nobody outside of the pattern uses: the root, and what only the dying need."""
        gone = {self.root}
        for node in self.nodes[1:]:  # users come before their operands
            if not self.graph.is_out(node) and gone.issuperset(self.graph.users(node)):
                gone.add(node)
        return tuple(node for node in self.nodes if node in gone)


class Step(NamedTuple):
    """One operator to find at ``slot``; its operands go to the slots ``args``."""

    slot: int
    op: Op
    args: tuple[int, ...]


class Matcher:
    """A compiled pattern.

    ``strict``: attributes the pattern does not mention must be at their defaults; else they may be anything
    (right only where the matched node itself is kept, as in an outlined body).
    """

    def __init__(self, root: Call, strict: bool) -> None:
        self.root, self.strict = root, strict
        self.slots: dict[Hashable, int] = {}
        everything = terms(root)
        for term in everything:
            self.slots.setdefault(_identity(term), len(self.slots))
        self.calls = [term for term in everything if isinstance(term, Call)]
        self.numbers = [(self.slots[_identity(t)], t.value) for t in everything if isinstance(t, Number)]
        self.variables = {t.name: self.slots[_identity(t)] for t in everything if isinstance(t, Var)}
        self.orders = self._orders()

    def find(self, graph: Graph, node: int) -> Match | str | None:
        """The match whose root is ``node``, ``None``, or in a word why what looks like one is none."""
        reason: str | None = None
        for steps in self.orders:
            bound = self._bind(graph, node, steps)
            if bound is not None and self._numbers_fit(graph, bound):
                found = self._completed(graph, bound)
                if isinstance(found, Match):
                    return found
                reason = reason or found
        return reason

    def _orders(self) -> list[list[Step]]:
        swapping = [call for call in self.calls if call.op.commutative and len(call.args) == 2]
        choices = itertools.product((False, True), repeat=len(swapping))
        return [
            self._steps(dict(zip(map(id, swapping), c, strict=True))) for c in itertools.islice(choices, MOST_ORDERS)
        ]

    def _steps(self, swapped: Mapping[int, bool]) -> list[Step]:
        steps = []
        for call in self.calls:
            args = tuple(self.slots[_identity(arg)] for arg in call.args)
            steps.append(Step(self.slots[id(call)], call.op, args[::-1] if swapped.get(id(call)) else args))
        return steps

    def _bind(self, graph: Graph, node: int, steps: list[Step]) -> list[Any] | None:
        """What every slot stands for when the operators are there and repeated terms are one value."""
        nodes = graph._node
        bound: list[Any] = [None] * len(self.slots)
        bound[0] = node
        for slot, op, args in steps:
            data = nodes.get(bound[slot])  # a reference to result r > 0 is no node id: no match
            if data is None or data["op"] is not op or len(data["ins"]) != len(args):
                return None
            for arg, ref in zip(args, data["ins"], strict=True):
                if bound[arg] is None:
                    bound[arg] = ref
                elif bound[arg] != ref:
                    return None
        return bound

    def _numbers_fit(self, graph: Graph, bound: list[Any]) -> bool:
        return all(_is_number(graph, bound[slot], value) for slot, value in self.numbers)

    def _completed(self, graph: Graph, bound: list[Any]) -> Match | str:
        nodes = tuple(dict.fromkeys(bound[self.slots[id(call)]] for call in self.calls))
        if any(graph.op(node).effects or len(graph.types(node)) != 1 for node in nodes):
            return "effect"
        attrs: dict[str, Any] = {}
        for call in self.calls:
            if not self._attrs_fit(graph, call, bound[self.slots[id(call)]], attrs):
                return "attributes"
        return Match(graph, nodes, {name: bound[slot] for name, slot in self.variables.items()}, attrs)

    def _attrs_fit(self, graph: Graph, call: Call, node: int, captured: dict[str, Any]) -> bool:
        found = graph.attrs(node)
        if not call.attrs and (not self.strict or not found):
            return True
        wanted = {} if self.strict else dict(found)
        for name, value in call.attrs.items():
            if isinstance(value, AttrVar) and name in found:
                if exact(captured.setdefault(value.name, found[name])) != exact(found[name]):
                    return False
                value = found[name]
            wanted[name] = value
        return _spelled(graph, node, wanted) == exact_attrs(found)


def _spelled(graph: Graph, node: int, attrs: dict[str, Any]) -> Hashable:
    """Attributes in the operator's own spelling for this node's operands; ``None`` when it refuses them."""
    op = graph.op(node)
    if op.canonical is None:
        return exact_attrs(attrs)
    try:
        return exact_attrs(op.canonical(*(graph.type(ref) for ref in graph.ins(node)), **attrs))
    except (MinigraphError, TypeError):
        return None


def _identity(term: Term) -> Hashable:
    """Variables of one name are one value; a call is itself; every number stands for itself."""
    return term.name if isinstance(term, Var) else id(term)


def _is_number(graph: Graph, ref: Ref, value: complex) -> bool:
    """Whether a value is a constant of exactly this number everywhere (0.0 is not -0.0)."""
    data = graph._node[producer(ref)]
    if data["op"].role != "const":
        return False
    array = data["attrs"]["value"].array
    try:
        wanted = np.full(array.shape, value, array.dtype)
    except (OverflowError, ValueError, TypeError):
        return False
    return bool(array.size) and wanted.flat[0] == value and wanted.tobytes() == array.tobytes()
