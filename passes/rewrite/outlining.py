"""Applying fusion rules: every match becomes the body of one fused node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from minigraph.ir.convexity import Places
from minigraph.ir.graph import Graph
from minigraph.ir.outline import Group, outline_groups
from passes.core.rewrite_limit import LIMIT_REACHED, should_rewrite
from passes.core.statistics import Tally
from passes.rewrite.match import Match
from passes.rewrite.rule_index import BoundRule, RuleIndex
from passes.rewrite.rule_spec import RuleSpec, Variant

OVERLAP, CYCLE = "overlap", "cycle"
MAX_CYCLE_SEARCHES = 8  # searches for matches that wait for each other, before all of those are given up


class Candidate(NamedTuple):
    """A match that is to be outlined, and those of its nodes that nobody needs afterwards."""

    match: Match
    entry: BoundRule
    dying: tuple[int, ...]
    tangled: bool  # whether it has several ways out


class Outliner:
    """Finds matches from users to operands, so that the longest chain wins; no node goes in two of them."""

    def __init__(self, graph: Graph, rules: Sequence[RuleSpec], tally: Tally) -> None:
        self.graph, self.tally = graph, tally
        self.index = RuleIndex(graph, rules, tally, self.fitting)
        self.places = Places(graph)
        self.taken: set[int] = set()
        self.found: list[Candidate] = []

    def run(self) -> None:
        """Find all matches in the graph as it is, then outline them together."""
        then = perf_counter()
        for node in reversed(self.index.candidates()):
            for entry in self.index.at(node) if node not in self.taken else ():
                found = entry.tried(node)
                now = perf_counter()
                entry.stats.seconds += now - then
                then = now
                if found is not None:
                    self.take(entry, found)
                    break
        self.outline()

    def all_found(self) -> list[Candidate]:
        """Every match that could be outlined if it were the only one; none of them is taken."""
        index = RuleIndex(self.graph, self.index.rules, self.tally, self.outlinable)
        tried = (entry.tried(node) for node in index.candidates() for entry in index.at(node))
        every = [found for found in tried if found is not None]
        index.release()
        return every

    def outline(self) -> None:
        """Outline what was taken."""
        if self.found:
            self._drop_cycles()
            outline_groups(self.graph, [outline_group(found) for found in reversed(self.found)])
        self.index.release()

    def fitting(self, entry: BoundRule, spelling: Variant, match: Match) -> Candidate | str:
        """The match if it can be outlined now, else why not."""
        found, rule = self.outlinable(entry, spelling, match), entry.rule
        if isinstance(found, str):
            return found
        return found if should_rewrite(self.graph, rule.name, match.root, rule.loc) else LIMIT_REACHED

    def outlinable(self, entry: BoundRule, spelling: Variant, match: Match) -> Candidate | str:
        """The match if it can be outlined beside those that were taken, else why not."""
        dying = match.dying() if entry.rule.recompute else match.nodes
        if not self.taken.isdisjoint(dying):
            return OVERLAP
        tangled = not _has_single_exit(self.graph, dying)
        if tangled and self.places.path_back(set(dying)) is not None:
            return CYCLE
        return Candidate(match, entry, dying, tangled)

    def take(self, entry: BoundRule, found: Candidate) -> None:
        """Outline this match in the end; its nodes are no other match's any more."""
        entry.stats.rewrites += 1
        if len(found.dying) < len(found.match.nodes):
            staying = (self.graph.work(node) for node in found.match.nodes if node not in found.dying)
            entry.stats.added = sum(staying, entry.stats.added)
        self.taken.update(found.dying)
        self.found.append(found)

    def _drop_cycles(self) -> None:
        """Matches with several ways out are convex each, but two of them may still wait for each other."""
        for turn in range(MAX_CYCLE_SEARCHES + 1):
            if sum(found.tangled for found in self.found) < 2:
                return
            stuck = cyclic_sets(self.graph, [found.dying for found in self.found])
            guilty = [self.found[k] for k in sorted(stuck) if self.found[k].tangled]
            for found in guilty if turn == MAX_CYCLE_SEARCHES else guilty[-1:]:
                self.found.remove(found)
                self.tally[found.entry.rule.name].rewrites -= 1
                self.tally[found.entry.rule.name].refuse(CYCLE, found.match.root)
            if not guilty:
                return


def outline_group(found: Candidate, ids: Mapping[int, int] | None = None) -> Group:
    """The match as nodes to outline; with ``ids``, in another graph where its nodes have those."""
    match, copied = found.match, len(found.dying) < len(found.match.nodes)
    results = () if found.tangled and not copied else match.roots
    nodes = match.nodes
    if ids is not None:
        nodes, results = tuple(ids[node] for node in nodes), tuple(ids[node] for node in results)
    return Group(nodes, found.entry.attrs, results, copied, found.entry.mark)


def _has_single_exit(graph: Graph, nodes: tuple[int, ...]) -> bool:
    """Whether only the first node has edges that leave the set: then it is convex, also together with others."""
    succ = graph.succ_map()
    if len(nodes) == 2:
        users = succ[nodes[1]]
        return len(users) == 1 and nodes[0] in users
    inside = set(nodes)
    return all(inside.issuperset(succ[node]) for node in nodes[1:])


def cyclic_sets(graph: Graph, sets: Sequence[Iterable[int]]) -> set[int]:
    """The positions of those disjoint sets that would be on, or behind, a cycle if each were one node."""
    home = {node: k for k, nodes in enumerate(sets) for node in nodes}

    def place(node: int) -> int:  # of the set it is in, below zero, or its own
        return -1 - home[node] if node in home else node

    members = {-1 - k: list(nodes) for k, nodes in enumerate(sets)}
    pred, succ = graph.pred_map(), graph.succ_map()
    missing = dict.fromkeys(map(place, pred), 0)
    for node, sources in pred.items():
        missing[place(node)] += sum(place(source) != place(node) for source in sources)
    ready = [key for key, count in missing.items() if not count]
    for key in ready:  # grows while it is walked
        for user in (user for node in members.get(key, [key]) for user in succ[node]):
            target = place(user)
            if target != key:
                missing[target] -= 1
                if not missing[target]:
                    ready.append(target)
    return {k for k in range(len(sets)) if missing[-1 - k]}
