"""The helpers of compiled matchers."""

import numpy as np
import pytest

from minigraph.core.op import TABLE
from passes import S, is_cheap
from passes.rewrite.matcher_runtime import (
    MAX_CLIMBED_USERS,
    AttributeMatcher,
    can_start_chain,
    canonical_attrs,
    chain_paths,
    climb_users,
    is_number,
    is_used_outside,
    match_each,
)
from passes.rewrite.pattern import Call, Var
from tests.passes.small_graphs import graph_of

NEG, EXP, SUM = (TABLE[name] for name in ("neg", "exp", "sum"))


def test_numbers_are_equal_to_the_bit():
    graph = graph_of("const() {value=f32[2]<0.0, 0.0>} : f32[2]", "neg(%0)")
    assert is_number(graph, 3, 0) and is_number(graph, 3, 0.0) and is_number(graph, 3, False)
    assert not is_number(graph, 3, -0.0) and not is_number(graph, 4, 0)


def test_a_number_is_rounded_to_a_float_dtype_and_to_no_other():
    graph = graph_of("const() {value=f32[]<0.1>} : f32[]", "const() {value=i32[]<0>} : i32[]",
                     "const() {value=f16[]<0.0>} : f16[]", "const() {value=f16[]<inf>} : f16[]")  # fmt: skip
    assert is_number(graph, 3, 0.1) and not is_number(graph, 3, 0.1000001)
    assert not is_number(graph, 4, 0.1) and not is_number(graph, 5, 1e-30) and not is_number(graph, 6, 1e30)
    assert not is_number(graph, 6, 10**9) and is_number(graph, 6, float("inf")) and is_number(graph, 3, np.float64(0.1))


def test_uses_outside_are_operands_and_outputs_but_not_order_edges():
    graph = graph_of("neg(%0)", "exp(%3)", "tanh(%0) after %3(depend)", outs="%4, %5")
    assert not is_used_outside(graph, 3, (4,)) and is_used_outside(graph, 3, ()) and is_used_outside(graph, 4, ())


def test_chains_go_down_every_operand_longest_first():
    graph = graph_of("neg(%0)", "exp(%1)", "add(%3, %4)")
    assert chain_paths(graph, 5, is_cheap, 64, False) == [
        ((5, 3), 0), ((5, 4), 1), ((5,), 3), ((5,), 4),
    ]  # fmt: skip
    assert chain_paths(graph, 5, is_cheap, 1, False) == [((5,), 3), ((5,), 4)]
    assert chain_paths(graph, 0, is_cheap, 64, False) == [] and not can_start_chain(graph, (3, 1), is_cheap)


@pytest.mark.parametrize("recompute", [False, True])
def test_chains_stop_at_other_uses_unless_they_are_recomputed(recompute):
    graph = graph_of("neg(%0)", "exp(%3)", "tanh(%3)", outs="%4, %5")
    assert (((4, 3), 0) in chain_paths(graph, 4, is_cheap, 64, recompute)) is recompute


def test_a_chain_of_fifty_thousand_is_searched_up_to_the_maximum():
    graph = graph_of("neg(%0)")
    for _ in range(50_000):
        graph.emit(NEG, (graph.next_id - 1,))
    assert max(len(nodes) for nodes, _ in chain_paths(graph, max(graph), is_cheap, 64, False)) == 64


def test_climbing_visits_users_of_the_given_operators_unless_there_are_too_many():
    graph = graph_of("neg(%0)", "exp(%3)", "neg(%0)", "exp(%5)", "tanh(%3)", outs="%4, %6, %7")
    assert climb_users(graph, 0, (NEG,)) == [3, 5] and climb_users(graph, 0, (NEG, EXP)) == [4, 6]
    assert climb_users(graph, 0, (EXP,)) == []
    for _ in range(MAX_CLIMBED_USERS - 2):
        graph.emit(NEG, (0,))
    assert len(climb_users(graph, 0, (NEG,))) == MAX_CLIMBED_USERS
    graph.emit(NEG, (0,))
    assert climb_users(graph, 0, (NEG,)) == []


def test_each_operand_is_searched_on_its_own():
    graph = graph_of("neg(%0)", "neg(%1)", "exp(%2)")

    def search(graph, node, accept):
        return ((node,), {"x": graph.ins(node)[0]}) if graph.op(node) is NEG else "no"

    assert match_each(graph, (3, 4), search, "x") == ((3, 4), [0, 1])
    assert match_each(graph, (3, 5), search, "x") is None and match_each(graph, ((3, 1),), search, "x") is None


def test_attributes_match_in_every_form():
    graph = graph_of("sum(%0) {axis=(1,), keepdims=false} : f32[2]")
    assert AttributeMatcher(Call(SUM, (Var("x"),), {"axis": -1}), True)(graph, 3, {}) == {}
    assert AttributeMatcher(Call(SUM, (Var("x"),), {}), True)(graph, 3, {}) is None
    assert AttributeMatcher(Call(SUM, (Var("x"),), {}), False)(graph, 3, {}) == {}
    capturing = AttributeMatcher(Call(SUM, (Var("x"),), {"axis": S.a}), True)
    assert capturing(graph, 3, {"b": 1}) == {"a": (1,), "b": 1} and capturing(graph, 3, {"a": (0,)}) is None
    assert canonical_attrs(graph, 3, {"axis": 9}) is None
