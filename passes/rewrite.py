"""What a rule is, and the driver under every rule: each node is looked at once, by its operator's rules only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minigraph.context import resolve
from minigraph.errors import GraphError, RuleError
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.outline import outline, outline_groups
from minigraph.op import Op
from passes.gate import permitted, retracted
from passes.match import Match
from passes.pattern import Call, Term
from passes.registry import Options

Tally = Counter[tuple[str, str]]


@dataclass(frozen=True)
class Rule:
    """One rule: where it applies (``find``) and what comes instead (``build``; ``None`` = outline the match).

    ``find`` and ``build`` may say in a word why they refuse. ``root`` is the operator it starts at, ``size`` the
    number of operators in its pattern. ``recompute`` lets inner nodes have uses outside of the pattern (they
    stay then); an outlined match never may. ``same_memory`` says that a value given back shows the very memory
    the root would, so that nothing that depends on memory order can change. ``text`` is the rule in one line,
    ``loc`` its file:line. ``pattern`` and ``replacement`` are its two sides as terms (``None``: computed by
    ``find`` and ``build``), ``exact`` says that both give the same bits, else they are ``tol`` apart at most,
    relatively. A rule is callable, as a step of a pipeline.
    """

    name: str
    root: Op
    size: int
    find: Callable[[Graph, int], Match | str | None]
    build: Callable[[Match], Ref | str | None] | None
    text: str
    loc: str
    recompute: bool = False
    same_memory: bool = False
    doc: str = ""
    pattern: Call | None = None
    replacement: Term | None = None
    exact: bool = True
    tol: float = 0.0

    def __str__(self) -> str:
        return self.text

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, graph: Graph, *, options: Options | None = None) -> None:
        """Apply the rule everywhere."""
        apply_rules(graph, [self], None if options is None else options.tally)

    def check(self, **options: Any) -> Any:
        """Try the rule at many small places; raises ``RuleError`` with a counterexample when it is wrong.

        The same as ``passes.check(rule, on=..., seed=...)``, which see.
        """
        return resolve("passes.lab.check:check")(self, **options)


def apply_rules(graph: Graph, rules: Sequence[Rule], tally: Tally | None = None) -> None:
    """Apply rules everywhere: rewriting ones first, then outlining ones; larger patterns before smaller.

    ``tally`` counts rewrites and, by reason, refusals. Raises ``RuleError`` naming the rules when they keep
    rewriting each other's results.
    """
    tally = Counter() if tally is None else tally
    rewriting = _by_root([rule for rule in rules if rule.build is not None])
    outlining = _by_root([rule for rule in rules if rule.build is None])
    if rewriting:
        _rewrite_all(graph, rewriting, tally)
    if outlining:
        _outline_all(graph, outlining, tally)


def _by_root(rules: Sequence[Rule]) -> dict[Op, list[Rule]]:
    index: dict[Op, list[Rule]] = {}
    for rule in sorted(rules, key=lambda rule: -rule.size):
        index.setdefault(rule.root, []).append(rule)
    return index


def _candidates(graph: Graph, index: Mapping[Op, object]) -> list[int]:
    """The nodes some rule starts at, in order; costs one look per node when there are none."""
    found = {node for node, data in graph._node.items() if data["op"] in index}
    return [node for node in graph.topological() if node in found] if found else []


# ---- rewriting -------------------------------------------------------------------------------------


def _rewrite_all(graph: Graph, index: Mapping[Op, Sequence[Rule]], tally: Tally) -> None:
    """One sweep from operands to users; nodes that a rule makes are looked at before going on."""
    budget = 16 * len(graph) + 1024
    for start in _candidates(graph, index):
        stack = [start]
        while stack:
            node = stack.pop()
            first_new = graph.next_id
            if node in graph._node and _rewritten(graph, node, index.get(graph.op(node), ()), tally):
                stack += range(first_new, graph.next_id)
                budget -= 1
                if budget < 0:
                    raise RuleError(_endless(index, tally))


def _endless(index: Mapping[Op, Sequence[Rule]], tally: Tally) -> str:
    rules = {rule.name: rule for among in index.values() for rule in among}
    busiest = sorted(rules, key=lambda name: -tally[name, "rewrites"])[:2]
    shown = ", ".join(f"'{name}' ({rules[name].loc}) {tally[name, 'rewrites']} times" for name in busiest)
    return f"rules keep rewriting each other's results: {shown}; make one side of each pair the final form"


def _rewritten(graph: Graph, node: int, rules: Sequence[Rule], tally: Tally) -> bool:
    """Whether one of the rules replaced the node."""
    for rule in rules:
        match = rule.find(graph, node)
        if isinstance(match, Match) and not permitted(graph, rule.name, node, rule.loc):
            return False
        outcome = _replaced(graph, rule, match) if isinstance(match, Match) else match
        if isinstance(match, Match) and outcome != "rewrites":
            retracted()
        if outcome is not None:
            tally[rule.name, outcome] += 1
        if outcome == "rewrites":
            return True
    return False


def _replaced(graph: Graph, rule: Rule, match: Match) -> str | None:
    """``"rewrites"``, or the reason why not (``None``: the rule itself has nothing to say here)."""
    dying = match.dying
    if len(dying) < len(match.nodes) and not rule.recompute:
        return "other uses"
    if any(graph.before(node) or graph.after(node) for node in dying[1:]):
        return "order"
    first_new, by = graph.next_id, graph.by
    assert rule.build is not None
    graph.by = f"{by}/{rule.name}"  # what nodes made now are known to come from
    try:
        return _exchanged(graph, rule, match, rule.build(match), first_new, dying)
    finally:
        graph.by = by


def _exchanged(
    graph: Graph, rule: Rule, match: Match, new: Ref | str | None, first_new: int, dying: tuple[int, ...]
) -> str | None:
    """Let the match's users take the new value, unless it was refused (then nothing has been made)."""
    root = match.root
    if new is None or isinstance(new, str):
        return new
    if graph.type(new) != match.out.type:
        raise RuleError(f"rule '{rule.name}' ({rule.loc}): {match.out.type} %{root} would become {graph.type(new)}")
    made = range(first_new, graph.next_id)
    if not made and not (rule.same_memory or _same_for_all(graph, root, producer(new))):
        return "memory order"
    if not made and graph.is_out(root) and graph.before(root):
        return "order"
    _move_order(graph, root, producer(new), made)
    graph.replace_uses({root: new}, keep=dying)
    for node in dying:
        graph.discard(node)
    return "rewrites"


