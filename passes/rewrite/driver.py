"""The rewrite driver: applies rules with a worklist until none applies.

A greedy pattern rewrite driver (as MLIR's): one sweep from operands to users, then a worklist of the nodes at which a
rewrite may have enabled a rule. An index restricts each node to the rules of its operator. Rules that only shrink the
graph terminate; other rule sets have a budget of rewrites, after which the graph is restored and the rules are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from minigraph.core.context import resolve
from minigraph.core.deprecated_names import renamed_arguments
from minigraph.core.errors import RuleError
from minigraph.ir.convexity import TopologicalPositions
from minigraph.ir.graph import Graph
from minigraph.ir.snapshot import RestorableSnapshot
from passes.core.registry import Options
from passes.core.rewrite_limit import LIMIT_REACHED, retract_rewrite, should_rewrite
from passes.core.statistics import Statistics
from passes.rewrite.group_fusion import GroupRule, fuse_all_groups
from passes.rewrite.match import Match
from passes.rewrite.outlining import Outliner
from passes.rewrite.rewrite_application import Rewrite, apply_rewrite
from passes.rewrite.rule_index import BoundRule, RuleIndex
from passes.rewrite.rule_spec import RuleSpec, Variant

MAX_SHARED_USERS = 8  # users of a node through which matches of ``recompute`` rules are looked for again


class Rule(RuleSpec):
    """A rule that can be applied: call it, use it in a pipeline, or in the list of rules of your own pass."""

    def __call__(self, graph: Graph, *, options: Options | None = None) -> None:
        """Apply the rule everywhere."""
        apply_rules(graph, [self], None if options is None else options.statistics)

    def check(self, **options: object) -> Any:
        """Test the rule on many small programs; raises ``RuleError`` with a counterexample if it is wrong.

        The same as ``passes.check(rule, examples=..., seed=...)``.
        """
        return resolve("passes.validate.check:check")(self, **options)


AnyRule = Rule | GroupRule


@renamed_arguments(tally="statistics")
def apply_rules(graph: Graph, rules: Sequence[AnyRule], statistics: Statistics | None = None) -> None:
    """Apply rules everywhere: rewriting rules first, then fusion rules, then group rules; larger patterns first.

    ``statistics`` receives tries, matches and rewrites of each rule. If rewriting does not terminate, the graph is
    restored and a ``RuleError`` names the rules.
    """
    statistics = Statistics() if statistics is None else statistics
    pass_label = graph.by
    patterns = [rule for rule in rules if isinstance(rule, Rule)]
    rewriting = [rule for rule in patterns if not rule.is_fusion]
    outlining = [rule for rule in patterns if rule.is_fusion]
    try:
        if rewriting:
            Rewriter(graph, rewriting, statistics).run()
        if outlining:
            Outliner(graph, outlining, statistics).run()
        for rule in rules:
            if isinstance(rule, GroupRule):
                fuse_all_groups(graph, rule, statistics)
    finally:
        graph.by = pass_label


class Rewriter:
    """Applies rewriting rules in one sweep from operands to users, with a worklist of affected nodes."""

    def __init__(self, graph: Graph, rules: Sequence[RuleSpec], statistics: Statistics) -> None:
        self.graph, self.statistics = graph, statistics
        self.index = RuleIndex(graph, rules, statistics, self._apply)
        self.convexity = TopologicalPositions(graph)
        self.depth = max(rule.depth for rule in rules)
        self.max_users = MAX_SHARED_USERS if any(rule.recompute for rule in rules) else 1
        self.budget = 16 * len(graph) + 1024
        self.is_terminating = all(rule.is_shrinking for rule in rules)
        self.snapshot: RestorableSnapshot | None = None

    def run(self) -> None:
        """Apply the rules until none applies anywhere."""
        worklist = self.index.candidates()[::-1]
        queued = set(worklist)
        node_data, index = self.graph.node_map(), self.index
        while worklist:
            node = worklist.pop()
            queued.discard(node)
            if node in node_data:
                rewrite = self._try_rules(node)
                if rewrite is not None:
                    index.add_operators(rewrite.new_nodes)
                    affected = self._affected_nodes(rewrite)
                    nodes = [n for n in affected if n not in queued and index[node_data[n]["op"]]]
                    queued.update(nodes)
                    worklist += nodes
        index.release()

    def _try_rules(self, node: int) -> Rewrite | None:
        """The rewrite by the first rule that applies at a node."""
        graph, start = self.graph, perf_counter()
        for bound in self.index.rules_at(node):
            if bound.rule.once and graph.prov(node).by == bound.provenance:
                continue
            rewrite: Rewrite | None = bound.try_at(node)
            now = perf_counter()
            bound.stats.seconds += now - start
            start = now
            if rewrite is not None:
                self._record(bound, rewrite)
                return rewrite
        return None

    def _apply(self, bound: BoundRule, variant: Variant, match: Match) -> Rewrite | str | None:
        graph, rule, pass_label = self.graph, bound.rule, self.graph.by
        if not should_rewrite(graph, rule.name, match.root, rule.loc):
            return LIMIT_REACHED
        if self.snapshot is None and not self.is_terminating:
            self.snapshot = RestorableSnapshot(graph)
        graph.by = bound.provenance
        assert variant.build is not None
        result = apply_rewrite(rule, variant.build, match, self.convexity)
        graph.by = pass_label
        if result.__class__ is not Rewrite:
            retract_rewrite()
        return result

    def _record(self, bound: BoundRule, rewrite: Rewrite) -> None:
        bound.stats.rewrites += 1
        if rewrite.recomputed_work is not None:
            bound.stats.added += rewrite.recomputed_work
        self.budget -= 1
        if self.budget < 0:
            lines = [str(loc) for node in rewrite.new_nodes if node in self.graph for loc in self.graph.loc(node)]
            error = RuleError(_nontermination_text(self.index.rules, self.statistics, lines))
            if self.snapshot is not None:
                self.snapshot.restore()
            raise error

    def _affected_nodes(self, rewrite: Rewrite) -> list[int]:
        """The nodes at which a rewrite may have enabled a rule; the next to visit comes last."""
        succ = self.graph.succ_map()
        single_users = [user for node in rewrite.released_operands if len(succ[node]) == 1 for user in succ[node]]
        return [*self._users_within_depth([*rewrite.users, *single_users]), *rewrite.new_nodes]

    def _users_within_depth(self, nodes: list[int]) -> list[int]:
        """These nodes and their transitive users, up to the depth of the deepest pattern.

        Inner nodes of a match have one user (or a few, if a rule recomputes), so the search goes through these only.
        """
        succ, max_users = self.graph.succ_map(), self.max_users
        reached = dict.fromkeys(nodes if self.depth > 1 else ())
        level = reached
        for _ in range(self.depth - 2):
            level = {user: None for node in level if len(succ[node]) <= max_users for user in succ[node]}
            level = {node: None for node in level if node not in reached}
            reached |= level
        return list(reached)[::-1]


def _nontermination_text(rules: Sequence[RuleSpec], statistics: Statistics, lines: Sequence[str]) -> str:
    """The error message: the one or two rules with the most rewrites, and a user line of the last rewrite."""
    counts = sorted(((statistics[rule.name].rewrites, rule) for rule in rules), key=lambda pair: -pair[0])
    busiest = [(count, rule) for count, rule in counts[:2] if count]
    rules_text = ", ".join(f"'{rule.name}' ({rule.loc}) {count} times" for count, rule in busiest)
    where = f", last at {lines[0]}" if lines else ""
    if len(busiest) == 1:
        return f"a rule keeps rewriting its own results: {rules_text}{where}; make its replacement the final form"
    return f"rules keep rewriting each other's results: {rules_text}{where}; make one side of each pair the final form"
