"""Matching: every variant of a pattern is found, and nothing else."""

import math

import pytest

import minigraph as ms
from minigraph.core.errors import RuleError
from minigraph.core.op import apply
from passes import S, chain, fuse, is_cheap, many, maybe, reapply, rule
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.matcher import MAX_SWAPPED_CALLS, compile_pattern, swapped_calls
from passes.rewrite.pattern import Call, Var
from passes.rewrite.tracing import trace_pattern
from tests.passes.small_graphs import find, fused_bodies, graph_of, names, rewrite
from tests.tables import cases


def matmul_bias(x, w, b):
    return x @ w + b


def operators_after(some, *lines):
    """The operators of a graph after a rule, in order."""
    return names(rewrite(graph_of(*lines), some)[0])


@cases(
    (["matmul(%0, %1)", "add(%3, %2)"], {"x": 0, "w": 1, "b": 2}),
    (["matmul(%0, %1)", "add(%2, %3)"], {"x": 0, "w": 1, "b": 2}),
    (["matmul(%1, %0)", "add(%2, %3)"], {"x": 1, "w": 0, "b": 2}),
    (["matmul(%0, %0)", "add(%0, %3)"], {"x": 0, "w": 0, "b": 0}),
    (["matmul(%0, %1)", "add(%3, %3)"], {"x": 0, "w": 1, "b": 3}),
    (["matmul(%0, %1)", "matmul(%1, %0)", "add(%3, %4)"], {"x": 0, "w": 1, "b": 4}),
    (["add(%0, %1)"], None),
    (["matmul(%0, %1)"], None),
    (["matmul(%0, %1)", "sub(%3, %2)"], None),
)
def test_operand_order_and_aliases_and_other_operators(lines, values):
    match = find(matmul_bias, graph_of(*lines))
    assert match is None if values is None else isinstance(match, Match) and match.values == values


def test_another_order_is_tried_when_the_first_has_other_uses():
    lines = ["matmul(%0, %1)", "matmul(%1, %0)", "add(%3, %4)", "neg(%3)", "add(%5, %6)"]
    assert fused_bodies(matmul_bias, *lines) == [("matmul", "add")]


def test_another_order_is_tried_when_the_predicate_fails():
    def fuse_scaled_exp(where):
        graph = ["const() {value=f32[]<3.0>} : f32[]", "mul(%3, %0)", "exp(%4)"]
        return fused_bodies(lambda x, c: apply("exp", x * c), *graph, where=where)

    assert fuse_scaled_exp(lambda m: m.c.const is not None) == [("mul", "exp")]
    assert fuse_scaled_exp(lambda m: m.c.const is not None and m.x.const is not None) == []


def test_the_same_name_is_the_same_value_and_the_same_operator_term_the_same_node():
    def swish(x, y):
        t = x + y
        return t * apply("sigmoid", t)

    assert find(lambda x: x * x, graph_of("mul(%0, %0)"))
    assert find(lambda x: x * x, graph_of("mul(%0, %1)")) is None
    assert find(swish, graph_of("add(%1, %0)", "sigmoid(%3)", "mul(%4, %3)"))
    assert find(swish, graph_of("add(%0, %1)", "add(%0, %1)", "sigmoid(%4)", "mul(%3, %5)")) is None
    assert find(swish, graph_of("add(%0, %1)", "sigmoid(%3)", "mul(%4, %3)", "neg(%3)"), 5) == "other uses"


def test_two_terms_that_are_one_node_still_have_no_user_outside():
    def both(a, b, c, d):
        return (a + b) * (c + d)

    assert find(both, graph_of("add(%0, %1)", "mul(%3, %3)")).nodes == (4, 3)
    assert find(both, graph_of("add(%0, %1)", "mul(%3, %3)", "neg(%3)"), 4) == "other uses"


