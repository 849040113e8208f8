"""The rule registry: named sets of rules, and the passes ``fuse`` and ``rewrite`` that apply rules by name.

::

    %3 = matmul(%0, %1)
    %4 = add(%3, %2)        -> fuse{rules=matmul} ->        %6 = fused(%0, %1, %2) {name="MatMulBiasRelu"}
    %5 = relu(%4)

The tests check every rule here. Installed packages add sets by entry points of the group ``minigraph.rules``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from minigraph.core.definitions import RULES_GROUP as GROUP
from minigraph.core.definitions import entry_point_names, load_entry_points
from minigraph.core.deprecated_names import warn_renamed
from minigraph.core.errors import DuplicateNameError, UnknownNameError, UsageError, did_you_mean
from minigraph.core.lazy import LazyTable
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.rewrite.cost_based_fusion import fuse_by_cost
from passes.rewrite.costs import cost_named
from passes.rewrite.driver import AnyRule, apply_rules

RULES: LazyTable[tuple[AnyRule, ...]] = LazyTable({
    "passes.optimize.canonicalize:RULES": "canonical",  # rewriting: equivalent forms to a canonical form
    "passes.optimize.fuse_conv_bn_relu:RULES": "conv",  # fusion: convolutions with batch norm, bias, activation
    "passes.optimize.fuse_matmul_bias:RULES": "matmul",  # fusion: matrix products with bias and activation
    "passes.optimize.fuse_elementwise:RULES": "vector",  # fusion: elementwise operators
    "passes.optimize.recognize:RULES": "recognize",  # rewriting: decomposed operators to composite operators
    "passes.optimize.recognize_inexact:RULES": "recognize_inexact",  # rewriting: the same, changing rounding
    "passes.optimize.algebra:RULES": "algebra",  # rewriting: algebra that is exact
    "passes.optimize.algebra_inexact:RULES": "algebra_inexact",  # rewriting: algebra that changes rounding
    "passes.optimize.transpose_products:RULES": "products",  # rewriting: transposed products
    "passes.optimize.fuse_attention:RULES": "attention",  # fusion: scaled dot-product attention
    "passes.optimize.fuse_rms_norm:RULES": "norm",  # fusion: RMS norm
    "passes.optimize.fuse_reduction:RULES": "reductions",  # fusion: elementwise producers into a reduction
    "passes.optimize.fuse_epilogue:RULES": "epilogue",  # fusion: elementwise consumers into a product
})  # fmt: skip
RENAMED = {  # sets and rules: old name -> new; old names warn, and are removed in the next release
    "spelled": "recognize", "spelled_near": "recognize_inexact", "algebra_near": "algebra_inexact",
    "FlashAttentionGradTurned": "FlashAttentionGradTransposed",
}  # fmt: skip
BUILT_IN_SETS = frozenset(RULES)  # those that come with minigraph
SET_UNIONS: dict[str, tuple[str, ...]] = {"cube": ("conv", "matmul")}  # name of a union -> its sets; cube: matrix unit


def add_rules(name: str, rules: AnyRule | Sequence[AnyRule]) -> tuple[AnyRule, ...]:
    """Register rules under a name, for ``fuse{rules=name}``; returns them.

    Raises ``DuplicateNameError`` if the name is taken, ``UsageError`` for items that are not rules.
    """
    new = (rules,) if isinstance(rules, AnyRule) else tuple(rules)
    for rule in new:
        if not isinstance(rule, AnyRule):
            constructors = "@rule, fuse(...) or fuse_groups(...)"
            raise UsageError(f"add_rules '{name}': {rule!r:.60} is not a rule; make one with {constructors}")
    if name in RULES or name in SET_UNIONS:
        raise DuplicateNameError(f"rules '{name}' are already registered; choose another name")
    RULES[name] = new
    return new


def every_rule() -> Iterator[tuple[str, AnyRule]]:
    """Every registered rule, with the name of its set."""
    yield from ((name, rule) for name, rules in RULES.items() for rule in rules)


def rules_named(names: str | Iterable[str]) -> list[AnyRule]:
    """The rules of these sets, with this ``target``, or with these names, each once.

    Raises ``UnknownNameError`` with the nearest name.

    >>> [rule.name for rule in rules_named(("canonical", "ConvBias"))][-2:]
    ['mask_before_pool', 'ConvBias']
    """
    rules: dict[int, AnyRule] = {}
    for name in (names,) if isinstance(names, str) else names:
        rules.update((id(rule), rule) for rule in _rules_of_name(name))
    return list(rules.values())


def _rules_of_name(name: str) -> list[AnyRule]:
    if name in RENAMED:
        kind = "rule set" if RENAMED[name] in RULES else "rule"
        warn_renamed(f"the {kind} '{name}'", f"'{RENAMED[name]}'")
        name = RENAMED[name]
    if name not in RULES and name not in SET_UNIONS:
        for new in load_entry_points(GROUP, name):
            add_rules(name, new)
    sets = SET_UNIONS.get(name, (name,) if name in RULES else ())
    rules = [rule for set_name in sets for rule in RULES[set_name]]
    rules += [rule for _, rule in every_rule() if rule.target == name or (not sets and rule.name == name)]
    if not rules:
        all_names = [*RULES, *SET_UNIONS, *entry_point_names(GROUP), *(rule.name for _, rule in every_rule())]
        raise UnknownNameError(f"no rules '{name}'{did_you_mean(name, all_names)}")
    return rules


@graph_pass("fuse", rules="cube", cost="", checks={"rules": rules_named, "cost": cost_named})
def fuse_named(graph: Graph, *, options: Options) -> None:
    """any pattern -> fused: applies the fusion rules named by ``rules``, single rules or sets.

    With ``cost``, the name of a chip or of a cost function, only fusions that lower the cost.
    """
    rules = [rule for rule in rules_named(options["rules"]) if rule.is_fusion]
    cost = cost_named(options["cost"])
    if cost is None:
        apply_rules(graph, rules, options.statistics)
    else:
        fuse_by_cost(graph, rules, cost, options.statistics)


@graph_pass("rewrite", rules="canonical", checks={"rules": rules_named})
def rewrite_named(graph: Graph, *, options: Options) -> None:
    """any pattern -> its replacement: applies the rewriting rules named by ``rules``, single rules or sets."""
    apply_rules(graph, [rule for rule in rules_named(options["rules"]) if not rule.is_fusion], options.statistics)
