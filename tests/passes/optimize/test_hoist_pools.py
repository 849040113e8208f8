"""Max-pools hoisted above bias and ReLU."""

import numpy as np

from minigraph import Tensor, grad, jit, nn, ops
from minigraph.core.op import apply
from tests.passes.comparison import assert_near

RNG = np.random.default_rng(0)
X, B = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((4, 3, 8, 8), (3, 1, 1)))


def layer(x, b):
    """Bias, ReLU and pool after a convolution."""
    return apply("max_pool2d", ops.relu(x + b), kernel=2)


def sizes(graph, name):
    """The number of elements of each node of an operator."""
    return [graph.type(node).size for node in graph if str(graph.op(node)) == name]


def test_the_values_are_the_same():
    hoisted = jit(layer, pipeline="hoist_pools,dce")
    np.testing.assert_array_equal(hoisted(X, B).asnumpy(), layer(X, B).asnumpy())
    assert sizes(hoisted.graph(X, B), "relu") == sizes(hoisted.graph(X, B), "max_pool2d")


def test_infinities_and_nan_are_kept():
    x = X.asnumpy().copy()
    x[0, 0, 0, :3] = np.inf, np.nan, -np.inf
    hoisted = jit(layer, pipeline="hoist_pools")
    np.testing.assert_array_equal(hoisted(Tensor(x), B).asnumpy(), layer(Tensor(x), B).asnumpy())


def test_the_gradient_of_a_bias_is_the_sum_of_the_pools_cotangent():
    gradient = grad(lambda x, b: (layer(x, b) * layer(x, b)).sum(), (0, 1))
    hoisted = jit(gradient, pipeline="canonicalize,cse,hoist_pools,dce")
    assert_near(hoisted(X, B), gradient(X, B), rtol=1e-5, atol=1e-5)


def test_the_pipeline_fast_contains_the_pass():
    net = nn.SequentialCell(nn.Conv2d(3, 4, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2))
    fast = jit(lambda x: net(x), pipeline="fast")
    np.testing.assert_allclose(fast(X).asnumpy(), net(X).asnumpy(), rtol=1e-5, atol=1e-6)