@cases(
    ("f32[]<0.0>", True), ("f32[2]<0.0, 0.0>", True), ("f32[]<-0.0>", False), ("f32[2]<0.0, -0.0>", False),
    ("f32[]<1.0>", False), ("f32[]<nan>", False), ("f32[0]<>", False), ("i32[]<0>", True), ("bool[]<false>", True),
)  # fmt: skip
def test_a_number_matches_a_constant_of_exactly_that_number(constant, matches):
    graph = graph_of(f"const() {{value={constant}}} : {constant.partition('<')[0]}", "add(%0, %3)")
    assert bool(find(lambda x: x + 0, graph)) is matches


@pytest.mark.parametrize(("number", "matches"), [(0.5, False), (300, False), (-1, False), (1, True), (1.0, True)])
def test_a_number_that_the_dtype_cannot_represent_matches_nothing(number, matches):
    graph = graph_of("const() {value=u8[]<1>} : u8[]", "add(%0, %3)")
    assert bool(find(lambda x: x + number, graph)) is matches
    assert find(lambda x: x + number, graph_of("add(%0, %1)")) is None


# ---- attributes ------------------------------------------------------------------------------------


def test_unmentioned_attributes_must_be_at_their_defaults_unless_the_node_is_kept():
    def total(x):
        return apply("sum", x)

    usual = graph_of("sum(%0) {axis=(0, 1), keepdims=false} : f32[]")
    other = graph_of("sum(%0) {axis=(0,), keepdims=false} : f32[2]")
    assert find(total, usual) and find(total, usual, strict=False)
    assert find(total, other) == "attributes" and find(total, other, strict=False)


def test_mentioned_attributes_match_in_every_form():
    graph = graph_of("sum(%0) {axis=(1,), keepdims=false} : f32[2]")
    for strict in (True, False):
        assert find(lambda x: apply("sum", x, axis=-1), graph, strict=strict)
        assert find(lambda x: apply("sum", x, axis=(1,), keepdims=False), graph, strict=strict)
        assert find(lambda x: apply("sum", x, axis=0), graph, strict=strict) == "attributes"
        assert find(lambda x: apply("sum", x, axis=7), graph, strict=strict) == "attributes"


def test_captured_attributes_are_returned_and_equal_names_are_equal_values():
    def transpose_twice(x):
        return apply("transpose", apply("transpose", x, axes=S.p), axes=S.p)

    same = graph_of("transpose(%0) {axes=(1, 0)}", "transpose(%3) {axes=(1, 0)}")
    other = graph_of("transpose(%0) {axes=(1, 0)}", "transpose(%3) {axes=(0, 1)}")
    assert find(transpose_twice, same).attrs == {"p": (1, 0)}
    assert find(transpose_twice, other) == "attributes"


def test_a_captured_stride_lets_others_vary_and_the_rest_must_be_usual():
    image = "reshape(%0) {shape=(1, 1, 2, 2)} : f32[1,1,2,2]"

    def conv(x, w):
        return apply("relu", apply("conv2d", x, w, stride=S.s))

    def graph(attrs):
        call = f"conv2d(%3, %3) {{{attrs}}} : f32[1,1,1,1]"
        return graph_of(image, call, "relu(%4) : f32[1,1,1,1]")

    usual = "padding=((0, 0), (0, 0)), group=1"
    match = find(conv, graph(f"stride=(2, 2), dilation=(1, 1), {usual}"))
    assert isinstance(match, Match) and match.attrs == {"s": (2, 2)}
    assert find(conv, graph(f"stride=(1, 1), dilation=(1, 1), {usual}")).attrs == {"s": (1, 1)}
    assert find(conv, graph(f"stride=(1, 1), dilation=(2, 2), {usual}")) == "attributes"


# ---- results ---------------------------------------------------------------------------------------


def test_result_one_of_a_node_is_not_result_zero():
    graph = graph_of("split(%0) {axis=0, sizes=(1, 1)} : f32[1,2], f32[1,2]", "neg(%3.1) : f32[1,2]")
    assert find(lambda x: apply("neg", apply("neg", x)), graph) is None
    assert find(lambda x: -x, graph).values == {"x": (3, 1)}


