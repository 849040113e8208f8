"""An index of rules by root operator, so that each node is tried only with rules that may match there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from passes.core.statistics import Statistics
from passes.rewrite.lazy_function import compiled_function
from passes.rewrite.match import Match
from passes.rewrite.rule_spec import RuleSpec, Variant

OnMatch = Callable[["BoundRule", Variant, Match], object]


def provenance_label(creator: str, rule: str) -> str:
    """The creator in the provenance of a rule's new nodes: ``pass/rule``, or one name if both are the same."""
    return rule if creator == rule else f"{creator}/{rule}"


class BoundRule:
    """One rule, bound to the graph of an index, for the nodes of one operator.

    ``provenance`` is the creator of its new nodes, ``attrs`` are the attributes of its fused nodes.
    """

    __slots__ = ("attrs", "provenance", "rule", "searches", "stats")

    def __init__(self, index: RuleIndex, rule: RuleSpec, variants: Sequence[Variant]) -> None:
        self.rule, self.stats, self.attrs = rule, index.statistics[rule.name], {"name": rule.name}
        self.provenance = provenance_label(index.by, rule.name)
        self.stats.text, self.stats.loc, self.stats.doc, self.stats.file = rule.text, rule.loc, rule.doc, rule.file
        self.searches: list[Callable[[int], object]] = []
        for variant in variants:
            accept = rule.make_acceptor(index.graph, variant, partial(index.on_match, self, variant))
            self.searches.append(partial(compiled_function(variant.search), index.graph, accept=accept))

    def try_at(self, node: int) -> Any:
        """The result for the first accepted match at a node, or ``None``; rejections are counted."""
        self.stats.tries += 1
        reason: str | None = None
        for search in self.searches:
            result = search(node)
            if result is not None and result.__class__ is not str:
                return result
            reason = reason or result
        if reason is not None:
            self.stats.reject(reason, node)
        return None


class RuleIndex(dict[Op, list[BoundRule]]):
    """Rules by root operator, larger patterns first; an entry is created when the operator is first met.

    ``present`` are the operators in the graph: a rule that requires another operator is not tried at all.
    """

    def __init__(self, graph: Graph, rules: Sequence[RuleSpec], statistics: Statistics, on_match: OnMatch) -> None:
        super().__init__()
        self.graph, self.statistics, self.on_match, self.by = graph, statistics, on_match, graph.by
        self.rules = sorted(rules, key=lambda rule: -rule.size)
        self.present = graph.operators()

    def __missing__(self, op: Op) -> list[BoundRule]:
        rules = [rule for rule in self.rules if rule.roots is None or op in rule.roots]
        pairs = [(rule, rule.variants_at(op, self.present)) for rule in rules]
        self[op] = [BoundRule(self, rule, variants) for rule, variants in pairs if variants]
        return self[op]

    def release(self) -> None:
        """Break the reference cycle with the driver, which would keep the graph alive until garbage collection."""
        for bound in [bound for rules in self.values() for bound in rules]:
            bound.searches.clear()
        self.clear()
        del self.on_match

    def add_operators(self, new_nodes: Iterable[int]) -> None:
        """Rebuild the index if new nodes have an operator that was not in the graph."""
        node_data = self.graph.node_map()
        operators = {node_data[node]["op"] for node in new_nodes if node in node_data}
        if not operators <= self.present:
            self.present |= operators
            self.clear()

    def rules_at(self, node: int) -> list[BoundRule]:
        """The rules that may match at a node."""
        return self[self.graph.op(node)]

    def candidates(self) -> list[int]:
        """The nodes at which some rule may match, operands before users."""
        graph = self.graph
        root_operators = {op for op in self.present if not op.is_leaf and self[op]}
        if not root_operators:
            return []
        node_data = graph.node_map()
        return [node for node in graph.topological() if node_data[node]["op"] in root_operators]
