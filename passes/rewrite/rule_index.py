"""Which rules are tried at which nodes, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from passes.core.statistics import Tally
from passes.rewrite.lazy_function import compiled_function
from passes.rewrite.match import Match
from passes.rewrite.rule_spec import RuleSpec, Variant

OnMatch = Callable[["Entry", Variant, Match], Any]


def provenance_label(by: str, rule: str) -> str:
    """What nodes that a rule makes in a pass say they are made by: pass and rule, which may be one."""
    return rule if by == rule else f"{by}/{rule}"


class BoundRule:
    """One rule, bound to a graph, at the nodes of one operator.

    ``mark`` is what its nodes say they are made by, ``attrs`` are those of a fused node that it makes.
    """

    __slots__ = ("attrs", "mark", "rule", "stats", "ways")

    def __init__(
        self, graph: Graph, rule: RuleSpec, spellings: Sequence[Variant], mark: str, tally: Tally, then: OnMatch
    ) -> None:
        self.rule, self.stats, self.mark, self.attrs = rule, tally[rule.name], mark, {"name": rule.name}
        self.stats.text, self.stats.loc, self.stats.doc, self.stats.file = rule.text, rule.loc, rule.doc, rule.file
        self.ways = [
            partial(compiled_function(spelling.search), graph, accept=rule.acceptor(graph, spelling, partial(then, self, spelling)))
            for spelling in spellings
        ]

    def tried(self, node: int) -> Any:
        """What came of the first match that was good enough, or ``None``; refusals are counted."""
        self.stats.tries += 1
        reason: str | None = None
        for way in self.ways:
            got = way(node)
            if got is not None and got.__class__ is not str:
                return got
            reason = reason or got
        if reason is not None:
            self.stats.refuse(reason, node)
        return None


class RuleIndex(dict[Op, list[BoundRule]]):
    """The rules by the operator they start at, larger ones first; looked up when an operator is first met.

    ``present`` are the operators in the graph: a rule that needs another one is not tried at all.
    """

    def __init__(self, graph: Graph, rules: Sequence[RuleSpec], tally: Tally, then: OnMatch) -> None:
        super().__init__()
        self.graph, self.tally, self.then, self.by = graph, tally, then, graph.by
        self.rules = sorted(rules, key=lambda rule: -rule.size)
        self.present = graph.operators()

    def __missing__(self, op: Op) -> list[BoundRule]:
        fitting = [rule for rule in self.rules if rule.roots is None or op in rule.roots]
        ways = [(rule, rule.at_op(op, self.present)) for rule in fitting]
        self[op] = [self._entry(rule, spellings) for rule, spellings in ways if spellings]
        return self[op]

    def _entry(self, rule: RuleSpec, spellings: Sequence[Variant]) -> BoundRule:
        return BoundRule(self.graph, rule, spellings, provenance_label(self.by, rule.name), self.tally, self.then)

    def release(self) -> None:
        """Forget who asked: it has the index, and the circle would keep the graph until Python looks for garbage."""
        for entry in [entry for entries in self.values() for entry in entries]:
            entry.ways.clear()
        self.clear()
        del self.then

    def note(self, made: Iterable[int]) -> None:
        """Look rules up anew if there is an operator among new nodes that was not in the graph."""
        everything = self.graph.node_map()
        if not self.present.issuperset([everything[node]["op"] for node in made if node in everything]):
            self.present |= {everything[node]["op"] for node in made if node in everything}
            self.clear()

    def at(self, node: int) -> list[BoundRule]:
        """The rules that may start at a node."""
        return self[self.graph.op(node)]

    def candidates(self) -> list[int]:
        """The nodes some rule may start at, operands before users; costs one look per node when there are none."""
        graph = self.graph
        wanted = {op for op in self.present if not op.is_leaf and self[op]}
        if not wanted:
            return []
        everything = graph.node_map()
        return [node for node in graph.topological() if everything[node]["op"] in wanted]