def makes_c_order(op: Op) -> bool:
    """Whether an operator's result is a fresh array in C order: what takes ``out=`` does so, and reductions do."""
    return op.into or op.family == "reduction"


def _same_for_all(graph: Graph, old: int, new: int) -> bool:
    """Whether nobody can tell two equal arrays apart by their memory.

    Elementwise operators and reductions do not care for their operands' order; a matrix product may round
    differently on a transposed view, and a caller may write into an output.
    """
    if makes_c_order(graph.op(new)):
        return True
    users = (graph.op(user).family for user in graph.users(old))
    return not graph.is_out(old) and all(family in ("elementwise", "reduction") for family in users)


def _move_order(graph: Graph, old: int, new: int, made: range) -> None:
    """What ran before the old node runs before the new ones, or before its users when there are none."""
    for first in graph.before(old):
        for target in made or graph.users(old):
            graph.order(first, target, graph.order_kind(first, old))
    if not graph.op(new).is_leaf:
        for last in graph.after(old):
            graph.order(new, last, graph.order_kind(old, last))


# ---- outlining -------------------------------------------------------------------------------------


def _outline_all(graph: Graph, index: Mapping[Op, Sequence[Rule]], tally: Tally) -> None:
    """Matches from users to operands, so that the longest chain wins; no node is in two of them."""
    taken: set[int] = set()
    simple: list[tuple[Match, Rule]] = []
    tangled: list[tuple[Match, Rule]] = []
    for node in reversed(_candidates(graph, index)):
        if node not in taken:
            found = _first_fit(graph, node, index[graph.op(node)], taken, tally)
            if found is not None:
                taken.update(found[0].nodes)
                (simple if _one_exit(graph, found[0]) else tangled).append(found)
    fused = outline_groups(graph, [(match.nodes, {"name": rule.name}) for match, rule in reversed(simple)])
    for node, (_, rule) in zip(fused, reversed(simple), strict=True):
        _credit(graph, node, rule)
    for match, rule in tangled:
        try:
            _credit(graph, outline(graph, match.nodes, {"name": rule.name}), rule)
        except GraphError:
            tally[rule.name, "cycle"] += 1
            tally[rule.name, "rewrites"] -= 1


def _credit(graph: Graph, fused: int, rule: Rule) -> None:
    """Name the rule beside the pass in a fused node's provenance."""
    data = graph._node[fused]
    data["prov"] = data["prov"]._replace(by=f"{graph.by}/{rule.name}")


def _first_fit(
    graph: Graph, node: int, rules: Sequence[Rule], taken: set[int], tally: Tally
) -> tuple[Match, Rule] | None:
    for rule in rules:
        match = rule.find(graph, node)
        if isinstance(match, Match):
            if taken.isdisjoint(match.nodes) and len(match.dying) == len(match.nodes):
                if not permitted(graph, rule.name, node, rule.loc):
                    return None
                tally[rule.name, "rewrites"] += 1
                return match, rule
            tally[rule.name, "other uses"] += 1
        elif match is not None:
            tally[rule.name, match] += 1
    return None


def _one_exit(graph: Graph, match: Match) -> bool:
    """Whether only the root has edges that leave the match: then it is convex, also together with others."""
    inside = set(match.nodes)
    return all(inside.issuperset(graph._succ[node]) for node in match.nodes[1:])