def test_many_commutative_operators_are_still_matched():
    def sum_of_eight(a, b, c, d, e, f, g, h):
        return ((a + b) + (c + d)) * ((e + f) + (g + h))

    assert len(swapped_calls(trace_pattern(sum_of_eight).results)) == MAX_SWAPPED_CALLS
    lines = ["add(%0, %1)"] * 4 + ["add(%3, %4)", "add(%5, %6)", "mul(%7, %8)"]
    assert isinstance(find(sum_of_eight, graph_of(*lines)), Match)


def test_calls_with_different_operands_are_swapped_first():
    x, y = Var("x"), Var("y")
    add = find(lambda a, b: a + b, graph_of("add(%0, %1)")).out.op
    plain = Call(add, (x, y))
    deep = Call(add, (plain, x))
    assert swapped_calls((deep,)) == {id(plain), id(deep)}
    assert swapped_calls((Call(add, (x, x)),)) == set()


# ---- alternatives ----------------------------------------------------------------------------------


def test_either_of_two_operators():
    def linear_and_activation(x, w):
        t = x @ w
        return apply("relu", t) | apply("tanh", t)

    assert fused_bodies(linear_and_activation, "matmul(%0, %1)", "relu(%3)") == [("matmul", "relu")]
    assert fused_bodies(linear_and_activation, "matmul(%0, %1)", "tanh(%3)") == [("matmul", "tanh")]
    assert fused_bodies(linear_and_activation, "matmul(%0, %1)", "exp(%3)") == []


def test_maybe_matches_the_operator_if_it_is_there():
    def linear_and_bias(x, w, b):
        return maybe("relu", maybe(lambda t: t + b, x @ w))

    assert fused_bodies(linear_and_bias, "matmul(%0, %1)", "add(%3, %2)", "relu(%4)") == [("matmul", "add", "relu")]
    assert fused_bodies(linear_and_bias, "matmul(%0, %1)", "add(%2, %3)") == [("matmul", "add")]
    assert fused_bodies(linear_and_bias, "matmul(%0, %1)", "relu(%3)") == [("matmul", "relu")]
    assert fused_bodies(linear_and_bias, "matmul(%0, %1)", "neg(%3)") == [("matmul",)]


def test_a_variable_of_another_alternative_is_none():
    seen = []
    biased = fuse("T", lambda x, b: apply("relu", maybe(lambda t: t + b, -x)), where=lambda m: not seen.append(m.b))
    rewrite(graph_of("neg(%0)", "relu(%3)"), biased)
    rewrite(graph_of("neg(%0)", "add(%3, %1)", "relu(%4)"), biased)
    assert seen[0] is None and seen[1].ref == 1


def test_the_pattern_and_the_replacement_make_the_same_choice():
    @rule
    def move_negation(x):
        t = maybe("tanh", x)
        return apply("exp", -t), apply("abs", t)

    assert operators_after(move_negation, "tanh(%0)", "neg(%3)", "exp(%4)", "neg(%5)") == ["tanh", "abs", "neg"]
    assert operators_after(move_negation, "neg(%0)", "exp(%3)", "neg(%4)") == ["abs", "neg"]


# ---- chains ----------------------------------------------------------------------------------------


def epilogue(x, w):
    return chain(is_cheap, x @ w)


CHAIN = ["matmul(%0, %1)", "add(%3, %2)", "relu(%4)", "mul(%0, %5)"]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_chain_is_as_long_as_it_gets(length):
    assert fused_bodies(epilogue, *CHAIN[: length + 1]) == [("matmul", "add", "relu", "mul")[: length + 1]]


def test_a_chain_has_at_least_one_node_and_ends_where_it_should():
    assert fused_bodies(epilogue, "matmul(%0, %1)") == []
    assert fused_bodies(epilogue, "add(%0, %1)", "relu(%3)") == []
    assert fused_bodies(lambda x, w: maybe(lambda t: chain(is_cheap, t), x @ w), "matmul(%0, %1)") == [("matmul",)]


