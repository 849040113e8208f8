"""The table of rules: sets of them by name, and the passes that apply whatever a pipeline names.

::

    %3 = matmul(%0, %1)
    %4 = add(%3, %2)        -> fuse{rules=matmul} ->        %6 = fused(%0, %1, %2) {name="MatMulBiasRelu"}
    %5 = relu(%4)

Every rule here is checked by the tests; installed packages add sets under the entry points ``minigraph.rules``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from minigraph.core.definitions import RULES as GROUP
from minigraph.core.definitions import offered, offered_names
from minigraph.core.errors import DuplicateName, UnknownName, UsageError, did_you_mean
from minigraph.core.lazy import LateTable
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.rewrite.cost_based_fusion import fuse_by_cost
from passes.rewrite.costs import cost_named
from passes.rewrite.driver import AnyRule, apply_rules

RULES: LateTable[tuple[AnyRule, ...]] = LateTable({
    "passes.optimize.canonicalize:RULES": "canonical",  # rewriting: one spelling for equal computations
    "passes.optimize.fuse_conv_bn_relu:RULES": "conv",  # fusing: what follows a convolution
    "passes.optimize.fuse_matmul_bias:RULES": "matmul",  # fusing: what follows a matrix product
    "passes.optimize.fuse_elementwise:RULES": "vector",  # fusing: what the vector unit does element by element
    "passes.optimize.recognize:RULES": "spelled",  # rewriting: operators spelled with primitives
    "passes.optimize.recognize_inexact:RULES": "spelled_near",  # rewriting: the same, rounding otherwise
    "passes.optimize.algebra:RULES": "algebra",  # rewriting: what is equal to the bit
    "passes.optimize.algebra_inexact:RULES": "algebra_near",  # rewriting: what is equal on paper
    "passes.optimize.turn_products:RULES": "products",  # rewriting: transposes around products of transposed operands
    "passes.optimize.fuse_attention:RULES": "attention",  # fusing: both products and what is between
    "passes.optimize.fuse_rms_norm:RULES": "norm",  # fusing: rows divided by the root of their mean square
    "passes.optimize.fuse_reduction:RULES": "reductions",  # fusing: what is computed only to be reduced
    "passes.optimize.fuse_epilogue:RULES": "epilogue",  # fusing: anything element by element after a product
})  # fmt: skip
SHIPPED = frozenset(RULES)  # the sets that come with minigraph
SETS_OF_SETS: dict[str, tuple[str, ...]] = {"cube": ("conv", "matmul")}  # what runs on the matrix unit


def add_rules(name: str, rules: AnyRule | Sequence[AnyRule]) -> tuple[AnyRule, ...]:
    """Enter rules under a name, for ``fuse{rules=name}``; returns them.

    Raises ``DuplicateName`` when the name is taken, ``UsageError`` for what are no rules.
    """
    given = (rules,) if isinstance(rules, AnyRule) else tuple(rules)
    for rule in given:
        if not isinstance(rule, AnyRule):
            makers = "@rule, fuse(...) or fuse_groups(...)"
            raise UsageError(f"add_rules '{name}': {rule!r:.60} is no rule; make one with {makers}")
    if name in RULES or name in SETS_OF_SETS:
        raise DuplicateName(f"rules '{name}' are already in the table; choose another name")
    RULES[name] = given
    return given


def every_rule() -> Iterator[tuple[str, AnyRule]]:
    """Every rule in the table, with the name of its set."""
    yield from ((name, rule) for name, rules in RULES.items() for rule in rules)


def rules_named(names: str | Iterable[str]) -> list[AnyRule]:
    """The rules of sets and those with that ``target``, or single rules by their own names; each once.

    Raises ``UnknownName`` with the nearest name.

    >>> [rule.name for rule in rules_named(("canonical", "ConvBias"))][-2:]
    ['mask_before_pool', 'ConvBias']
    """
    found: dict[int, AnyRule] = {}
    for name in (names,) if isinstance(names, str) else names:
        found.update((id(rule), rule) for rule in _rules_of_name(name))
    return list(found.values())


def _rules_of_name(name: str) -> list[AnyRule]:
    if name not in RULES and name not in SETS_OF_SETS:
        for given in offered(GROUP, name):
            add_rules(name, given)
    sets = SETS_OF_SETS.get(name, (name,) if name in RULES else ())
    rules = [rule for one in sets for rule in RULES[one]]
    rules += [rule for _, rule in every_rule() if rule.target == name or (not sets and rule.name == name)]
    if not rules:
        known = [*RULES, *SETS_OF_SETS, *offered_names(GROUP), *(rule.name for _, rule in every_rule())]
        raise UnknownName(f"no rules '{name}'{did_you_mean(name, known)}")
    return rules


@graph_pass("fuse", rules="cube", cost="", checks={"rules": rules_named, "cost": cost_named})
def fuse_named(graph: Graph, *, options: Options) -> None:
    """any pattern -> fused: every match of the fusion rules named by ``rules``, sets or single ones.

    With ``cost``, the name of a chip or of a cost function, only those that are cheaper by it.
    """
    rules = [rule for rule in rules_named(options["rules"]) if rule.outlines]
    cost = cost_named(options["cost"])
    if cost is None:
        apply_rules(graph, rules, options.tally)
    else:
        fuse_by_cost(graph, rules, cost, options.tally)


@graph_pass("rewrite", rules="canonical", checks={"rules": rules_named})
def rewrite_named(graph: Graph, *, options: Options) -> None:
    """any pattern -> its replacement: every match of the rewriting rules named by ``rules``, sets or single ones."""
    apply_rules(graph, [rule for rule in rules_named(options["rules"]) if not rule.outlines], options.tally)
