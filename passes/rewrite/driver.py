"""What a rule is, and the driver under every rule: a worklist, and each node's own rules only."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from minigraph.core.context import resolve
from minigraph.core.errors import RuleError
from minigraph.ir.convexity import Places
from minigraph.ir.graph import Graph
from minigraph.ir.undo import Before
from passes.core.registry import Options
from passes.core.rewrite_limit import LIMIT_REACHED, retract_rewrite, should_rewrite
from passes.core.statistics import Tally
from passes.rewrite.group_fusion import GroupRule, fuse_all_groups
from passes.rewrite.match import Match
from passes.rewrite.outlining import Outliner
from passes.rewrite.rewrite_application import Rewrite, apply_rewrite
from passes.rewrite.rule_index import BoundRule, RuleIndex
from passes.rewrite.rule_spec import RuleSpec, Variant

MAX_SHARED_USERS = 8  # users of a node through which a match that recomputes is looked for once more


class Rule(RuleSpec):
    """A recipe that can be applied: call it, put it into a pipeline, or into a list of rules of your own pass."""

    def __call__(self, graph: Graph, *, options: Options | None = None) -> None:
        """Apply the rule everywhere."""
        apply_rules(graph, [self], None if options is None else options.tally)

    def check(self, **options: Any) -> Any:
        """Try the rule at many small places; raises ``RuleError`` with a counterexample when it is wrong.

        The same as ``passes.check(rule, on=..., seed=...)``, which see.
        """
        return resolve("passes.validate.check:check")(self, **options)


AnyRule = Rule | GroupRule


def apply_rules(graph: Graph, rules: Sequence[AnyRule], tally: Tally | None = None) -> None:
    """Apply rules everywhere: rewriting ones first, then outlining ones, then groups; larger patterns first.

    ``tally`` counts what they did and may limit it. Raises ``RuleError`` naming the rules when they keep
    rewriting each other's results, with the graph as it was before they began.
    """
    tally = Tally() if tally is None else tally
    by = graph.by
    patterns = [rule for rule in rules if isinstance(rule, Rule)]
    rewriting = [rule for rule in patterns if not rule.outlines]
    outlining = [rule for rule in patterns if rule.outlines]
    try:
        if rewriting:
            Rewriter(graph, rewriting, tally).run()
        if outlining:
            Outliner(graph, outlining, tally).run()
        for rule in rules:
            if isinstance(rule, GroupRule):
                fuse_all_groups(graph, rule, tally)
    finally:
        graph.by = by


class Rewriter:
    """One sweep from operands to users, and a stack of what changed on the way."""

    def __init__(self, graph: Graph, rules: Sequence[RuleSpec], tally: Tally) -> None:
        self.graph, self.tally = graph, tally
        self.index = RuleIndex(graph, rules, tally, self._replaced)
        self.places = Places(graph)
        self.depth = max(rule.depth for rule in rules)
        self.shared = MAX_SHARED_USERS if any(rule.recompute for rule in rules) else 1
        self.budget = 16 * len(graph) + 1024
        self.ends = all(rule.shrinks for rule in rules)
        self.before: Before | None = None

    def run(self) -> None:
        """Apply the rules until none applies anywhere."""
        stack = self.index.candidates()[::-1]
        waiting = set(stack)
        everything, index = self.graph.node_map(), self.index
        while stack:
            node = stack.pop()
            waiting.discard(node)
            if node in everything:
                done = self._tried(node)
                if done is not None:
                    index.note(done.made)
                    fresh = [n for n in self._touched(done) if n not in waiting and index[everything[n]["op"]]]
                    waiting.update(fresh)
                    stack += fresh
        index.release()

    def _tried(self, node: int) -> Rewrite | None:
        """What the first rule that applies did at a node."""
        graph, then = self.graph, perf_counter()
        for entry in self.index.at(node):
            if entry.rule.once and graph.prov(node).by == entry.mark:
                continue
            done = entry.tried(node)
            now = perf_counter()
            entry.stats.seconds += now - then
            then = now
            if done is not None:
                self._count(entry, done)
                return done
        return None

    def _replaced(self, entry: BoundRule, spelling: Variant, match: Match) -> Rewrite | str | None:
        graph, rule, by = self.graph, entry.rule, self.graph.by
        if not should_rewrite(graph, rule.name, match.root, rule.loc):
            return LIMIT_REACHED
        if self.before is None and not self.ends:
            self.before = Before(graph)
        graph.by = entry.mark
        assert spelling.build is not None
        done = apply_rewrite(rule, spelling.build, match, self.places)
        graph.by = by
        if done.__class__ is not Rewrite:
            retract_rewrite()
        return done

    def _count(self, entry: BoundRule, done: Rewrite) -> None:
        entry.stats.rewrites += 1
        if done.added is not None:
            entry.stats.added += done.added
        self.budget -= 1
        if self.budget < 0:
            lines = [str(loc) for node in done.made if node in self.graph for loc in self.graph.loc(node)]
            error = RuleError(_nontermination_text(self.index.rules, self.tally, lines))
            if self.before is not None:
                self.before.restore()
            raise error

    def _touched(self, done: Rewrite) -> list[int]:
        """The nodes where a rule may apply now that did not before, those to be looked at first coming last."""
        succ = self.graph.succ_map()
        alone = [user for node in done.freed if len(succ[node]) == 1 for user in succ[node]]
        return [*self._upward([*done.users, *alone]), *done.made]

    def _upward(self, nodes: list[int]) -> list[int]:
        """These nodes, and users above them, as far up as a pattern reaches down.

        A match goes through nodes of one user only (of a few, if a rule recomputes), so that is where to go on.
        """
        succ, shared = self.graph.succ_map(), self.shared
        found = dict.fromkeys(nodes if self.depth > 1 else ())
        level = found
        for _ in range(self.depth - 2):
            level = {user: None for node in level if len(succ[node]) <= shared for user in succ[node]}
            level = {node: None for node in level if node not in found}
            found |= level
        return list(found)[::-1]


def _nontermination_text(rules: Sequence[RuleSpec], tally: Tally, lines: Sequence[str]) -> str:
    """The two busiest rules, or the one there is, and a line of the user's where they do not rest."""
    busiest = [rule for rule in sorted(rules, key=lambda rule: -tally[rule.name].rewrites) if tally[rule.name].rewrites]
    shown = ", ".join(f"'{rule.name}' ({rule.loc}) {tally[rule.name].rewrites} times" for rule in busiest[:2])
    where = f", last at {lines[0]}" if lines else ""
    if len(busiest) == 1:
        return f"a rule keeps rewriting its own results: {shown}{where}; make its replacement the final form"
    return f"rules keep rewriting each other's results: {shown}{where}; make one side of each pair the final form"
