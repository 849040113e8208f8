"""Operators composed of primitives are recognised in every order of operands, with the same bits."""

from itertools import product

import numpy as np
import pytest

from minigraph import Tensor, grad, interpret, ops, trace
from minigraph.core.op import op_named
from passes import as_pipeline
from tests.passes.comparison import changes, keep_bits
from tests.passes.programs import normal, softmax_of
from tests.passes.small_graphs import names

X = Tensor(np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32))
ROOT = 0.7978845608028654


def sums(a, b, swap):
    """a + b in either order."""
    return b + a if swap else a + b


def products(a, b, swap):
    """a * b in either order."""
    return b * a if swap else a * b


EXPRESSIONS = {
    "sigmoid": lambda x, p, q: 1 / sums(1, ops.exp(-x), p),
    "silu": lambda x, p, q: products(x, ops.sigmoid(x), p),
    "gelu": lambda x, p, q: products(x, products(0.5, sums(1, ops.erf(x * 0.5**0.5), p), q), p),
    "gelu by tanh": lambda x, p, q: products(
        products(0.5, x, p), sums(1, ops.tanh(ROOT * sums(x, products(0.044715, x * x * x, q), p)), q), p
    ),
    "softmax": lambda x, p, q: softmax_of(x),
    "normalize": lambda x, p, q: normal(x),
}


@pytest.mark.parametrize(("name", "p", "q"), list(product(EXPRESSIONS, (False, True), (False, True))))
def test_it_is_one_node_with_the_same_bits(name, p, q):
    graph = trace(lambda x: EXPRESSIONS[name](x, p, q), X)
    keep_bits("recognize,dce", graph, X)
    assert names(graph) == [name.partition(" ")[0]]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_its_gradient_equals_the_steps(name):
    graph = trace(lambda x: EXPRESSIONS[name](x, False, False), X)
    as_pipeline("recognize,dce").run(graph)
    composed = grad(lambda x: (EXPRESSIONS[name](x, False, False) * X).sum())(X)
    recognized = grad(lambda x: (interpret(graph, x)[0] * X).sum())(X)
    assert np.allclose(composed.asnumpy(), recognized.asnumpy(), rtol=1e-4, atol=1e-5)


SIMILAR_EXPRESSIONS = [
    lambda x: 1 / (1 + ops.exp(x)),
    lambda x: 1 / (1.0001 + ops.exp(-x)),
    lambda x: x * ops.sigmoid(x + 1),
    lambda x: x * (0.5 * (1 + ops.erf(x * 0.7))),
    lambda x: ops.exp(x - x.amax(1, keepdims=True)) / ops.exp(x).sum(1, keepdims=True),
    lambda x: (lambda e: e / e.sum(1, keepdims=True))(ops.exp(x - x.amax(0, keepdims=True))),
]


@pytest.mark.parametrize("composed", SIMILAR_EXPRESSIONS)
def test_similar_expressions_are_not_rewritten(composed):
    assert not changes("recognize", composed, X)


def test_a_layer_norm_by_mean_and_variance_is_one_operator():
    def layer_norm(x, gamma, beta):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / ops.sqrt(variance + 1e-5) * gamma + beta

    vectors = Tensor(np.ones(5, np.float32)), Tensor(np.ones(5, np.float32))
    graph = trace(layer_norm, X, *vectors)
    as_pipeline("cse,recognize,dce").run(graph)
    assert [node for node in graph if graph.op(node) is op_named("layer_norm")]
    assert len([node for node in graph if not graph.op(node).is_leaf]) == 1
