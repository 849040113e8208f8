"""Fusing what is cheaper: among the fusions that are possible, those are made that a cost function likes best.

::

    %3 = matmul(%0, %1)
    %4 = add(%3, %2)      -> fuse{rules=(cube, vector), cost=ascend910b1} ->    MatMulBiasRelu, MatMulBias, elementwise
    %5 = relu(%4)                                                              or nothing: whatever takes least

Fusions that want the same nodes are alternatives. Each such cluster is taken out of the graph, every combination is
made there and priced, and the cheapest is made in the graph. What was chosen, and what was not, is on record.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from minigraph.ir.excerpt import excerpt, structure
from minigraph.ir.graph import Graph
from minigraph.ir.outline import Group, outline_groups
from passes.core.rewrite_limit import LIMIT_REACHED, should_rewrite
from passes.core.statistics import Choice, Tally
from passes.rewrite.costs import Cost
from passes.rewrite.driver import AnyRule, Rule
from passes.rewrite.group_fusion import GroupRule, groups_of
from passes.rewrite.outlining import Candidate, Outliner, cyclic_sets, outline_group
from passes.rewrite.rule_index import provenance_label

TOO_COSTLY = "cost"  # why a fusion that was possible was not made
MAX_EXHAUSTIVE_PATTERNS = 6  # patterns in one cluster of which all combinations are priced: 64; of more, one after the other
NOTHING = "nothing"


class Plan(NamedTuple):
    """What to make of a cluster: which of its patterns (by position), and whether groups of what is left."""

    patterns: tuple[int, ...]
    grouping: bool


class Decision(NamedTuple):
    """The cheapest plan of a cluster, the groups in it (by position of their nodes), and every plan with its cost."""

    plan: Plan
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    cycles: int
    others: tuple[tuple[str, int], ...]
    label: str


def fuse_by_cost(graph: Graph, rules: Sequence[AnyRule], cost: Cost, tally: Tally) -> None:
    """Outline, of all matches of fusion rules, those that make the graph cheapest; the choices are on the tally."""
    patterns = [rule for rule in rules if isinstance(rule, Rule)]
    regions = [rule for rule in rules if isinstance(rule, GroupRule)]
    outliner = Outliner(graph, patterns, tally)
    clusters = _form_clusters(outliner.all_found(), [nodes for rule in regions for nodes in groups_of(graph, rule)])
    judge = _ClusterPricing(graph, regions, cost)
    grown: list[Group] = []
    for cluster in clusters:
        verdict, order = judge.verdict(cluster)
        chosen = [cluster.found[k] for k in verdict.plan.patterns]
        for found in cluster.found:
            _apply_decision(graph, outliner, found, found in chosen)
        for name, places in verdict.groups:
            nodes = [order[place] for place in places]
            rule = next(rule for rule in regions if rule.name == name)
            if should_rewrite(graph, name, nodes[-1], rule.loc):
                tally[name].rewrites += 1
                grown.append(Group(nodes, {"name": name}, by=provenance_label(graph.by, name)))
        lines = tuple(dict.fromkeys(map(str, graph.locs(order))))
        tally.choices.append(Choice(order[-1], lines, verdict.label, verdict.cycles, verdict.others))
    outliner.outline()
    outline_groups(graph, grown)


def _apply_decision(graph: Graph, outliner: Outliner, found: Candidate, chosen: bool) -> None:
    stats, rule = found.entry.stats, found.entry.rule
    if not chosen:
        stats.refuse(TOO_COSTLY, found.match.root)
    elif should_rewrite(graph, rule.name, found.match.root, rule.loc):
        outliner.take(found.entry, found)
    else:
        stats.refuse(LIMIT_REACHED, found.match.root)


# ---- clusters --------------------------------------------------------------------------------------


@dataclass
class Cluster:
    """Fusions that want the same nodes, directly or by way of others."""

    nodes: set[int] = field(default_factory=set)
    found: list[Candidate] = field(default_factory=list)


def _form_clusters(found: Sequence[Candidate], groups: Sequence[Sequence[int]]) -> list[Cluster]:
    """The fusions, those that share nodes together, in the order of the graph."""
    home: dict[int, Cluster] = {}
    wanted: list[tuple[Sequence[int], Candidate | None]] = [(one.match.nodes, one) for one in found]
    for nodes, one in (*wanted, *((group, None) for group in groups)):
        met = list({id(home[node]): home[node] for node in nodes if node in home}.values())
        cluster = max(met, key=lambda some: len(some.nodes), default=Cluster())
        for other in met:
            if other is not cluster:
                cluster.nodes |= other.nodes
                cluster.found += other.found
                home.update(dict.fromkeys(other.nodes, cluster))
        cluster.nodes.update(nodes)
        cluster.found += [one] if one is not None else []
        home.update(dict.fromkeys(nodes, cluster))
    return sorted({id(some): some for some in home.values()}.values(), key=lambda some: max(some.nodes))


# ---- prices ----------------------------------------------------------------------------------------


class _ClusterPricing:
    """Prices clusters; those that look the same, as in the layers of a network, are priced once."""

    def __init__(self, graph: Graph, regions: Sequence[GroupRule], cost: Cost) -> None:
        self.graph, self.regions, self.cost = graph, regions, cost
        self.known: dict[Hashable, Decision] = {}

    def verdict(self, cluster: Cluster) -> tuple[Decision, list[int]]:
        """What is best, and the cluster's nodes in the order by which the verdict names them."""
        part, ids = excerpt(self.graph, cluster.nodes)
        place = {node: k for k, node in enumerate(ids)}
        key = structure(part), tuple((f.entry.rule.name, tuple(place[n] for n in f.match.nodes)) for f in cluster.found)
        if key not in self.known:
            self.known[key] = self._judged(cluster, part, ids)
        return self.known[key], list(ids)

    def _judged(self, cluster: Cluster, part: Graph, ids: dict[int, int]) -> Decision:
        priced: dict[Plan, tuple[int, Any]] = {}

        def price(plan: Plan) -> int:
            if plan not in priced:
                twin, groups = self._made(cluster, plan, part, ids)
                priced[plan] = self.cost(twin), groups
            return priced[plan][0]

        if len(cluster.found) <= MAX_EXHAUSTIVE_PATTERNS:
            for patterns in _combinations(self.graph, cluster.found):
                price(Plan(patterns, False))
                price(Plan(patterns, bool(self.regions)))
        else:
            _price_greedily(self.graph, cluster.found, lambda patterns: price(Plan(patterns, bool(self.regions))))
            price(Plan((), False))
        return self._best(cluster, priced, {twin: k for k, twin in enumerate(ids.values())})

    def _made(self, cluster: Cluster, plan: Plan, part: Graph, ids: dict[int, int]) -> tuple[Graph, Any]:
        """A copy of the part with the plan carried out, and the groups in it."""
        twin = part.clone()
        groups = [outline_group(cluster.found[k], ids) for k in plan.patterns]
        gone = {ids[node] for k in plan.patterns for node in cluster.found[k].dying}
        grown: list[tuple[str, tuple[int, ...]]] = []
        for rule in self.regions if plan.grouping else ():
            for nodes in groups_of(part, rule, gone.union(*(nodes for _, nodes in grown))):
                grown.append((rule.name, tuple(nodes)))
        outline_groups(twin, [*groups, *(Group(nodes, {"name": name}) for name, nodes in grown)])
        return twin, tuple(grown)

    def _best(self, cluster: Cluster, priced: dict[Plan, tuple[int, Any]], place: dict[int, int]) -> Decision:
        """The cheapest plan; of equals the one whose patterns take most nodes."""
        labels = {plan: _label(cluster, plan, groups) for plan, (_, groups) in priced.items()}
        best = min(priced, key=lambda plan: (priced[plan][0], -sum(len(cluster.found[k].dying) for k in plan.patterns)))
        others = {labels[plan]: cycles for plan, (cycles, _) in priced.items() if labels[plan] != labels[best]}
        groups = tuple((name, tuple(place[node] for node in nodes)) for name, nodes in priced[best][1])
        rejected = tuple(sorted(others.items(), key=lambda item: item[1]))
        return Decision(best, groups, priced[best][0], rejected, labels[best])


