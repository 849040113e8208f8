"""One rule applied at one place: the graphs before and after, or what is wrong before anything is run."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from minigraph.core.errors import MinigraphError
from minigraph.core.fields import Effect
from minigraph.core.types import float64
from minigraph.ir.graph import Graph
from minigraph.ir.verify import verify
from passes.core.rewrite_limit import RewriteLimit, limit_rewrites
from passes.rewrite.driver import AnyRule
from passes.validate.difference import FAULTS, Difference, GraphPair, Tolerance
from passes.validate.rule_context import RuleContext

MAX_REWRITES = 48  # rewrites in one small program, after which a rule is taken to go on for ever


class Trial(NamedTuple):
    """What came of a rule at a place: two graphs to compare, or a difference that needs no run.

    Both are ``None`` where the rule does not apply.
    """

    pair: GraphPair | None = None
    difference: Difference | None = None

    @property
    def applies(self) -> bool:
        """Whether the rule did something, or should not have been let."""
        return self.pair is not None or self.difference is not None


def run_trial(rule: AnyRule, place: RuleContext) -> Trial:
    """Apply a rule once at a place and look at the graph: types, effects, well-formedness, rest."""
    try:
        before = place.graph()
    except FAULTS:
        return Trial()
    after = before.clone()
    after.by = "check"
    refused = refused_type(rule, before) if _is_type_checked(before) else None
    try:
        if refused is not None or not apply_rule(rule, after, 1):
            return Trial(None, refused)
        difference = _effect_difference(before, after) or _missing_fusion(rule, after)
        if difference is None:
            verify(after)
    except FAULTS as error:
        difference = Difference("driver", _first_line(error))
    return Trial(None, difference) if difference else Trial(GraphPair(before, after, Tolerance(rule.exact, rule.tol)))


def apply_rule(rule: AnyRule, graph: Graph, limit: int) -> int:
    """Apply a rule so many times in a graph at most; returns how many times it was."""
    with limit_rewrites(RewriteLimit(limit)) as gate:
        rule(graph)
    return gate.count


def nontermination(rule: AnyRule, pair: GraphPair) -> Difference | None:
    """Whether a rule goes on and on changing what it made."""
    settled = pair.after.graph.clone()
    if apply_rule(rule, settled, MAX_REWRITES) < MAX_REWRITES:
        return None
    return Difference("loop", "the rule matches its own replacement again and again")


def _is_type_checked(graph: Graph) -> bool:
    """Whether a right rule should keep the type here; elsewhere it is enough that the driver refuses a change.

    That is at ranks up to 2 and, for floats, float64: a rule on matrices need not say what it is for stacks of
    them, or for complex numbers.
    """
    types = [graph.type(node) for node in graph if graph.op(node).is_leaf and graph.type(node).shape]
    types += [graph.type(node) for node in graph.inputs]
    floats = {type.dtype for type in types if type.dtype.is_float}
    return floats == {float64} and all(type.ndim <= 2 for type in types)


def _first_line(error: Exception) -> str:
    """What an error says, without the lines of the check itself that operators take for the user's."""
    text = str(error) if isinstance(error, MinigraphError) else f"{type(error).__name__}: {error}"
    return text.partition("\n")[0].partition(" in `")[0]


# ---- what needs no run -----------------------------------------------------------------------------


def refused_type(rule: AnyRule, graph: Graph) -> Difference | None:
    """The difference in type because of which a matching rule was not applied; ``None`` when that was not the reason.

    The driver leaves such a place alone, but a rule that is right says by ``where=`` that it does not mean it.
    """
    for node in graph:
        try:
            types = rule.types_at(graph, node)
        except FAULTS as error:
            return Difference("type", f"the replacement fails: {_first_line(error)}")
        for wanted, given in zip(*types, strict=True) if types else ():
            if wanted != given:
                return Difference("type", f"the pattern gives {wanted}, the replacement {given}")
    return None


def _effect_difference(before: Graph, after: Graph) -> Difference | None:
    old, new = (Counter(effect for node in graph for effect in graph.effects(node)) for graph in (before, after))
    for effect in old - new:
        return Difference("effect", f"the pattern {_effect_text(effect)} {old[effect]} times, the replacement {new[effect]}")
    for effect in new - old:
        return Difference("effect", f"the replacement {_effect_text(effect)}, the pattern does not")
    return None


def _effect_text(effect: Effect) -> str:
    return f"{'writes' if effect.writes else 'reads'} '{effect.resource}'"


def _missing_fusion(rule: AnyRule, after: Graph) -> Difference | None:
    if rule.outlines and not any(after.op(node).role == "fused" for node in after):
        return Difference("graph", "nothing was fused")
    return None
