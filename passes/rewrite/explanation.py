"""Explains why a rule applies at a node or not: the longest partial match, and the test that failed.

>>> from minigraph.ir.text import parse
>>> from passes.optimize.fuse_matmul_bias import RULES
>>> graph = parse('''graph f(%0, %1)
...   %0 = input() {name="x"} : f32[2,2]
...   %1 = input() {name="b"} : f32[2]
...   %2 = mul(%0, %0) : f32[2,2]
...   %3 = add(%2, %1) : f32[2,2]
...   return %3''')
>>> print(explain_match(RULES[-1], graph, 3))  # doctest: +ELLIPSIS
rule 'MatMulBias' (...) does not apply at %3 = add(%2, %1): %2 = mul(%0, %0) does not match matmul(x, w)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from minigraph.core.context import svg_of
from minigraph.core.errors import GraphError, UsageError
from minigraph.ir.convexity import TopologicalPositions
from minigraph.ir.exact_keys import exact_key
from minigraph.ir.graph import Graph, Ref, producer, result_index
from minigraph.ir.graph_reader import ref_text
from passes.core.statistics import Statistics
from passes.rewrite.driver import AnyRule, Rule
from passes.rewrite.group_fusion import GroupRule, grow_groups
from passes.rewrite.match import Match
from passes.rewrite.matcher import ATTRIBUTES, OTHER_USES, Search, compile_pattern
from passes.rewrite.matcher_runtime import is_used_outside
from passes.rewrite.outlining import Outliner
from passes.rewrite.pattern import AttrVar, Call, Chain, Term, kept_terms, variables
from passes.rewrite.rewrite_application import CYCLE, ORDER, OTHER_MEMORY_ORDER, Rewrite, apply_rewrite
from passes.rewrite.rule_spec import RuleSpec, Variant

MAX_CANDIDATES = 8  # nodes at which the rule is tried when no node is named
MATCH_DEPTH = 1e9  # depth of a complete match: larger than the number of tests of any pattern
ROOT = "root"  # the first test of a match: whether the node has the operator at the root of the pattern
REASON_TEXTS = {
    "where": "the pattern matches, and the where= predicate rejects it",
    "type": "the replacement would have another shape or dtype",
    "operands": "the replacement's operators do not accept these operands",
    "once": "this rule created this node, and once=True applies it once",
    ORDER: "an order edge into the match would have no target",
    CYCLE: "a path leaves the match and comes back, so the result would be a cycle",
    OTHER_MEMORY_ORDER: "the replacement exists already in another memory order, which its users could observe",
    OTHER_USES: "a node to be removed is a variable of the pattern too, so it is needed",
}


@dataclass(frozen=True)
class Explanation:
    """The result of one rule at one node; true when the rule applies there.

    ``test`` is the test that failed ("" when the rule applies): "op", "same", "number", "attributes", "other uses",
    "where", "cycle" and so on; ``reason`` is the sentence for it. ``at`` is the value that failed, ``matched`` are the
    nodes matched before, the root first, ``depth`` is the number of tests passed. In a notebook it is a drawing of
    ``graph``, a copy, with the failed value in red; ``viz.save`` writes the drawing to a file.
    """

    rule: str
    node: int
    test: str
    verdict: str
    reason: str = ""
    matched: tuple[int, ...] = ()
    at: Ref | None = None
    depth: int = 0
    graph: Graph | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return not self.test

    def _repr_svg_(self) -> str | None:
        """The drawing of the partial match, for notebooks."""
        return svg_of(self) if self.graph is not None else None

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}" if self.reason else self.verdict


def explain_match(rule: AnyRule, graph: Graph, node: int | None = None) -> Explanation:
    """Explain why a rule applies at a node or not; without a node, at the node where most of its tests pass.

    The graph does not change: the rule is applied to a copy. Raises ``GraphError`` for a node that is not in the
    graph, ``UsageError`` for a value that is not a rule or a graph without operators.
    """
    if not isinstance(rule, AnyRule):
        raise UsageError(f"explain_match: {rule!r:.60} is not a rule; make one with @rule, fuse or fuse_groups")
    if node is not None:
        if node not in graph:
            raise GraphError(f"explain_match: {graph.invalid_reference([node])}")
        return replace(_explain(rule, graph, node), graph=graph.clone())
    nodes = [node for node in graph if not graph.op(node).is_leaf]
    if not nodes:
        raise UsageError(f"explain_match: '{graph.title}' has no operators; give a graph that has some")
    candidates = sorted(nodes, key=lambda candidate: -_depth(rule, graph, candidate))[:MAX_CANDIDATES]
    explanations = [_explain(rule, graph, candidate) for candidate in candidates]
    best = next(filter(None, explanations), max(explanations, key=lambda explanation: explanation.depth))
    return replace(best, graph=graph.clone())


def _explain(rule: AnyRule, graph: Graph, node: int) -> Explanation:
    return _explain_group(rule, graph, node) if isinstance(rule, GroupRule) else _explain_rule(rule, graph, node)


def _depth(rule: AnyRule, graph: Graph, node: int) -> float:
    """The largest number of tests that any variant passes at a node; the rule is not applied, so nothing is copied."""
    if isinstance(rule, GroupRule):
        return float(_can_join_group(rule, graph, node))
    depths: list[float] = [0]
    for variant in rule.variants_at(graph.op(node)):
        if not variant.roots:
            return 1  # a function of the node, which has one test
        accept = rule.make_acceptor(graph, variant, lambda match: match)
        match = _explaining_search(rule, variant)(graph, node, accept, lambda *m: depths.append(m[0]))
        depths.append(MATCH_DEPTH if match is not None else 0)
    return max(depths)


@lru_cache(maxsize=256)
def _explaining_search(rule: Rule, variant: Variant) -> Search:
    """The matcher of a variant that also reports every test that fails."""
    kept = {f"_{k}": term for k, term in enumerate(kept_terms(variant.roots, variant.results or ()))}
    names = variables(*variant.roots)
    return compile_pattern(variant.roots, not rule.is_fusion, rule.recompute, names, kept, explain=True)


# ---- patterns --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _FailedTest:
    """A test that failed: its number, the test and the value, and the nodes matched before it."""

    depth: int
    test: str
    at: Ref
    text: str
    matched: tuple[int, ...] = ()


def _explain_rule(rule: Rule, graph: Graph, node: int) -> Explanation:
    deepest = _FailedTest(0, ROOT, node, f"the rule starts at {_root_names(rule)}")
    for variant in rule.variants_at(graph.op(node)):
        for failed in _failed_tests(rule, variant, graph, node):
            if failed is None:
                match = rule.find(graph, node)
                matched = match.nodes if isinstance(match, Match) else (node,)
                return Explanation(
                    rule.name, node, "", f"{rule.label} applies at {_node_text(graph, node)}", "", matched
                )
            if failed.depth > deepest.depth:
                deepest = failed
    verdict = f"{rule.label} does not apply at {_node_text(graph, node)}"
    return Explanation(rule.name, node, deepest.test, verdict, deepest.text, deepest.matched, deepest.at, deepest.depth)


def _root_names(rule: Rule) -> str:
    return " or ".join(sorted(map(str, rule.roots))) if rule.roots else str(rule.variants[0].roots[0])


def _failed_tests(rule: Rule, variant: Variant, graph: Graph, node: int) -> Iterator[_FailedTest | None]:
    """Every test that fails, and ``None`` when the driver would apply the rule."""
    failures: list[_FailedTest] = []

    def report(depth: int, term: Term, ref: Ref, test: str, matched: list[int]) -> None:
        text = _failure_text(graph, term, ref, test, matched, rule)
        failures.append(_FailedTest(depth, test, ref, text, tuple(matched)))

    if rule.once and graph.prov(node).by.endswith(rule.name):
        yield _FailedTest(1, "once", node, REASON_TEXTS["once"])
        return
    copy = graph.clone()
    accept = rule.make_acceptor(copy, variant, lambda match: _try_application(rule, variant, match))
    if variant.roots:
        result = _explaining_search(rule, variant)(copy, node, accept, report)
    else:
        result = variant.search(copy, node, accept)
    if result is not None and not isinstance(result, str):
        yield None
    yield from failures
    deepest = max((failed.depth for failed in failures), default=0)
    if isinstance(result, str) and result not in (failed.test for failed in failures):
        yield _FailedTest(deepest + 1, result, node, REASON_TEXTS.get(result, result))
    elif result is None and not failures:
        yield _FailedTest(1, "rule", node, "the rule's function returns no replacement here")


def _try_application(rule: Rule, variant: Variant, match: Match) -> object:
    """Apply a rule at a match of a copy; returns the reason as text if the driver would reject the match."""
    if variant.build is not None:
        result = apply_rewrite(rule, variant.build, match, TopologicalPositions(match.graph))
        return match if isinstance(result, Rewrite) else result
    outliner = Outliner(match.graph, [rule], Statistics())
    return outliner.admitted_candidate(outliner.index.rules_at(match.root)[0], variant, match)


def _failure_text(graph: Graph, term: Term, ref: Ref, test: str, matched: list[int], rule: RuleSpec) -> str:
    """The sentence for one failed test."""
    here = _node_text(graph, ref)
    match test:
        case "same":
            return f"{here} is not the value that '{term}' is elsewhere in the pattern"
        case "number":
            return f"{here} is not a constant with all elements {term}"
        case "results":
            return f"{here} has {len(graph.types(producer(ref)))} results, and a pattern matches operators with one"
        case "chain":
            predicate = term.predicate.__name__ if isinstance(term, Chain) else term
            return f"{here} does not satisfy {predicate}"
        case "count":
            return f"{here} has {len(graph.ins(producer(ref)))} operands, not those of {term}"
        case "each":
            return f"not every operand of {here} is {term}"
        case "further root":
            return f"{here} is used in no {term}, which the rule needs too"
        case "another root":
            return f"{here} cannot be two results of the pattern, {term} and another"
    if test == ATTRIBUTES and isinstance(term, Call):
        return f"{here} has {_attribute_text(graph, term, producer(ref), not rule.is_fusion)}"
    if test == OTHER_USES:
        return f"{here} is {_use_text(graph, producer(ref), matched)} too; recompute=True would compute it twice"
    return f"{here} does not match {term}"


def _attribute_text(graph: Graph, call: Call, node: int, strict: bool) -> str:
    """The attributes of a node that differ from the attributes of a call in a pattern."""
    attrs, defaults = graph.attrs(node), call.op.defaults if strict else {}
    expected = {**{name: defaults[name] for name in attrs if name in defaults}, **call.attrs}
    literals = {name: value for name, value in expected.items() if not isinstance(value, AttrVar)}
    wrong = [
        name for name, value in literals.items() if name not in attrs or exact_key(attrs[name]) != exact_key(value)
    ]
    differences = [f"{name}={attrs.get(name)!r}, not {literals[name]!r}" for name in wrong]
    return "; ".join(differences) or f"attributes {dict(attrs)!r}, not those of {call}"


def _use_text(graph: Graph, node: int, matched: list[int]) -> str:
    inside = {*matched, node}
    if not is_used_outside(graph, node, inside) or graph.is_out(node):
        return "an output of the graph"
    user = next((user for user in graph.users(node) if user not in inside), node)
    return f"used by {_node_text(graph, user)}"


# ---- groups ----------------------------------------------------------------------------------------


def _explain_group(rule: GroupRule, graph: Graph, node: int) -> Explanation:
    here = _node_text(graph, node)
    condition = rule.predicate.__name__ + (f" or {rule.last.__name__}" if rule.last else "")
    if not _can_join_group(rule, graph, node):
        verdict = f"{rule.label} does not apply at {here}"
        return Explanation(rule.name, node, "predicate", verdict, f"it does not satisfy {condition}", at=node)
    groups = grow_groups(graph, rule.predicate, rule.max_nodes, rule.last)
    group = next((nodes for nodes in groups if node in nodes), None)
    if group is not None:
        others = ", ".join(f"%{other}" for other in group if other != node)
        verdict = f"{rule.label} applies at {here}, together with {others}"
        return Explanation(rule.name, node, "", verdict, "", tuple(group))
    reason = (
        f"it forms no group: no operand that satisfies {condition} is used by it only, "
        f"and not all of its users are in one group of at most {rule.max_nodes} nodes"
    )
    return Explanation(rule.name, node, "alone", f"{rule.label} does not apply at {here}", reason, (node,), node, 1)


def _can_join_group(rule: GroupRule, graph: Graph, node: int) -> bool:
    return rule.predicate(graph, node) or (rule.last is not None and rule.last(graph, node))


# ---- texts -----------------------------------------------------------------------------------------


def _node_text(graph: Graph, ref: Ref) -> str:
    node = producer(ref)
    operands = ", ".join(map(ref_text, graph.ins(node)))
    loc = f" ({graph.loc(node)[0]})" if graph.loc(node) else ""
    prefix = f"result {result_index(ref)} of " if result_index(ref) else ""
    return f"{prefix}%{node} = {graph.op(node)}({operands}){loc}"
