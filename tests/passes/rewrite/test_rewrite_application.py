"""One rewrite: its checks and its effects."""

import pytest

from minigraph.core.errors import RuleError, UnknownNameError
from minigraph.core.op import TABLE, apply
from minigraph.ir.text import parse, to_text
from passes import fuse, rule
from tests.passes.small_graphs import counts, graph_of, named_rule, names, rewrite

EXP, NEG, TANH = TABLE["exp"], TABLE["neg"], TABLE["tanh"]


to_abs = named_rule("to_abs", lambda x: (apply("exp", apply("tanh", x)), apply("abs", x)))
packed = named_rule("packed", lambda x, a, b: ((x @ a, x @ b), (x - a, x - b)))
undone = named_rule("undone", lambda x: (apply("neg", apply("neg", x)), x))


def test_a_variable_that_is_an_inner_node_is_another_use_or_with_recompute_stays():
    def regroup(x, w, b):
        return x @ w + b, b - x

    lines = ["matmul(%0, %1)", "add(%3, %3)"]
    graph, statistics = rewrite(graph_of(*lines), rule(regroup))
    assert names(graph) == ["matmul", "add"] and counts(statistics) == {"regroup": {"other uses": 1}}
    graph, statistics = rewrite(graph_of(*lines), rule(recompute=True)(regroup))
    assert names(graph) == ["matmul", "sub"] and statistics["regroup"].rewrites == 1
    assert statistics["regroup"].added.macs[0].total == 8


def test_a_part_of_the_pattern_in_the_replacement_stays_as_it_is():
    @rule
    def relu_once(x, w):
        """The second relu changes nothing."""
        inner = apply("relu", x @ w)
        return apply("relu", inner), inner

    lines = ["matmul(%0, %1)", "relu(%3)", "relu(%4)", "neg(%5)", "exp(%4)", "tanh(%3)"]
    graph, statistics = rewrite(graph_of(*lines, outs="%6, %7, %8"), relu_once)
    assert names(graph) == ["matmul", "relu", "neg", "exp", "tanh"]
    assert graph.ins(6) == (4,) and statistics["relu_once"].rewrites == 1 and statistics["relu_once"].added.macs == ()


def test_several_results_are_replaced_together():
    lines = ["matmul(%0, %1)", "matmul(%0, %2)", "exp(%3)", "tanh(%4)"]
    graph, statistics = rewrite(graph_of(*lines, outs="%5, %6"), packed)
    assert sorted(names(graph)) == ["exp", "sub", "sub", "tanh"] and counts(statistics) == {"packed": {"rewrites": 1}}
    assert [graph.ins(graph.ins(node)[0]) for node in (5, 6)] == [(0, 1), (0, 2)]


def test_results_that_depend_on_each_other_would_make_a_cycle():
    lines = ["matmul(%0, %1)", "exp(%3)", "matmul(%0, %4)"]
    graph, statistics = rewrite(graph_of(*lines, outs="%3, %5"), packed)
    assert names(graph) == ["matmul", "exp", "matmul"] and "cycle" in counts(statistics)["packed"]


# ---- order -----------------------------------------------------------------------------------------


def test_order_edges_of_inner_nodes_are_kept():
    lines = ["neg(%0)", "tanh(%0) after %3(depend)", "exp(%4)", "abs(%1) after %4(effect)"]
    graph, _ = rewrite(graph_of(*lines, outs="%5, %6"), to_abs)
    (new,) = (node for node in graph if graph.prov(node).by.endswith("to_abs"))
    assert graph.order_kind(3, new) == "depend" and graph.order_kind(new, 6) == "effect"


def test_order_edges_back_into_the_group_would_make_a_cycle():
    lines = ["tanh(%0)", "neg(%1) after %3(depend)", "exp(%3) after %4(depend)"]
    graph, statistics = rewrite(graph_of(*lines), to_abs)
    assert names(graph) == ["tanh", "neg", "exp"] and counts(statistics) == {"to_abs": {"cycle": 1}}


def test_order_through_an_erased_node_is_kept():
    lines = ["exp(%1)", "neg(%0) after %3(depend)", "neg(%4)", "abs(%5)", "tanh(%1) after %4(effect)"]
    graph, _ = rewrite(graph_of(*lines, outs="%6, %7"), undone)
    assert names(graph) == ["exp", "abs", "tanh"]
    assert graph.order_kind(3, 6) == "depend" and graph.order_kind(3, 7) == "effect"


def test_an_output_that_would_lose_its_order_edge_stays():
    lines = ["exp(%0)", "exp(%1)", "neg(%4) after %3(depend)", "neg(%5)"]
    graph, statistics = rewrite(graph_of(*lines, outs="%6"), undone)
    assert names(graph) == ["exp", "exp", "neg", "neg"] and counts(statistics) == {"undone": {"order": 1}}


# ---- computed rules --------------------------------------------------------------------------------


def test_a_computed_rule_may_use_its_own_node():
    @rule(root="exp", once=True)
    def negate_exp(graph, node):
        return graph.emit(NEG, (node,)) if NEG not in map(graph.op, graph.users(node)) else None

    graph, statistics = rewrite(graph_of("exp(%0)", "tanh(%3)"), negate_exp)
    assert names(graph) == ["exp", "neg", "tanh"] and statistics["negate_exp"].rewrites == 1


