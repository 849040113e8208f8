"""The driver: single sweeps, order edges, memory, loops, and scale."""

import numpy as np
import pytest

from minigraph.core.errors import RuleError
from minigraph.core.op import TABLE, apply
from minigraph.core.types import type_of
from minigraph.ir.text import parse, to_text
from minigraph.ir.verify import verify
from passes import apply_rules, fuse, rule
from passes.rewrite.rewrite_application import has_c_order_result
from tests.passes import small_graphs
from tests.passes.small_graphs import counts, named_rule, names

EXP_TANH = fuse("ExpTanh", lambda x: apply("exp", apply("tanh", x)))


double = rule(lambda x: (x + x, x * 2))
neg_neg = named_rule("neg_neg", lambda x: (apply("neg", apply("neg", x)), x), recompute=True)


def graph_of(text):
    """The nodes of a text from %1 on, over an input %0 of f32[2,2]."""
    return parse('graph f(%0)\n%0 = input() {name="x"} : f32[2,2]\n' + text)


def count_rewrites(text, *rules):
    """The verified graph after the rules, and the counts of rewrites and rejections."""
    graph, statistics = small_graphs.rewrite(graph_of(text), *rules)
    return graph, counts(statistics)


CHAIN = "%1 = neg(%0) : f32[2,2]\n%2 = neg(%1) : f32[2,2]\n%3 = neg(%2) : f32[2,2]\n%4 = exp(%3) : f32[2,2]\n"


def test_one_sweep_rewrites_every_chain():
    graph, statistics = count_rewrites(CHAIN + "return %4", neg_neg)
    assert names(graph) == ["neg", "exp"]
    assert statistics == {"neg_neg": {"rewrites": 1}}


def test_new_nodes_are_looked_at_in_the_same_sweep():
    to_neg = named_rule("to_neg", lambda x: (apply("abs", x), apply("neg", apply("neg", x))))
    graph, statistics = count_rewrites("%1 = abs(%0) : f32[2,2]\n%2 = exp(%1) : f32[2,2]\nreturn %2", to_neg, neg_neg)
    assert names(graph) == ["exp"]
    assert statistics["neg_neg"]["rewrites"] == 1


def test_inner_nodes_with_other_uses_stay_or_stop_the_rule():
    def sides(x):
        return apply("exp", apply("tanh", x)), apply("abs", x)

    text = "%1 = tanh(%0) : f32[2,2]\n%2 = exp(%1) : f32[2,2]\nreturn %1, %2"
    for stopped in (rule(sides), EXP_TANH):
        graph, statistics = count_rewrites(text, stopped)
        assert names(graph) == ["tanh", "exp"] and statistics == {stopped.name: {"other uses": 1}}
    assert names(count_rewrites(text, rule(recompute=True)(sides))[0]) == ["tanh", "abs"]


def test_order_edges_of_replaced_nodes_are_kept():
    text = "%1 = tanh(%0) : f32[2,2]\n%2 = add(%0, %0) : f32[2,2] after %1(depend)\n"
    graph, _ = count_rewrites(text + "%3 = exp(%0) : f32[2,2] after %2(effect)\nreturn %2, %3", double)
    (new,) = (node for node in graph if str(graph.op(node)) == "mul")
    assert graph.order_kind(1, new) == "depend" and graph.order_kind(new, 3) == "effect"


def test_order_edges_into_inner_nodes_move_to_the_users():
    text = "%1 = exp(%0) : f32[2,2]\n%2 = neg(%0) : f32[2,2] after %1(depend)\n%3 = neg(%2) : f32[2,2]\n"
    graph, statistics = count_rewrites(text + "%4 = abs(%3) : f32[2,2]\nreturn %4", neg_neg)
    assert names(graph) == ["exp", "abs"] and graph.order_kind(1, 4) == "depend"
    assert statistics == {"neg_neg": {"rewrites": 1}}


def test_order_edges_that_cannot_be_moved_prevent_the_rewrite():
    drop = named_rule("drop", lambda x: (apply("abs", x), x))
    text = "%1 = exp(%0) : f32[2,2]\n%2 = tanh(%0) : f32[2,2]\n%3 = abs(%2) : f32[2,2] after %1(depend)\nreturn %3"
    graph, statistics = count_rewrites(text, drop)
    assert statistics == {"drop": {"order": 1}} and "abs" in names(graph)


def test_memory_order_is_not_changed_under_a_product_nor_under_the_caller():
    graph, statistics = count_rewrites(CHAIN.replace("exp(%3)", "matmul(%2, %2)") + "return %4", neg_neg)
    assert statistics["neg_neg"]["memory order"] and "matmul" in names(graph)
    graph, statistics = count_rewrites("%1 = neg(%0) : f32[2,2]\n%2 = neg(%1) : f32[2,2]\nreturn %2", neg_neg)
    assert statistics == {"neg_neg": {"memory order": 1}}
    text = "%1 = exp(%0) : f32[2,2]\n%2 = neg(%1) : f32[2,2]\n%3 = neg(%2) : f32[2,2]\nreturn %3"
    assert names(count_rewrites(text, neg_neg)[0]) == ["exp"]


