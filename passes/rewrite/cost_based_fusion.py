"""Cost-based fusion: of all possible fusions, apply the combination that a cost function finds cheapest.

::

    %3 = matmul(%0, %1)
    %4 = add(%3, %2)      -> fuse{rules=(cube, vector), cost=ascend910b1} ->    MatMulBiasRelu, MatMulBias, elementwise
    %5 = relu(%4)                                                              or nothing: the cheapest

Problem: select fusions that share no node so that the cost is least: weighted set packing, which is NP-hard (Karp
1972). Method: fusions that share nodes are alternatives and form a cluster (a connected component of overlaps). Each
cluster is extracted from the graph, its combinations of compatible fusions are applied to copies, and the one with the
lowest estimated cost is applied to the graph. Up to ``MAX_EXHAUSTIVE_PATTERNS`` patterns, all combinations are tried;
larger clusters are decided greedily. The selected and the rejected alternatives are recorded.

Invariants: selected fusions are disjoint and create no cycle; no fusion at all is one of the alternatives. Not handled:
costs that depend on several clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from minigraph.ir.graph import Graph
from minigraph.ir.outline import Group, outline_groups
from minigraph.ir.subgraph import extract_subgraph, structural_key
from passes.core.choice import Choice
from passes.core.rewrite_limit import LIMIT_REACHED, should_rewrite
from passes.core.statistics import Statistics
from passes.rewrite.costs import Cost
from passes.rewrite.driver import AnyRule, Rule
from passes.rewrite.group_fusion import GroupRule, groups_of
from passes.rewrite.outlining import Candidate, Outliner, cyclic_sets, outline_group
from passes.rewrite.rule_index import provenance_label

TOO_COSTLY = "cost"  # the reason for rejecting a possible fusion
MAX_EXHAUSTIVE_PATTERNS = 6  # in one cluster: 64 combinations
NO_FUSION = "no fusion"


class Plan(NamedTuple):
    """The fusions to apply in a cluster: pattern matches by position, and whether to group the remaining nodes."""

    patterns: tuple[int, ...]
    grouping: bool


class Decision(NamedTuple):
    """The cheapest plan of a cluster, its groups (by position of their nodes), its cycles, and the rejected plans."""

    plan: Plan
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    cycles: int
    rejected: tuple[tuple[str, int], ...]
    label: str


def fuse_by_cost(graph: Graph, rules: Sequence[AnyRule], cost: Cost, statistics: Statistics) -> None:
    """Outline the cheapest combination of all matches of fusion rules; ``statistics.choices`` gets the decisions."""
    patterns = [rule for rule in rules if isinstance(rule, Rule)]
    group_rules = [rule for rule in rules if isinstance(rule, GroupRule)]
    outliner = Outliner(graph, patterns, statistics)
    groups = [nodes for rule in group_rules for nodes in groups_of(graph, rule)]
    costs = _ClusterCosts(graph, group_rules, cost)
    selected: list[Group] = []
    for cluster in _form_clusters(outliner.all_candidates(), groups):
        decision, order = costs.decide(cluster)
        selected_candidates = [cluster.candidates[k] for k in decision.plan.patterns]
        for candidate in cluster.candidates:
            _apply_decision(graph, outliner, candidate, candidate in selected_candidates)
        for name, positions in decision.groups:
            nodes = [order[position] for position in positions]
            rule = next(rule for rule in group_rules if rule.name == name)
            if should_rewrite(graph, name, nodes[-1], rule.loc):
                statistics[name].rewrites += 1
                selected.append(Group(nodes, {"name": name}, by=provenance_label(graph.by, name)))
        lines = tuple(dict.fromkeys(map(str, graph.locs(order))))
        statistics.choices.append(Choice(order[-1], lines, decision.label, decision.cycles, decision.rejected))
    outliner.outline()
    outline_groups(graph, selected)


def _apply_decision(graph: Graph, outliner: Outliner, candidate: Candidate, is_selected: bool) -> None:
    stats, rule = candidate.bound.stats, candidate.bound.rule
    if not is_selected:
        stats.reject(TOO_COSTLY, candidate.match.root)
    elif should_rewrite(graph, rule.name, candidate.match.root, rule.loc):
        outliner.select(candidate.bound, candidate)
    else:
        stats.reject(LIMIT_REACHED, candidate.match.root)


# ---- clusters --------------------------------------------------------------------------------------


@dataclass
class Cluster:
    """Fusions that share nodes, directly or through others."""

    nodes: set[int] = field(default_factory=set)
    candidates: list[Candidate] = field(default_factory=list)


def _form_clusters(candidates: Sequence[Candidate], groups: Sequence[Sequence[int]]) -> list[Cluster]:
    """The connected components of overlapping fusions, in the order of the graph."""
    cluster_of: dict[int, Cluster] = {}
    fusions: list[tuple[Sequence[int], Candidate | None]] = [
        (candidate.match.nodes, candidate) for candidate in candidates
    ]
    for nodes, candidate in (*fusions, *((group, None) for group in groups)):
        overlapping = list({id(cluster_of[node]): cluster_of[node] for node in nodes if node in cluster_of}.values())
        cluster = max(overlapping, key=lambda cluster: len(cluster.nodes), default=Cluster())
        for other in overlapping:
            if other is not cluster:
                cluster.nodes |= other.nodes
                cluster.candidates += other.candidates
                cluster_of.update(dict.fromkeys(other.nodes, cluster))
        cluster.nodes.update(nodes)
        cluster.candidates += [candidate] if candidate is not None else []
        cluster_of.update(dict.fromkeys(nodes, cluster))
    return sorted(
        {id(cluster): cluster for cluster in cluster_of.values()}.values(), key=lambda cluster: max(cluster.nodes)
    )


# ---- cost estimates --------------------------------------------------------------------------------


class _ClusterCosts:
    """Estimates the cost of clusters; structurally equal ones, such as layers of a network, only once."""

    def __init__(self, graph: Graph, group_rules: Sequence[GroupRule], cost: Cost) -> None:
        self.graph, self.group_rules, self.cost = graph, group_rules, cost
        self.decisions: dict[Hashable, Decision] = {}

    def decide(self, cluster: Cluster) -> tuple[Decision, list[int]]:
        """The decision on a cluster, and the cluster's nodes in the order of the decision's positions."""
        part, ids = extract_subgraph(self.graph, cluster.nodes)
        position = {node: k for k, node in enumerate(ids)}
        matches = [
            (candidate.bound.rule.name, tuple(position[n] for n in candidate.match.nodes))
            for candidate in cluster.candidates
        ]
        key = structural_key(part), tuple(matches)
        if key not in self.decisions:
            self.decisions[key] = self._estimate_plans(cluster, part, ids)
        return self.decisions[key], list(ids)

    def _estimate_plans(self, cluster: Cluster, part: Graph, ids: dict[int, int]) -> Decision:
        estimates: dict[Plan, tuple[int, object]] = {}

        def estimate(plan: Plan) -> int:
            if plan not in estimates:
                copy, groups = self._apply_plan(cluster, plan, part, ids)
                estimates[plan] = self.cost(copy), groups
            return estimates[plan][0]

        if len(cluster.candidates) <= MAX_EXHAUSTIVE_PATTERNS:
            for patterns in _combinations(self.graph, cluster.candidates):
                estimate(Plan(patterns, False))
                estimate(Plan(patterns, bool(self.group_rules)))
        else:
            groups = bool(self.group_rules)
            _estimate_greedily(self.graph, cluster.candidates, lambda patterns: estimate(Plan(patterns, groups)))
            estimate(Plan((), False))
        return self._cheapest_decision(cluster, estimates, {node: k for k, node in enumerate(ids.values())})

    def _apply_plan(self, cluster: Cluster, plan: Plan, part: Graph, ids: dict[int, int]) -> tuple[Graph, object]:
        """A copy of the subgraph with the plan applied, and the plan's groups."""
        copy = part.clone()
        matches = [outline_group(cluster.candidates[k], ids) for k in plan.patterns]
        erased = {ids[node] for k in plan.patterns for node in cluster.candidates[k].erased}
        groups: list[tuple[str, tuple[int, ...]]] = []
        for rule in self.group_rules if plan.grouping else ():
            for nodes in groups_of(part, rule, erased.union(*(nodes for _, nodes in groups))):
                groups.append((rule.name, tuple(nodes)))
        outline_groups(copy, [*matches, *(Group(nodes, {"name": name}) for name, nodes in groups)])
        return copy, tuple(groups)

    def _cheapest_decision(
        self, cluster: Cluster, estimates: dict[Plan, tuple[int, Any]], position: dict[int, int]
    ) -> Decision:
        """The cheapest plan; of equal plans the one whose patterns cover most nodes."""
        labels = {plan: _label(cluster, plan, groups) for plan, (_, groups) in estimates.items()}
        covered = {plan: sum(len(cluster.candidates[k].erased) for k in plan.patterns) for plan in estimates}
        best = min(estimates, key=lambda plan: (estimates[plan][0], -covered[plan]))
        others = {labels[plan]: cycles for plan, (cycles, _) in estimates.items() if labels[plan] != labels[best]}
        groups = tuple((name, tuple(position[node] for node in nodes)) for name, nodes in estimates[best][1])
        rejected = tuple(sorted(others.items(), key=lambda item: item[1]))
        return Decision(best, groups, estimates[best][0], rejected, labels[best])


