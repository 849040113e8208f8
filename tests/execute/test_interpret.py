"""Graphs interpreted through ``apply``: eagerly, on tapes, inside other traces."""

import pytest

from minigraph import Parameter, Tensor, grad, interpret, ops, trace
from minigraph.core.errors import UsageError
from minigraph.core.op import TABLE
from minigraph.execute.interpret import interpret_atomically
from minigraph.ir.outline import outline
from tests.inspection import operators, to_lists

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def test_outputs_come_in_order_of_any_arguments_in_the_right_number():
    graph = trace(lambda x, y: (x - y, y, x * y), X, Y)
    assert to_lists(interpret(graph, X, Y)) == ([-2.0, -2.0], [3.0, 4.0], [3.0, 8.0])
    assert to_lists(interpret(trace(lambda x: x * 2.0, X), Tensor([[5.0]]))) == ([[10.0]],)
    with pytest.raises(UsageError, match="graph '<lambda>' takes 1 inputs, got 2"):
        interpret(trace(lambda x: x, X), X, Y)
    assert to_lists(interpret(trace(lambda x: TABLE["split"](x, sizes=1, axis=0)[::-1], X), X)) == ([2.0], [1.0])


def test_an_error_keeps_assignments_or_with_atomic_interpretation_restores_them():
    counter = Parameter(Tensor([0.0]), name="counter")

    def count_and_index(x, i):
        ops.assign_add(counter, x)
        return x[i]

    graph = trace(count_and_index, Tensor([1.0]), Tensor(0))
    for run, expected in ((interpret_atomically, 0.0), (interpret, 1.0)):
        with pytest.raises(IndexError):
            run(graph, Tensor([1.0]), Tensor(5))
        assert counter.item() == expected
    interpret_atomically(graph, Tensor([1.0]), Tensor(0))
    assert counter.item() == 2.0


def test_a_graph_is_differentiated_by_arguments_and_weights():
    weight = Parameter(Tensor([2.0, 3.0]), name="w")
    graph = trace(lambda x, y: (x * x * y).sum(), X, Y)
    assert to_lists(grad(lambda *args: interpret(graph, *args)[0], (0, 1))(X, Y)) == ([6.0, 16.0], [1.0, 4.0])
    weighted = trace(lambda x: (x * weight * weight).sum(), X)
    assert grad(lambda x: interpret(weighted, x)[0], None, weight)(X).tolist() == [4.0, 12.0]


def test_a_graph_is_inlined_into_another():
    inner = trace(lambda x: x.tanh() * 2.0, X)
    outer = trace(lambda x: interpret(inner, x + 1.0)[0], X)
    assert operators(outer) == ["add", "tanh", "mul"]


def test_parameters_are_read_before_and_after_an_assignment():
    weight = Parameter(Tensor([1.0, 1.0]), name="w")

    def fn(x):
        before = weight * 1.0
        ops.assign(weight, x)
        return before, weight * 1.0, weight.value() * 1.0

    graph = trace(fn, X)
    assert weight.tolist() == [1.0, 1.0], "capturing assigned"
    assert [out.tolist() for out in interpret(graph, X)] == [[1.0, 1.0], [1.0, 2.0], [1.0, 2.0]]
    assert weight.tolist() == [1.0, 2.0]


def test_parameters_of_an_interpreted_graph_are_parameters_of_the_capture():
    weight = Parameter(Tensor([2.0, 2.0]), name="w")
    inner = trace(lambda x: ops.assign(weight, x * weight), X)
    outer = trace(lambda x: (interpret(inner, x)[0], weight * 1.0), X)
    assert (list(outer.params.values()), to_lists(interpret(outer, X))) == ([weight], ([2.0, 4.0], [2.0, 4.0]))


def test_a_fused_node_is_its_body():
    graph = trace(lambda x: (x * 2.0 + 1.0).tanh(), X)
    chosen = [node for node in graph if not graph.op(node).is_leaf]
    expected = interpret(graph, X)[0].tolist()
    outline(graph, chosen)
    assert [graph.op(node).role for node in graph if not graph.op(node).is_leaf] == ["fused"]
    assert interpret(graph, X)[0].tolist() == expected
