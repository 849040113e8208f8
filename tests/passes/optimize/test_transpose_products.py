"""Transposes around products of transposed operands."""

import numpy as np
import pytest

from minigraph import Tensor, float32, grad, int32, interpret, jit, nn, ops, trace
from minigraph.core.types import TensorType
from passes import as_pipeline, check
from passes.optimize import transpose_products as module
from passes.optimize.transpose_products import RELATIVE_TOLERANCE, transpose_exact_product, transpose_product

RNG = np.random.default_rng(0)
X, G = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((64, 784), (64, 256)))


def weight_gradient(x, g):
    """The gradient of a dense layer's weight, as the tape computes it."""
    return (x.mT @ g).mT


def test_the_rules_are_right_in_value_and_gradient():
    assert all(check(rule).counterexample is None for rule in (transpose_product, transpose_exact_product))
    assert not transpose_product.exact and transpose_product.tol == RELATIVE_TOLERANCE and transpose_exact_product.exact


@pytest.mark.parametrize("seed", range(20))
def test_exact_products_keep_every_bit(seed):
    k, m, n = np.random.default_rng(seed).integers(2, 300, 3)
    x, g = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((k, m), (k, n)))
    fn = jit(weight_gradient, pipeline="transpose_products{exact=true},dce")
    assert fn(x, g).asnumpy().tobytes() == weight_gradient(x, g).asnumpy().tobytes()


def test_products_that_blas_rounds_differently_stay(monkeypatch):
    monkeypatch.setattr(module, "is_exact_transposed", lambda *types: False)
    graph = trace(weight_gradient, X, G)
    as_pipeline("transpose_products{exact=true},dce").run(graph)
    assert [str(graph.op(node)) for node in graph][2:] == ["transpose", "matmul", "transpose"]


def test_one_transpose_is_removed():
    graph = trace(weight_gradient, X, G)
    before = interpret(graph, X, G)[0].asnumpy()
    as_pipeline("transpose_products,dce").run(graph)
    assert [str(graph.op(node)) for node in graph][2:] == ["transpose", "matmul"]
    np.testing.assert_allclose(interpret(graph, X, G)[0].asnumpy(), before, rtol=1e-4, atol=1e-4)


def test_integers_keep_every_bit():
    x, g = (Tensor(RNG.integers(-9, 9, size=s)) for s in ((5, 7), (5, 6)))
    rewritten = jit(weight_gradient, pipeline="transpose_products,dce")
    np.testing.assert_array_equal(rewritten(x, g).asnumpy(), weight_gradient(x, g).asnumpy())


def test_the_step_of_a_perceptron_has_four_transposes_in_the_pipeline_fast():
    net = nn.SequentialCell(nn.Dense(784, 256), nn.ReLU(), nn.Dense(256, 10))
    weights = net.trainable_params()
    step = jit(grad(lambda x: ops.square(net(x)).sum(), None, weights), pipeline="fast")
    graph = step.graph(X)
    assert sum(str(graph.op(node)) == "transpose" for node in graph) <= 4


@pytest.mark.parametrize("views", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("is_exact", [True, False])
def test_whether_a_transposed_product_is_exact_is_tried(views, is_exact, monkeypatch):
    calls, types = [], (TensorType((2, 7, 5), float32), TensorType((2, 5, 3), float32))

    def forward(x, y):
        calls.append((x, y))
        return np.full((2, x.shape[1], y.shape[2]), 1.0 if is_exact else x.shape[1])

    monkeypatch.setattr(module, "forward_of", lambda op: forward)
    assert module.is_exact_transposed.__wrapped__(*types, *views) is is_exact
    (x, y), others = calls
    assert (x.shape, y.shape) == tuple(type.shape for type in types)
    assert views == tuple(matrix.swapaxes(1, 2).flags.c_contiguous for matrix in (x, y))
    assert all(map(np.array_equal, others, (y.swapaxes(1, 2), x.swapaxes(1, 2))))


def test_products_that_blas_does_not_make_are_not_tried():
    assert not module.is_exact_transposed(TensorType((2, 3), int32), TensorType((3, 2), int32), True, False)
