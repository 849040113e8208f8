"""Terms: traversal, expansion of alternatives, substitution."""

import pytest

from minigraph.core.errors import RuleError
from minigraph.core.op import apply
from passes import S, chain, is_cheap, many, maybe, reapply
from passes.rewrite import pattern
from passes.rewrite.pattern import AttrVar, Call, Chain, Number, Var, comma_separated, terms
from passes.rewrite.tracing import trace_pattern, trace_rule
from tests.tables import results


def root_of(function):
    """The only result."""
    (root,) = trace_pattern(function).results
    return root


def mesh(x, y):
    t = -x
    return (t + y) * t


def test_users_come_before_their_operands():
    order = terms(root_of(mesh))
    for term in order:
        for arg in pattern.children(term):
            assert order.index(term) < order.index(arg)


test_terms_print_as_written = results(
    lambda function: str(root_of(function)),
    (lambda x, w: chain(is_cheap, x @ w), "chain(is_cheap, matmul(x, w))"),
    (lambda x: maybe("relu", x), "(relu(x) | x)"),
    (lambda x: apply("relu", x) | apply("tanh", x) | 0, "((relu(x) | tanh(x)) | 0)"),
    (lambda xs: apply("concat", many(xs), axis=S.a), "concat(*xs, axis=?a)"),
    (lambda xs: apply("concat", many(xs, lambda x: -x), axis=0), "concat(*neg(xs), axis=0)"),
    (lambda x: reapply(chain(is_cheap, x), -x), "reapply(is_cheap, neg(x))"),
    (lambda x: apply("transpose", x, axes=S(lambda m: (1, 0))), "transpose(x, axes=computed)"),
)


def test_terms_are_plain_values():
    assert (Var("x"), Number(1), S.a) == (Var("x"), Number(1), AttrVar("a"))
    assert pattern.binding_key(Var("x")) == "x" and pattern.binding_key(Number(1)) != pattern.binding_key(Number(1))


def test_inputs_exclude_repeated_terms():
    root = root_of(lambda xs: apply("concat", many(xs, lambda x: -x), axis=0))
    assert [str(term) for term in terms(root)] == ["concat(*neg(xs), axis=0)", "*neg(xs)", "neg(xs)", "xs"]
    assert [str(term) for term in terms(root, subterms_of=pattern.inputs)] == ["concat(*neg(xs), axis=0)", "*neg(xs)"]
    once_more = root_of(lambda x, y: reapply(chain(is_cheap, x), y))
    assert [str(term) for term in pattern.inputs(once_more)] == ["y"] and len(pattern.children(once_more)) == 2


def test_variables_and_captured_attributes_by_name():
    root = root_of(lambda a, b: apply("sum", b + a * b, axis=S.axis, keepdims=S.keep))
    assert pattern.variables(root) == ["b", "a"] and pattern.captured_names(root) == {"axis", "keep"}
    assert comma_separated([Var("x"), Number(2)]) == "x, 2"


def variants(function):
    """The only result of each variant."""
    return [root for (root,) in pattern.expand_alternatives(trace_pattern(function).results)]


def test_each_choice_among_alternatives_is_a_variant():
    patterns = variants(lambda x, y: maybe("relu", maybe("neg", x) + y))
    assert [*map(str, patterns)] == ["relu(add(neg(x), y))", "relu(add(x, y))", "add(neg(x), y)", "add(x, y)"]


def test_an_alternative_used_twice_is_chosen_once():
    patterns = variants(lambda x: (lambda t: t * t)(maybe("neg", x)))
    assert [*map(str, patterns)] == ["mul(neg(x), neg(x))", "mul(x, x)"]
    assert isinstance(patterns[0], Call) and patterns[0].args[0] is patterns[0].args[1]


def test_both_sides_choose_together():
    def sides(x):
        t = maybe("tanh", x)
        return apply("exp", t), apply("abs", t)

    left, right = trace_rule(sides).sides
    pairs = pattern.expand_alternatives((*left, *right))
    assert [comma_separated(roots) for roots in pairs] == ["exp(tanh(x)), abs(tanh(x))", "exp(x), abs(x)"]
    assert [comma_separated(pattern.kept_terms(roots[:1], roots[1:])) for roots in pairs] == ["tanh(x)", ""]


def test_too_many_alternatives_are_refused():
    def seven(x):
        for _ in range(7):
            x = apply("exp", maybe("neg", x))
        return x

    assert pattern.MAX_VARIANTS < 2**7
    with pytest.raises(RuleError, match="more than 64 combinations of alternatives; split the rule in two"):
        variants(seven)


def test_terms_without_the_replaced_term_stay_the_same_objects():
    root = root_of(lambda x, y: (x * y) + apply("exp", y))
    assert isinstance(root, Call)
    (new,) = pattern.substitute((root,), {id(root.args[0]): Number(1)})
    assert str(new) == "add(1, exp(y))" and isinstance(new, Call) and new.args[1] is root.args[1]
    assert pattern.substitute((root,), {}) == (root,)


def test_chains_and_paths():
    root = root_of(lambda x, w: apply("exp", chain(is_cheap, x @ w)))
    (only,) = pattern.chains_of((root,))
    assert isinstance(only, Chain)
    assert [str(term) for term in pattern.path_to(root, Var("w"))] == [str(root), str(only), "matmul(x, w)"]
    assert pattern.path_to(root, Var("v")) == []