def _label(cluster: Cluster, plan: Plan, groups: Sequence[tuple[str, Any]]) -> str:
    names = [cluster.found[k].entry.rule.name for k in plan.patterns] + [name for name, _ in groups]
    return " + ".join(names) or NOTHING


def _combinations(graph: Graph, found: Sequence[Candidate]) -> Iterator[tuple[int, ...]]:
    """The positions of fusions that can be made together, in every combination, none of them first."""
    for count in range(len(found) + 1):
        for chosen in combinations(range(len(found)), count):
            if _are_compatible(graph, [found[k] for k in chosen]):
                yield chosen


def _price_greedily(graph: Graph, found: Sequence[Candidate], price: Callable[[tuple[int, ...]], int]) -> None:
    """Price fusions one after the other, keeping those that pay."""
    chosen: tuple[int, ...] = ()
    cycles = price(chosen)
    for k in range(len(found)):
        more = (*chosen, k)
        if _are_compatible(graph, [found[j] for j in more]) and price(more) < cycles:
            chosen, cycles = more, price(more)


def _are_compatible(graph: Graph, found: Sequence[Candidate]) -> bool:
    """Whether fusions want different nodes and do not wait for each other."""
    nodes = [node for one in found for node in one.dying]
    if len(nodes) != len(set(nodes)):
        return False
    return sum(one.tangled for one in found) < 2 or not cyclic_sets(graph, [one.dying for one in found])
