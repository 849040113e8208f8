"""Explanations of matches: every test that can fail is reported with the value that failed."""

import pytest

from minigraph.core.errors import GraphError, UsageError
from minigraph.core.op import apply
from minigraph.ir.text import parse, to_text
from passes import Pass, S, as_pipeline, chain, every_rule, explain_match, fuse, fuse_groups, is_cheap, many
from tests.passes.programs import program
from tests.passes.small_graphs import named_rule
from tests.tables import error_cases

BIASED = fuse("Biased", lambda x, w, b: x @ w + b)
TWICE = fuse("Twice", lambda x, w, b: x @ w + b, recompute=True)
BOTH = fuse("Both", lambda x: (apply("exp", x), apply("neg", x)))
JOINED = fuse("Joined", lambda xs: apply("concat", many(xs, lambda x: apply("relu", x)), axis=S.axis))
DOWN = fuse("Down", lambda x: apply("sum", chain(is_cheap, apply("exp", x)), axis=S.axis))


transposed = named_rule(
    "transposed", lambda x: (apply("transpose", apply("transpose", x, axes=(1, 0)), axes=(1, 0)), x)
)
halved = named_rule("halved", lambda x: (x * 2.0, x + x))
large = named_rule("large", lambda x: (x * 2.0, x + x), where=lambda m: m.x.shape[0] > 16)
squared = named_rule("squared", lambda x: (x * x, apply("square", x)))
never = named_rule("never", lambda graph, node: None, root="exp")


def graph_of(*lines, outs=""):
    """A graph of two matrices, of these lines from %2 on."""
    calls = "\n".join(f"  %{k} = {line}" for k, line in enumerate(lines, 2))
    inputs = '  %0 = input() {name="x"} : f32[2,2]\n  %1 = input() {name="y"} : f32[2,2]\n'
    return parse(f"graph f(%0, %1)\n{inputs}{calls}\n  return {outs or f'%{len(lines) + 1}'}")


M = " : f32[2,2]"  # the type of a matrix in graph texts
MISSES = [
    (BIASED, graph_of("exp(%0)" + M), 2, "root", "the rule starts at add"),
    (BIASED, graph_of("mul(%0, %1)" + M, "add(%2, %1)" + M), 3, "op", "%2 = mul(%0, %1) does not match matmul(x, w)"),
    (BIASED, graph_of("matmul(%0, %1)" + M, "add(%2, %1)" + M, "exp(%2)" + M, outs="%3, %4"), 3, "other uses",
     "%2 = matmul(%0, %1) is used by %4 = exp(%2) too; recompute=True would compute it twice"),
    (BIASED, graph_of("matmul(%0, %1)" + M, "add(%2, %1)" + M, outs="%3, %2"), 3, "other uses",
     "%2 = matmul(%0, %1) is an output of the graph too; recompute=True would compute it twice"),
    (transposed, graph_of("transpose(%0) {axes=(0, 1)}" + M, "transpose(%2) {axes=(1, 0)}" + M), 3, "attributes",
     "%2 = transpose(%0) has axes=(0, 1), not (1, 0)"),
    (halved, graph_of("const() {value=f32[]<3.0>} : f32[]", "mul(%0, %2)" + M), 3, "number",
     "%2 = const() is not a constant with all elements 2.0"),
    (large, graph_of("const() {value=f32[]<2.0>} : f32[]", "mul(%0, %2)" + M), 3, "where",
     "the pattern matches, and the where= predicate rejects it"),
    (squared, graph_of("mul(%0, %1)" + M), 2, "same",
     "%1 = input() is not the value that 'x' is elsewhere in the pattern"),
    (never, graph_of("exp(%0)" + M), 2, "rule", "the rule's function returns no replacement here"),
    (BOTH, graph_of("exp(%0)" + M), 2, "further root", "%0 = input() is used in no neg(x), which the rule needs too"),
    (JOINED, graph_of("relu(%0)" + M, "concat(%2, %1) {axis=0} : f32[4,2]"), 3, "each",
     "not every operand of %3 = concat(%2, %1) is *relu(xs)"),
    (DOWN, graph_of("matmul(%0, %1)" + M, "sum(%2) {axis=(0,), keepdims=false} : f32[2]"), 3, "chain",
     "%2 = matmul(%0, %1) does not satisfy is_cheap"),
    (fuse_groups(is_cheap), graph_of("matmul(%0, %1)" + M), 2, "predicate", "it does not satisfy is_cheap"),
    (fuse_groups(is_cheap), graph_of("matmul(%0, %1)" + M, "exp(%2)" + M), 3, "alone", "it forms no group: "),
]  # fmt: skip


