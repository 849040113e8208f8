"""Replacements: types are inferred before nodes are emitted."""

import numpy as np

from minigraph import Tensor, trace
from minigraph.core.op import apply
from passes import S, as_pipeline, rule
from passes.rewrite.replacement import Template
from passes.rewrite.tracing import trace_pattern
from tests.passes.small_graphs import chain_graph, find, graph_of
from tests.tables import cases


def replace_root(pattern, replacement, type="f32[2,3]"):
    """The graph of ``exp(tanh(x))``, and the result of a replacement of its root."""
    graph = chain_graph("tanh", "exp", type=type)
    return graph, replace(find(pattern, graph), replacement)


def replace(match, replacement):
    """The single value of a replacement of the match, or a reason."""
    new = Template(trace_pattern(replacement).results).build(match)
    return new if isinstance(new, str) else new[0]


def both(x):
    return apply("exp", apply("tanh", x))


def test_nodes_are_emitted_once_each_with_types_lines_and_sources():
    graph, new = replace_root(both, lambda x: (lambda t: t * t)(-x))
    assert [str(graph.op(node)) for node in graph] == ["input", "tanh", "exp", "neg", "mul"]
    assert graph.ins(new) == (3, 3) and str(graph.type(new)) == "f32[2,3]"
    assert graph.prov(new).sources == (2, 1)


def test_a_variable_is_the_value_itself_and_a_number_takes_the_type_of_the_other_operand_or_the_result():
    graph, new = replace_root(both, lambda x: x)
    assert new == 0 and len(graph) == 3
    graph, new = replace_root(both, lambda x: x * 2, "f16[3]")
    assert str(graph.type(graph.ins(new)[1])) == "f16[]"
    graph, new = replace_root(both, lambda x: apply("where", x > 1, 6, x), "f64[3]")  # not that of the condition
    assert [str(graph.type(ref)) for ref in graph.ins(new)] == ["bool[3]", "f64[]", "f64[3]"]
    graph, new = replace_root(both, lambda x: 0)
    assert graph.attrs(new)["value"].array.tolist() == [[0.0] * 3] * 2


def test_attributes_become_canonical():
    graph, new = replace_root(both, lambda x: apply("transpose", apply("transpose", x, axes=(-1, 0)), axes=(1, 0)))
    assert graph.attrs(graph.ins(new)[0]) == {"axes": (1, 0)}


def test_captured_attributes_are_copied():
    graph = graph_of("neg(%0)", "transpose(%3) {axes=(1, 0)}")
    match = find(lambda x: apply("transpose", -x, axes=S.p), graph)
    new = replace(match, lambda x: -apply("transpose", x, axes=S.p))
    assert graph.attrs(graph.ins(new)[0]) == {"axes": (1, 0)}


@cases(
    (lambda x: apply("sum", x), "type"),
    (lambda x: apply("cast", x, dtype=None), "operands"),
    (lambda x: x @ x, "operands"),
    (lambda x: apply("reshape", x, shape=(7,)), "operands"),
    (lambda x: apply("transpose", x, axes=(1, 0)), "type"),
    (lambda x: x > 0, "type"),
)
def test_an_invalid_replacement_is_rejected_and_nothing_is_emitted(replacement, reason):
    graph, new = replace_root(both, replacement)
    assert new == reason
    assert len(graph) == graph.next_id == 3


def test_a_number_that_is_an_attribute_is_that_of_each_match():
    """Plans are cached by types; captured values are not part of them."""
    shifted = rule(once=True)(lambda x: (apply("softmax", x, axis=S.at), apply("softmax", x + S.at, axis=S.at)))
    ones = Tensor(np.ones((2, 2), np.float32))
    twice = trace(lambda x: apply("softmax", x, axis=0) + apply("softmax", x, axis=1), ones)
    as_pipeline([shifted]).run(twice)
    numbers = [twice.attrs(node)["value"].array.item() for node in twice if twice.op(node).role == "const"]
    assert sorted(numbers) == [0.0, 1.0]


def test_a_number_that_the_dtype_cannot_hold_is_infinite_as_in_eager_mode():
    graph = trace(lambda x: x + x, Tensor([1.0]))
    as_pipeline([rule(lambda x: (x + x, x * 1e308))]).run(graph)
    (number,) = [graph.attrs(node)["value"].array.item() for node in graph if graph.op(node).role == "const"]
    assert number == (Tensor([1.0]) * 1e308).asnumpy().item() == np.inf