@pytest.mark.parametrize("op", [op for op in TABLE.values() if op.samples and op.role == "compute"], ids=str)
def test_operators_that_promise_c_order_keep_it(op):
    if has_c_order_result(op):
        for sample in op.samples(np.random.default_rng(0)):
            arrays = [np.asarray(array, order="F") for array in sample.args]
            attrs = op.canonical(*map(type_of, arrays), **sample.attrs) if op.canonical else sample.attrs
            with np.errstate(all="ignore"):
                out = op.forward(*arrays, **attrs)
            assert all(np.asarray(o).flags.c_contiguous for o in (out if isinstance(out, tuple) else (out,)))


def test_rules_that_undo_each_other_are_named():
    there = named_rule("there", lambda x: (apply("exp", x), apply("tanh", x)))
    back = named_rule("back", lambda x: (apply("tanh", x), apply("exp", x)))
    message = r"'there' \(test_driver.py:\d+\) \d+ times, 'back' \(test_driver.py:\d+\) \d+ times"
    with pytest.raises(RuleError, match=message):
        count_rewrites("%1 = exp(%0) : f32[2,2]\nreturn %1", there, back)


def test_non_terminating_rules_leave_the_graph_and_its_journal_unchanged():
    comes_to_rest = rule(lambda x: (-apply("abs", x), apply("abs", -x)))
    there = rule(lambda x: (apply("exp", x), apply("tanh", -x)))
    back = rule(lambda x: (apply("tanh", x), apply("exp", -x)))
    nodes = "%1 = abs(%0) : f32[2,2]\n%2 = neg(%1) : f32[2,2]\n%3 = exp(%2) : f32[2,2]  # a.py:3\n"
    graph = graph_of(nodes + "return %3, %2")
    graph.journal = []
    graph.order(0, 3)
    text, journal = to_text(graph), list(graph.journal)
    with pytest.raises(RuleError, match="rules keep rewriting each other's results: .* last at a.py:3"):
        apply_rules(graph, [comes_to_rest, there, back])
    assert (to_text(graph), graph.journal) == (text, journal)
    verify(graph)
    apply_rules(graph, [comes_to_rest])
    assert to_text(graph) != text


def test_a_local_rule_that_gives_another_type_is_named():
    @rule(root=TABLE["exp"])
    def sum_node(graph, node):
        """Gives a sum."""
        return graph.emit(TABLE["sum"], graph.ins(node), {"axis": (0,), "keepdims": False})

    message = r"rule 'sum_node' \(test_driver.py:\d+\): f32\[2,2\] of %1 = exp would become f32\[2\]"
    with pytest.raises(RuleError, match=message):
        count_rewrites("%1 = exp(%0) : f32[2,2]\nreturn %1", sum_node)


def test_longer_patterns_win_and_no_node_is_in_two():
    longer = fuse("ExpTanhAbs", lambda x: apply("exp", apply("tanh", apply("abs", x))))
    text = "".join(f"%{k + 1} = {name}(%{k}) : f32[2,2]\n" for k, name in enumerate(("tanh", "abs", "tanh", "exp")))
    graph, statistics = count_rewrites(
        text + "%5 = tanh(%4) : f32[2,2]\n%6 = exp(%5) : f32[2,2]\nreturn %6", EXP_TANH, longer
    )
    assert names(graph) == ["tanh", "fused", "fused"]
    assert statistics == {"ExpTanhAbs": {"rewrites": 1}, "ExpTanh": {"rewrites": 1}}


def test_an_order_edge_out_of_the_middle_is_kept_and_one_that_closes_a_cycle_is_refused():
    text = "%1 = tanh(%0) : f32[2,2]\n%2 = abs(%0) : f32[2,2] after %1(depend)\n"
    graph, statistics = count_rewrites(text + "%3 = exp(%1) : f32[2,2]\nreturn %2, %3", EXP_TANH)
    (fused,) = (node for node in graph if graph.op(node).role == "fused")
    assert graph.order_kind(fused, 2) == "depend" and statistics["ExpTanh"]["rewrites"] == 1
    text += "%3 = exp(%1) : f32[2,2] after %2(depend)\nreturn %3"
    graph, statistics = count_rewrites(text, EXP_TANH)
    assert to_text(graph) == to_text(graph_of(text))
    assert statistics == {"ExpTanh": {"cycle": 1}}


def test_a_rule_alone_is_a_pass():
    graph = graph_of("%1 = add(%0, %0) : f32[2,2]\nreturn %1")
    double(graph)
    assert names(graph) == ["mul"]


def test_many_matches_with_many_outputs_take_no_longer_than_their_number():
    graph = graph_of("return %0")
    outs = []
    for _ in range(20_000):
        outs.append(graph.emit(TABLE["exp"], (graph.emit(TABLE["tanh"], (0,)),)))
    graph.set_outs(outs)
    apply_rules(graph, [EXP_TANH])
    assert len(graph) == 20_001
