"""Expanded rules have no chains, lists or alternatives."""

import pytest

from minigraph.core.op import apply
from passes import Rule, S, chain, every_rule, fuse, is_cheap, many, maybe, reapply, rule
from passes.rewrite.pattern import Call, Number, Var, comma_separated, terms
from passes.rewrite.pattern_expansion import REPEAT_COUNTS, expand_sides, operators_satisfying


def texts(some):
    """Both sides as text."""
    return [(comma_separated(side.pattern), comma_separated(side.replacement or ())) for side in some.sides]


def test_a_rule_without_choices_has_one_pair_of_sides():
    assert texts(rule(lambda x: (x * 0.5, x / 2))) == [("mul(x, 0.5)", "div(x, 2)")]
    assert texts(fuse("F", lambda x: (apply("exp", x), apply("tanh", x)))) == [("exp(x), tanh(x)", "")]


def test_alternatives_come_one_by_one():
    def sides(x):
        t = maybe("tanh", x)
        return apply("exp", -t), apply("abs", t)

    assert texts(rule(sides)) == [("exp(neg(tanh(x)))", "abs(tanh(x))"), ("exp(neg(x))", "abs(x)")]


def test_lists_have_one_two_and_three_values():
    def sides(xs, y):
        each = many(xs, lambda x: apply("relu", x))
        return apply("concat", each, y, axis=S.a), apply("relu", apply("concat", many(xs), y, axis=S.a))

    assert texts(rule(sides))[1] == (
        "concat(relu(xs0), relu(xs1), y, axis=?a)", "relu(concat(xs0, xs1, y, axis=?a))",
    )  # fmt: skip
    assert len(texts(rule(sides))) == len(REPEAT_COUNTS)


def test_chains_have_the_same_operators_on_both_sides():
    def sides(x):
        c = chain(is_cheap, x)
        return apply("transpose", c, axes=S.p), reapply(c, apply("transpose", x, axes=S.p))

    first, second = (op.name for op in operators_satisfying(is_cheap)[:2])
    assert texts(rule(sides))[1] == (
        f"transpose({second}({first}(x)), axes=?p)", f"{second}({first}(transpose(x, axes=?p)))",
    )  # fmt: skip


def test_shared_terms_stay_shared():
    def sides(x, w):
        inner = apply("relu", x @ w)
        return apply("relu", inner), inner

    ((pattern, replacement),) = rule(sides).sides
    (root,) = pattern
    assert isinstance(root, Call) and replacement is not None and root.args[0] is replacement[0]
    assert expand_sides(pattern, None)[0] == (pattern, None)


@pytest.mark.parametrize("known", [known for _, known in every_rule()], ids=lambda r: r.name)
def test_every_rule_of_the_table_is_expanded_or_computed(known):
    for side in known.sides:
        expansion = terms(*side.pattern, *(side.replacement or ()))
        assert all(isinstance(term, Var | Number | Call) for term in expansion)
    computed = isinstance(known, Rule) and not any(variant.roots for variant in known.variants)
    assert known.sides or computed or known.text.endswith("-> fused")