def test_a_chain_stops_at_a_node_with_other_users():
    assert fused_bodies(epilogue, *CHAIN, "exp(%4)", outs="%6, %7") == [("matmul", "add")]
    assert fused_bodies(epilogue, *CHAIN, outs="%6, %4") == [("matmul", "add")]


def test_a_chain_has_a_maximal_length():
    def short_chain(x, w):
        return apply("exp", chain(is_cheap, x @ w, max_length=3))

    lines = ["matmul(%0, %1)", *(f"neg(%{k})" for k in range(3, 10)), "exp(%10)"]
    assert fused_bodies(short_chain, *lines) == []
    assert fused_bodies(short_chain, *lines[:4], "exp(%6)") == [("matmul", "neg", "neg", "neg", "exp")]


def test_a_chain_on_a_value_takes_all_it_can():
    match = find(lambda x: apply("sum", chain(is_cheap, x), axis=0), graph_of(
        "neg(%0)", "exp(%3)", "sum(%4) {axis=(0,), keepdims=false} : f32[2]"
    ))  # fmt: skip
    assert match.paths == (((4, 3), 0),) and match.values == {"x": 0} and match.nodes == (5, 4, 3)


def test_chains_are_repeated_on_another_value():
    @rule
    def sink(x):
        """A transpose of elementwise operators is the same operators of a transpose, if each has one operand."""
        c = chain(is_cheap, x)
        return apply("transpose", c, axes=S.p), reapply(c, apply("transpose", x, axes=S.p))

    graph, statistics = rewrite(graph_of("neg(%0)", "exp(%3)", "transpose(%4) {axes=(1, 0)}", "matmul(%5, %1)"), sink)
    assert names(graph) == ["transpose", "neg", "exp", "matmul"]
    assert statistics["sink"].rewrites == 1


# ---- many ------------------------------------------------------------------------------------------


def test_many_takes_any_number_of_operands():
    def relu_of_concat(xs):
        return apply("relu", apply("concat", many(xs), axis=S.a))

    def graph(*refs):
        rows = 2 * len(refs)
        call = f"concat({', '.join(f'%{ref}' for ref in refs)}) {{axis=0}} : f32[{rows},2]"
        return graph_of(call, f"relu(%3) : f32[{rows},2]")

    for refs in ((0, 1), (2, 1, 0), (0, 0, 0, 0)):
        match = find(relu_of_concat, graph(*refs))
        assert match.values == {"xs": list(refs)} and [value.ref for value in match.xs] == list(refs)


def test_many_with_named_operands():
    def concat_with_first_twice(x, rest):
        return apply("concat", x, many(rest), x, axis=0)

    call = "concat({}) {{axis=0}} : f32[{},2]"
    assert find(concat_with_first_twice, graph_of(call.format("%0, %1, %2, %0", 8))).values == {"x": 0, "rest": [1, 2]}
    assert find(concat_with_first_twice, graph_of(call.format("%0, %0", 4))).values == {"x": 0, "rest": []}
    assert find(concat_with_first_twice, graph_of(call.format("%0, %1", 4))) is None
    assert find(concat_with_first_twice, graph_of(call.format("%0", 2))) is None


def test_pattern_and_replacement_may_have_a_term_for_each_of_many():
    def concat_of_relu(xs):
        return apply("concat", many(xs, lambda x: apply("relu", x)), axis=S.a)

    def relu_of_concat(xs):
        return apply("relu", apply("concat", many(xs), axis=S.a))

    relu_last, relu_first = (
        rule(lambda xs: (concat_of_relu(xs), relu_of_concat(xs))),
        rule(lambda xs: (relu_of_concat(xs), concat_of_relu(xs))),
    )
    joined = ["concat(%3, %4) {axis=1} : f32[2,4]", "exp(%5) : f32[2,4]"]
    assert operators_after(relu_last, "relu(%0)", "relu(%1)", *joined) == ["concat", "relu", "exp"]
    assert operators_after(relu_last, "relu(%0)", "tanh(%1)", *joined) == ["relu", "tanh", "concat", "exp"]
    lines = ["concat(%0, %1) {axis=1} : f32[2,4]", "relu(%3) : f32[2,4]", "exp(%4) : f32[2,4]"]
    assert operators_after(relu_first, *lines) == ["relu", "relu", "concat", "exp"]


