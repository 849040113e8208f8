"""Applies a rule once in a test context: gives the graphs before and after, or a difference that static checks find."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from minigraph.core.errors import MinigraphError
from minigraph.core.op_fields import Effect
from minigraph.core.types import float64
from minigraph.ir.graph import Graph
from minigraph.ir.verify import verify
from passes.core.rewrite_limit import RewriteLimit, limit_rewrites
from passes.rewrite.driver import AnyRule
from passes.validate.difference import RUN_ERRORS, Difference, GraphPair, Tolerance
from passes.validate.rule_context import RuleContext

MAX_REWRITES = 48  # a rule that rewrites one small program this often counts as non-terminating


class Trial(NamedTuple):
    """The result of a rule in a test context: two graphs to run and compare, or a difference that static checks find.

    Both are ``None`` if the rule does not apply.
    """

    pair: GraphPair | None = None
    difference: Difference | None = None

    @property
    def applies(self) -> bool:
        """Whether the rule changed the graph, or would have made a wrong change."""
        return self.pair is not None or self.difference is not None


def run_trial(rule: AnyRule, context: RuleContext) -> Trial:
    """Apply a rule once in a test context and check types, effects and the validity of the graph."""
    try:
        before = context.graph()
    except RUN_ERRORS:
        return Trial()
    after = before.clone()
    after.by = "check"
    type_difference = rejected_type(rule, before) if _is_type_checked(before) else None
    try:
        if type_difference is not None or not apply_rule(rule, after, 1):
            return Trial(None, type_difference)
        difference = _effect_difference(before, after) or _missing_fusion(rule, after)
        if difference is None:
            verify(after)
    except RUN_ERRORS as error:
        difference = Difference("driver", _first_line(error))
    return Trial(None, difference) if difference else Trial(GraphPair(before, after, Tolerance(rule.exact, rule.tol)))


def apply_rule(rule: AnyRule, graph: Graph, limit: int) -> int:
    """Apply a rule to a graph at most ``limit`` times; returns the number of rewrites."""
    limit_rewrites(rewrite_limit := RewriteLimit(limit)).call(rule, graph)
    return rewrite_limit.count


def nontermination(rule: AnyRule, pair: GraphPair) -> Difference | None:
    """The difference "loop" if a rule keeps rewriting its own replacement; ``None`` if it terminates."""
    graph = pair.after.graph.clone()
    if apply_rule(rule, graph, MAX_REWRITES) < MAX_REWRITES:
        return None
    return Difference("loop", "the rule does not terminate: it matches its own replacement")


def _is_type_checked(graph: Graph) -> bool:
    """Whether a replacement of another type is an error here, not only a match that the driver rejects.

    It is for float64 and ranks up to 2: a rule on matrices need not exclude batches of matrices, or complex numbers.
    """
    types = [graph.type(node) for node in graph if graph.op(node).is_leaf and graph.type(node).shape]
    types += [graph.type(node) for node in graph.inputs]
    floats = {type.dtype for type in types if type.dtype.is_float}
    return floats == {float64} and all(type.ndim <= 2 for type in types)


def _first_line(error: Exception) -> str:
    """The first line of an error, without the source line that operators add: here it is a line of the checker."""
    text = str(error) if isinstance(error, MinigraphError) else f"{type(error).__name__}: {error}"
    return text.partition("\n")[0].partition(" in `")[0]


# ---- static checks ---------------------------------------------------------------------------------


def rejected_type(rule: AnyRule, graph: Graph) -> Difference | None:
    """The first match whose replacement has another type, as a difference; ``None`` if there is none.

    The driver rejects such a match, but a correct rule excludes it with ``where=``.
    """
    for node in graph:
        try:
            types = rule.types_at(graph, node)
        except RUN_ERRORS as error:
            return Difference("type", f"the replacement fails: {_first_line(error)}")
        for expected, actual in zip(*types, strict=True) if types else ():
            if expected != actual:
                return Difference("type", f"the pattern gives {expected}, the replacement {actual}")
    return None


def _effect_difference(before: Graph, after: Graph) -> Difference | None:
    graphs = before, after
    expected, actual = (Counter(effect for node in graph for effect in graph.effects(node)) for graph in graphs)
    for effect in expected - actual:
        text = f"the pattern {_effect_text(effect)} {expected[effect]} times, the replacement {actual[effect]}"
        return Difference("effect", text)
    for effect in actual - expected:
        return Difference("effect", f"the replacement {_effect_text(effect)}, the pattern does not")
    return None


def _effect_text(effect: Effect) -> str:
    return f"{'writes' if effect.writes else 'reads'} '{effect.resource}'"


def _missing_fusion(rule: AnyRule, after: Graph) -> Difference | None:
    if rule.is_fusion and not any(after.op(node).role == "fused" for node in after):
        return Difference("graph", "nothing was fused")
    return None
