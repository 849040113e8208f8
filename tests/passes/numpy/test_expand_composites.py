"""Expansion of composite operators into operators that fused loops can compute."""

import numpy as np

from minigraph import Tensor, interpret, trace
from minigraph.core.op import apply
from passes.numpy.expand_composites import expand_composites
from tests.tables import cases

ROWS = Tensor(np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32))
COLUMN = Tensor(np.ones(8, np.float32))


def expanded_operators(name, *args, **attrs):
    """The names of the operators that an operator expands to; checks their result against the operator's."""
    graph = trace(lambda *args: apply(name, *args, **attrs), *args)
    expected = interpret(graph, *args)[0].asnumpy()
    expand_composites(graph)
    np.testing.assert_allclose(interpret(graph, *args)[0].asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert all(graph.loc(node)[-1].file.endswith("test_expand_composites.py") for node in graph if graph.ins(node))
    return [graph.op(node).name for node in graph.topological() if not graph.op(node).is_leaf]


def test_a_softmax_expands_to_five_nodes():
    assert expanded_operators("softmax", ROWS, axis=1) == ["max", "sub", "exp", "sum", "div"]


def test_nested_composites_are_expanded_too():
    names = ["mean", "sub", "mul", "mean", "add", "sqrt", "div", "mul", "add"]
    assert expanded_operators("layer_norm", ROWS, COLUMN, COLUMN) == names


@cases(
    ("gelu", (ROWS,), {"approximate": "none"}),  # loops have no erf
    ("softmax", (Tensor(np.ones((4, 8))),), {"axis": 1}),  # the polynomial of exp is for float32
    ("matmul", (ROWS, Tensor(np.ones((8, 4), np.float32))), {}),
    ids=["gelu", "float64", "matmul"],
)
def test_composites_with_unsupported_operators_stay(name, args, attrs):
    assert expanded_operators(name, *args, **attrs) == [name]