@pytest.mark.parametrize(("any_rule", "graph", "node", "test", "message"), MISSES, ids=lambda i: getattr(i, "name", ""))
def test_the_failed_test_is_reported(any_rule, graph, node, test, message):
    before = to_text(graph)
    explanation = explain_match(any_rule, graph, node)
    assert not explanation and explanation.test == test
    assert str(explanation).startswith(f"rule '{any_rule.name}' ({any_rule.loc}) does not apply at %{node} = ")
    assert str(explanation).partition(": ")[2].startswith(message)
    assert to_text(graph) == before


def test_the_nodes_matched_before_are_named():
    lines = ["mul(%0, %1)" + M, "add(%2, %1)" + M, "relu(%3)" + M]
    chained = fuse("Chained", lambda x, w, b: apply("relu", x @ w + b))
    for any_rule, matched in ((BIASED, (3,)), (chained, (4, 3))):
        explanation = explain_match(any_rule, graph_of(*lines[: len(matched) + 1]), matched[0])
        assert explanation.matched == matched and explanation.at == 2


def test_without_a_node_the_longest_partial_match_is_found():
    graph = graph_of("add(%0, %1)" + M, "matmul(%0, %1)" + M, "add(%3, %1)" + M, outs="%4, %3, %2")
    explanation = explain_match(BIASED, graph)
    assert (explanation.node, explanation.test) == (4, "other uses") and bool(explain_match(TWICE, graph))
    assert explain_match(TWICE, graph).node == 4
    grouped = explain_match(fuse_groups(is_cheap), graph_of("exp(%0)" + M, "neg(%2)" + M))
    assert grouped and grouped.matched == (2, 3)


def test_a_rejection_by_the_driver_is_reported_too():
    """A value in another memory order cannot replace the old one."""
    moved = named_rule("moved", lambda graph, node: graph.ins(graph.ins(node)[0])[0], root="exp")
    graph = graph_of("transpose(%0) {axes=(1, 0)}" + M, "matmul(%2, %1)" + M, "transpose(%2) {axes=(1, 0)}" + M,
                     "exp(%4)" + M, "matmul(%5, %1)" + M, outs="%6, %3")  # fmt: skip
    explanation = explain_match(moved, graph, 5)
    assert explanation.test == "memory order" and "memory order" in str(explanation)


ALONE = graph_of("exp(%0)" + M)
test_other_values_and_nodes_are_rejected = error_cases(
    (lambda: explain_match("dce", ALONE), UsageError, "explain_match: 'dce' is not a rule; make one with @rule"),
    (lambda: explain_match(BIASED, ALONE, 9), GraphError, "explain_match: %9 is not in graph 'f'"),
    (lambda: explain_match(BIASED, graph_of(outs="%0")), UsageError, "'f' has no operators"),
)


@pytest.mark.parametrize("any_rule", [any_rule for _, any_rule in every_rule()], ids=lambda any_rule: any_rule.name)
def test_the_explanation_and_the_driver_agree(any_rule):
    """A run changes the graph exactly if the rule applies at some node."""
    for seed in range(4):
        graph = program(seed)
        applies = any(explain_match(any_rule, graph, node) for node in graph)
        (record,) = as_pipeline((Pass(any_rule, {}),)).run(graph)
        assert record.changed == applies, seed
