"""Outlining: every match of a fusion rule becomes the body of one fused node.

Problem: select disjoint matches and replace each by one node without creating a cycle. A set of nodes can become one
node only if it is convex: no path leaves the set and returns (convex subgraphs: Pozzi et al. 2006, "Exact and
approximate algorithms for the extension of embedded processor instruction sets"). Method: greedy maximal munch (Cattell
1980; Aho et al., "Compilers", section 8.9) from users to operands, larger patterns first, so the longest match at a
node wins. All selected matches are then outlined together.

Invariants: no node is erased by two matches. A match whose only exit is its root is convex, also together with others;
other matches are tested for convexity one by one. Two convex matches may still wait for each other. ``cyclic_sets``
finds these by topological sorting (Kahn 1962) of the graph with each match contracted to one node, and matches on a
cycle are dropped until none is left. Not handled: an optimal selection of overlapping matches (``cost_based_fusion``
compares alternatives), and splitting a match that would create a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from minigraph.ir.convexity import TopologicalPositions
from minigraph.ir.graph import Graph
from minigraph.ir.outline import Group, outline_groups
from passes.core.rewrite_limit import LIMIT_REACHED, should_rewrite
from passes.core.statistics import Statistics
from passes.rewrite.match import Match
from passes.rewrite.rule_index import BoundRule, RuleIndex
from passes.rewrite.rule_spec import RuleSpec, Variant

OVERLAP, CYCLE = "overlap", "cycle"  # reasons for rejection
MAX_CYCLE_SEARCHES = 8  # after these, all matches on cycles are dropped at once


class Candidate(NamedTuple):
    """A match that can be outlined, its rule, and the nodes that outlining erases."""

    match: Match
    bound: BoundRule
    erased: tuple[int, ...]
    has_several_exits: bool  # whether edges leave the match from other nodes than its root


class Outliner:
    """Selects disjoint matches from users to operands, so that the longest match wins, and outlines them together."""

    def __init__(self, graph: Graph, rules: Sequence[RuleSpec], statistics: Statistics) -> None:
        self.graph, self.statistics = graph, statistics
        self.index = RuleIndex(graph, rules, statistics, self.admitted_candidate)
        self.convexity = TopologicalPositions(graph)
        self.claimed: set[int] = set()
        self.selected: list[Candidate] = []

    def run(self) -> None:
        """Select matches in the unchanged graph, then outline them together."""
        start = perf_counter()
        for node in reversed(self.index.candidates()):
            for bound in self.index.rules_at(node) if node not in self.claimed else ():
                candidate = bound.try_at(node)
                now = perf_counter()
                bound.stats.seconds += now - start
                start = now
                if candidate is not None:
                    self.select(bound, candidate)
                    break
        self.outline()

    def all_candidates(self) -> list[Candidate]:
        """Every match that could be outlined on its own; none is selected."""
        index = RuleIndex(self.graph, self.index.rules, self.statistics, self.candidate)
        attempts = (bound.try_at(node) for node in index.candidates() for bound in index.rules_at(node))
        candidates = [candidate for candidate in attempts if candidate is not None]
        index.release()
        return candidates

    def outline(self) -> None:
        """Outline the selected matches."""
        if self.selected:
            self._drop_cycles()
            outline_groups(self.graph, [outline_group(candidate) for candidate in reversed(self.selected)])
        self.index.release()

    def admitted_candidate(self, bound: BoundRule, variant: Variant, match: Match) -> Candidate | str:
        """The match if it can be outlined within the rewrite limit, else the reason why not."""
        candidate, rule = self.candidate(bound, variant, match), bound.rule
        if isinstance(candidate, str):
            return candidate
        return candidate if should_rewrite(self.graph, rule.name, match.root, rule.loc) else LIMIT_REACHED

    def candidate(self, bound: BoundRule, variant: Variant, match: Match) -> Candidate | str:
        """The match if it can be outlined besides the selected ones, else the reason why not."""
        erased = match.removable_nodes() if bound.rule.recompute else match.nodes
        if not self.claimed.isdisjoint(erased):
            return OVERLAP
        has_several_exits = not _has_single_exit(self.graph, erased)
        if has_several_exits and self.convexity.find_reentry(set(erased)) is not None:
            return CYCLE
        return Candidate(match, bound, erased, has_several_exits)

    def select(self, bound: BoundRule, candidate: Candidate) -> None:
        """Select a match for outlining and claim the nodes that it erases."""
        bound.stats.rewrites += 1
        if len(candidate.erased) < len(candidate.match.nodes):
            recomputed = (self.graph.work(node) for node in candidate.match.nodes if node not in candidate.erased)
            bound.stats.added = sum(recomputed, bound.stats.added)
        self.claimed.update(candidate.erased)
        self.selected.append(candidate)

    def _drop_cycles(self) -> None:
        """Drop matches until the rest, each contracted to one node, leave the graph acyclic."""
        for search in range(MAX_CYCLE_SEARCHES + 1):
            if sum(candidate.has_several_exits for candidate in self.selected) < 2:
                return
            cyclic = cyclic_sets(self.graph, [candidate.erased for candidate in self.selected])
            dropped = [self.selected[k] for k in sorted(cyclic) if self.selected[k].has_several_exits]
            for candidate in dropped if search == MAX_CYCLE_SEARCHES else dropped[-1:]:
                self.selected.remove(candidate)
                self.statistics[candidate.bound.rule.name].rewrites -= 1
                self.statistics[candidate.bound.rule.name].reject(CYCLE, candidate.match.root)
            if not dropped:
                return


def outline_group(candidate: Candidate, ids: Mapping[int, int] | None = None) -> Group:
    """The match as a group to outline; ``ids`` translates its nodes to nodes of another graph."""
    match, copied = candidate.match, len(candidate.erased) < len(candidate.match.nodes)
    results = () if candidate.has_several_exits and not copied else match.roots
    nodes = match.nodes
    if ids is not None:
        nodes, results = tuple(ids[node] for node in nodes), tuple(ids[node] for node in results)
    return Group(nodes, candidate.bound.attrs, results, copied, candidate.bound.provenance)


def _has_single_exit(graph: Graph, nodes: tuple[int, ...]) -> bool:
    """Whether edges leave the set from its first node only; then it is convex, also together with other such sets."""
    succ = graph.succ_map()
    if len(nodes) == 2:
        users = succ[nodes[1]]
        return len(users) == 1 and nodes[0] in users
    inside = set(nodes)
    return all(inside.issuperset(succ[node]) for node in nodes[1:])


def cyclic_sets(graph: Graph, sets: Sequence[Iterable[int]]) -> set[int]:
    """The positions of those disjoint sets that would be on, or after, a cycle if each were contracted to one node."""
    set_of = {node: k for k, nodes in enumerate(sets) for node in nodes}

    def key_of(node: int) -> int:  # a negative number for its set, or the node itself
        return -1 - set_of[node] if node in set_of else node

    members = {-1 - k: list(nodes) for k, nodes in enumerate(sets)}
    pred, succ = graph.pred_map(), graph.succ_map()
    missing = dict.fromkeys(map(key_of, pred), 0)
    for node, sources in pred.items():
        missing[key_of(node)] += sum(key_of(source) != key_of(node) for source in sources)
    ready = [key for key, count in missing.items() if not count]
    for key in ready:  # grows during the loop
        for user in (user for node in members.get(key, [key]) for user in succ[node]):
            target = key_of(user)
            if target != key:
                missing[target] -= 1
                if not missing[target]:
                    ready.append(target)
    return {k for k in range(len(sets)) if missing[-1 - k]}