def _label(cluster: Cluster, plan: Plan, groups: Sequence[tuple[str, object]]) -> str:
    names = [cluster.candidates[k].bound.rule.name for k in plan.patterns] + [name for name, _ in groups]
    return " + ".join(names) or NO_FUSION


def _combinations(graph: Graph, candidates: Sequence[Candidate]) -> Iterator[tuple[int, ...]]:
    """Every combination of compatible fusions, by position; the empty one first."""
    for count in range(len(candidates) + 1):
        for selection in combinations(range(len(candidates)), count):
            if _are_compatible(graph, [candidates[k] for k in selection]):
                yield selection


def _estimate_greedily(
    graph: Graph, candidates: Sequence[Candidate], estimate: Callable[[tuple[int, ...]], int]
) -> None:
    """Estimate fusions one after the other, keeping each that lowers the cost."""
    selection: tuple[int, ...] = ()
    cycles = estimate(selection)
    for k in range(len(candidates)):
        extended = (*selection, k)
        if _are_compatible(graph, [candidates[j] for j in extended]) and estimate(extended) < cycles:
            selection, cycles = extended, estimate(extended)


def _are_compatible(graph: Graph, candidates: Sequence[Candidate]) -> bool:
    """Whether fusions are disjoint and create no cycle together."""
    nodes = [node for candidate in candidates for node in candidate.erased]
    if len(nodes) != len(set(nodes)):
        return False
    if sum(candidate.has_several_exits for candidate in candidates) < 2:
        return True
    return not cyclic_sets(graph, [candidate.erased for candidate in candidates])
