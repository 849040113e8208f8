"""Fusion by predicate instead of by pattern: connected nodes that satisfy a predicate become one fused node.

Problem: partition the nodes that satisfy the predicate into few connected, convex groups. Convex means that no path
leaves a group and comes back, so fusing the group creates no cycle.

Method: greedy region growing in one reverse topological sweep, the single-exit case of the operator fusion of
Chen et al., "TVM" (OSDI 2018), which uses post-dominators. A node joins a group only if *all* its users, by data and
by order edges, are in that group.

Invariants: only the last node of a group has users outside, so every group is convex by construction; the groups are
disjoint; the sweep takes O(nodes + edges).

Not handled: groups with several exits, merging of two groups, and a cost model (``cost_based_fusion`` has one).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

from minigraph.core.deprecated_names import DeprecatedAttribute, renamed_arguments
from minigraph.core.errors import UsageError
from minigraph.core.html_tables import properties_html
from minigraph.core.lazy import cached_property
from minigraph.core.location import source_name
from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from minigraph.ir.outline import Group, outline_groups
from passes.core.registry import Options
from passes.core.rewrite_limit import should_rewrite
from passes.core.statistics import Statistics
from passes.rewrite.pattern import Chain, Predicate, Var
from passes.rewrite.pattern_expansion import Sides, expand_sides, operators_satisfying
from passes.rewrite.rule_base import RuleBase
from passes.rewrite.rule_index import provenance_label


@dataclass(frozen=True)
class GroupRule(RuleBase):
    """A rule that outlines groups of two to ``max_nodes`` nodes that satisfy ``predicate(graph, node)``.

    With ``last``, each group ends in one node that satisfies ``last(graph, node)`` instead. The rule is callable, as a
    step of a pipeline. ``text`` is the rule in one line, ``loc`` its file:line, ``examples`` graphs for the checker,
    as in ``RuleSpec``. Like any other fusion it outlines nodes, is exact, and replaces nothing.
    """

    name: str
    predicate: Predicate
    max_nodes: int
    loc: str
    last: Predicate | None = None
    examples: Callable[[], Sequence[Graph]] | None = None
    file: str = ""
    root: ClassVar[Op | None] = None
    doc: ClassVar[str] = ""
    target: ClassVar[str] = ""
    is_fusion: ClassVar[bool] = True
    exact: ClassVar[bool] = True
    tol: ClassVar[float] = 0.0
    fits, on = DeprecatedAttribute("predicate"), DeprecatedAttribute("examples")

    @cached_property
    def sides(self) -> tuple[Sides, ...]:
        """(Pattern, replacement) pairs that the rule checker tests: two and three matching operators in sequence."""
        if self.last is not None or not operators_satisfying(self.predicate):
            return ()
        return tuple(expand_sides((Chain(self.predicate, Var("x"), self.max_nodes),), None)[1:])

    def types_at(self, graph: Graph, node: int) -> None:
        """``None``: nothing is replaced, so there are no types to compare."""

    @cached_property
    def text(self) -> str:
        """The rule in one line."""
        last = "" if self.last is None else f"last={self.last.__name__}, "
        return f"{self.name}: group({self.predicate.__name__}, {last}max_nodes={self.max_nodes}) -> fused"

    def _repr_html_(self) -> str:
        return properties_html(f"rule {self.name}", [("rule", self.text), ("defined at", self.loc)])

    def __call__(self, graph: Graph, *, options: Options | None = None) -> None:
        """Apply the rule everywhere."""
        fuse_all_groups(graph, self, Statistics() if options is None else options.statistics)


@renamed_arguments(fits="predicate")
def fuse_groups(
    predicate: Predicate, *, max_nodes: int = 64, name: str = "group", last: Predicate | None = None
) -> GroupRule:
    """A rule that fuses connected nodes which satisfy a predicate: ``fuse_groups(is_cheap)``.

    ``predicate(graph, node)`` tells which nodes may be in a group. Only the last node of a group has users outside, so
    every group is convex. With ``last``, the last node satisfies that predicate instead, such as a reduction of the
    group's result. Raises ``UsageError`` for a value that is not a function, and for ``max_nodes`` below two.
    """
    for function in (predicate, last or predicate):
        if not callable(function):
            raise UsageError(f"fuse_groups: {function!r:.60} is not a predicate; give a function of graph and node")
    if not isinstance(max_nodes, int) or max_nodes < 2:
        raise UsageError(f"fuse_groups: max_nodes={max_nodes!r} must be an integer of at least 2")
    code = predicate.__code__ if hasattr(predicate, "__code__") else None
    loc = f"{source_name(code.co_filename)}:{code.co_firstlineno}" if code else ""
    return GroupRule(name, predicate, max_nodes, loc, last, file=code.co_filename if code else "")


def fuse_all_groups(graph: Graph, rule: GroupRule, statistics: Statistics) -> list[int]:
    """Outline the groups of one rule; returns the fused nodes, in the order of the graph."""
    stats, start = statistics[rule.name], perf_counter()
    groups = [nodes for nodes in groups_of(graph, rule) if should_rewrite(graph, rule.name, nodes[-1], rule.loc)]
    stats.text, stats.loc, stats.file = rule.text, rule.loc, rule.file
    stats.tries += len(graph)
    stats.rewrites += len(groups)
    attrs, provenance = {"name": rule.name}, provenance_label(graph.by, rule.name)
    fused = outline_groups(graph, [Group(nodes, attrs, _results(graph, nodes), by=provenance) for nodes in groups])
    stats.seconds += perf_counter() - start
    return fused


def groups_of(graph: Graph, rule: GroupRule, excluded: Collection[int] = ()) -> list[list[int]]:
    """The groups that a rule forms of the nodes that are not ``excluded``."""
    if not excluded:
        return grow_groups(graph, rule.predicate, rule.max_nodes, rule.last)
    last = rule.last

    def is_member(graph: Graph, node: int) -> bool:
        return node not in excluded and rule.predicate(graph, node)

    def is_last(graph: Graph, node: int) -> bool:
        return node not in excluded and last is not None and last(graph, node)

    return grow_groups(graph, is_member, rule.max_nodes, is_last if last else None)


def _results(graph: Graph, nodes: list[int]) -> tuple[int, ...]:
    """The results of the fused node: the last node of the group, the only one with users outside.

    () lets ``outline_groups`` find them where that node has several results, of which some may be unused.
    """
    return (nodes[-1],) if len(graph.types(nodes[-1])) == 1 else ()


def grow_groups(graph: Graph, predicate: Predicate, max_nodes: int, last: Predicate | None = None) -> list[list[int]]:
    """The groups of a graph, in one reverse topological sweep: a node joins the group that has *all* its users.

    With ``last``, only a node that satisfies it starts a group.
    """
    group_of: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    succ = graph.succ_map()
    for node in reversed(graph.topological()):
        is_last = last is not None and last(graph, node)
        if is_last or predicate(graph, node):
            group = None if is_last or graph.is_out(node) else _common_group(group_of, succ[node])
            if group is None or len(members[group]) >= max_nodes:
                if last is not None and not is_last:
                    continue
                group = node
                members[node] = []
            group_of[node] = group
            members[group].append(node)
    return [nodes[::-1] for nodes in reversed(members.values()) if len(nodes) > 1]


def _common_group(group_of: dict[int, int], users: Collection[int]) -> int | None:
    """The group that contains all users; ``None`` if there is none, or if there are no users."""
    groups = {group_of.get(user) for user in users}
    return groups.pop() if len(groups) == 1 else None