def test_star_args_stand_for_as_many_operands_as_the_operator_takes():
    assert trace_pattern(lambda c, *xs: apply("where", c, *xs)).parameters == ("c", "xs0", "xs1")
    graph = graph_of("concat(%0, %1, %2) {axis=0} : f32[6,2]")
    assert find(lambda *xs: apply("concat", *xs, axis=0), graph).values == {"xs": [0, 1, 2]}


# ---- several results -------------------------------------------------------------------------------


def twins(x, a, b):
    return x @ a, x @ b


def test_several_results_share_a_value():
    graph = graph_of("matmul(%0, %1)", "matmul(%0, %2)", outs="%3, %4")
    assert find(twins, graph, 3).nodes == (3, 4) and find(twins, graph, 4).nodes == (4, 3)
    assert find(twins, graph, 3).roots == (3, 4)
    assert find(twins, graph_of("matmul(%0, %1)", "matmul(%1, %2)", outs="%3, %4"), 3) is None
    assert find(twins, graph_of("matmul(%0, %1)", outs="%3"), 3) is None


def test_several_results_become_one_node_unless_that_makes_a_cycle():
    lines = ["matmul(%0, %1)", "matmul(%0, %2)", "exp(%3)", "tanh(%4)"]
    assert fused_bodies(twins, *lines, outs="%5, %6") == [("matmul", "matmul")]
    assert fused_bodies(twins, "matmul(%0, %1)", "exp(%3)", "matmul(%0, %4)", outs="%3, %5") == []


def test_a_further_result_may_be_deeper_and_a_result_may_be_inside_of_another():
    def deep(x):
        t = apply("tanh", x)
        return t, apply("exp", -t)

    lines = ["tanh(%0)", "neg(%3)", "exp(%4)"]
    assert fused_bodies(deep, *lines, outs="%3, %5") == [("tanh", "neg", "exp")]
    assert fused_bodies(lambda x: deep(x)[::-1], *lines, outs="%3, %5") == [("tanh", "neg", "exp")]
    assert fused_bodies(deep, *lines[:2], outs="%3, %4") == []


def test_results_that_share_nothing_and_too_many_loops_are_refused():
    def long_chain(x):
        for _ in range(20):
            x = apply("exp", chain(is_cheap, x))
        return x

    with pytest.raises(RuleError, match=r"exp\(y\) shares no value with the results before it"):
        fuse("Two", lambda x, y: (apply("tanh", x), apply("exp", y)))
    with pytest.raises(RuleError, match="too many chains and results; split the rule in two"):
        fuse("Long", long_chain)


# ---- the source ------------------------------------------------------------------------------------


def test_the_source_can_be_read():
    tree = trace_pattern(lambda a, b, c: a * b + c)
    source = compile_pattern(tree.results, True, False, tree.parameters).source
    assert source.startswith("def search(graph, n0, accept):") and source.count("for ") == 2


def test_the_explaining_matcher_reports_every_failed_test():
    tree, failures = trace_pattern(matmul_bias), []
    search = compile_pattern(tree.results, True, False, tree.parameters, explain=True)

    def report_failure(test, term, *rest):
        failures.append((test, str(term), *rest))

    assert search(graph_of("sub(%0, %1)", "add(%2, %3)"), 4, lambda *arguments: arguments, report_failure) is None
    assert failures == [(2, "matmul(x, w)", 2, "op", [4]), (2, "matmul(x, w)", 3, "op", [4])]


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 1e300, 10**400])
def test_numbers_that_have_no_source_text_match_themselves(number):
    mine = rule(lambda x: (x * number, x + 1.0))
    for value in (math.inf, -math.inf, math.nan, 2.0):
        graph = ms.trace(lambda x, value=value: x * value, ms.ops.ones((3,)))
        apply_rules(graph, [mine])
        assert ("add" in str(graph)) == (value == number or (value != value and number != number))