def test_a_computed_rule_gives_a_list_for_several_results():
    @rule(root="split")
    def halves(graph, node):
        """Used only to test the driver."""
        sides = [graph.emit(TABLE["sum"], graph.ins(node), {"axis": (0,), "keepdims": True}) for _ in range(2)]
        return list(sides)

    lines = ["split(%0) {axis=0, sizes=(1, 1)} : f32[1,2], f32[1,2]", "neg(%3.1) : f32[1,2]", "exp(%3) : f32[1,2]"]
    graph, statistics = rewrite(graph_of(*lines, outs="%4, %5"), halves)
    assert sorted(names(graph)) == ["exp", "neg", "sum", "sum"] and statistics["halves"].rewrites == 1


BROKEN = [
    (lambda g, n: g.emit(TABLE["sum"], (n,), {"axis": (0,), "keepdims": False}), r"f32\[2,2\] of %3 = exp would"),
    (lambda g, n: [g.emit(NEG, (0,)), g.emit(NEG, (0,))], "it gives 2 values for 1 results of %3 = exp"),
    (lambda g, n: g.emit(NEG, (0,)) and None, "it emitted nodes at %3 = exp and then did not use them"),
    (lambda g, n: 99, "it gives 99 for %3 = exp, which is not a value of the graph"),
    (lambda g, n: (0, 1), r"it gives \(0, 1\) for %3 = exp, which is not a value of the graph"),
    (lambda g, n: [0.5], "it gives 0.5 for %3 = exp, which is not a value of the graph"),
]


@pytest.mark.parametrize(("function", "message"), BROKEN)
def test_an_error_in_a_computed_rule_is_named_and_undone(function, message):
    graph = graph_of("exp(%0)")
    before = to_text(graph)
    with pytest.raises(RuleError, match=rf"rule 'broken' \(test_rewrite_application.py:\d+\): {message}"):
        rewrite(graph, named_rule("broken", function, root="exp"))
    assert to_text(graph) == before


def test_exceptions_of_functions_and_predicates_name_rule_and_node_and_leave_nothing():
    def stumbles(graph, node):
        """Divides by nothing."""
        graph.emit(NEG, (0,))
        return 1 // 0

    asking = fuse("Asking", lambda x: apply("exp", x), where=lambda m: m.z.shape)
    for any_rule, error, message in (
        (rule(root="exp")(stumbles), ZeroDivisionError, "in rule 'stumbles' (test_rewrite_application.py:"),
        (asking, UnknownNameError, "in where= of rule 'Asking' (test_rewrite_application.py:"),
    ):
        graph = graph_of("exp(%0)")
        before = to_text(graph)
        with pytest.raises(error) as caught:
            rewrite(graph, any_rule)
        (note,) = caught.value.__notes__
        assert note.startswith(message) and note.endswith(") at %3 = exp") and to_text(graph) == before
    assert "no variable 'z'; known: x" in str(caught.value)


def test_an_effect_is_never_erased():
    forgets = named_rule("forgets", lambda graph, node: graph.ins(node)[1], root="assign")
    text = (
        'graph f(%0) {params=("w",)}\n%0 = input() {name="x"} : f32[2]\n%1 = parameter() {name="w"} : f32[2]\n'
        '%2 = assign(%1, %0) {name="w"} : f32[2]  # net.py:7\n%3 = neg(%2) : f32[2]\nreturn %3'
    )
    graph = parse(text)
    before = to_text(graph)
    message = r"rule 'forgets' \(test_rewrite_application.py:\d+\): it would erase the effect of %2 = assign"
    with pytest.raises(RuleError, match=message):
        rewrite(graph, forgets)
    assert to_text(graph) == before


# ---- once, recompute -------------------------------------------------------------------------------


def test_once_skips_nodes_that_the_rule_created():
    padded = named_rule("padded", lambda x, w: (x @ w, (x + 0.0) @ w), once=True)
    graph, statistics = rewrite(graph_of("matmul(%0, %1)", "matmul(%3, %2)"), padded)
    assert names(graph) == ["add", "matmul", "add", "matmul"] and statistics["padded"].rewrites == 2
    assert rewrite(graph, padded)[1]["padded"].rewrites == 0


def test_fusions_that_recompute_copy_shared_nodes_and_report_the_cost():
    lines = ["matmul(%0, %1)", "relu(%3)", "exp(%3)"]
    fused_once = fuse("R", lambda x, w: apply("relu", x @ w), recompute=True)
    graph, statistics = rewrite(graph_of(*lines, outs="%4, %5"), fused_once)
    assert names(graph) == ["matmul", "exp", "fused"] and statistics["R"].added.macs[0].total == 8
    both = fuse("B", lambda x, w: apply("relu", x @ w) | apply("exp", x @ w), recompute=True)
    graph, statistics = rewrite(graph_of(*lines, outs="%4, %5"), both)
    assert names(graph) == ["fused", "fused"] and statistics["B"].rewrites == 2
