"""Slices sink if nothing else is read; gradients compute only unpadded rows; values stay within the tolerance."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float32, grad, jit, ops, trace
from minigraph.core.op import apply
from passes import PASSES
from passes.core.registry import Options
from passes.optimize.sink_slices import RELATIVE_TOLERANCE
from tests.passes.comparison import assert_near
from tests.passes.small_graphs import names

RNG = np.random.default_rng(0)
X, Y, W = (Tensor(RNG.normal(size=shape).astype(np.float32)) for shape in ((2, 6, 4), (2, 6, 4), (4, 4)))
PIPELINE = "canonicalize,cse,sink_slices,dce"


def largest(graph, family="compute"):
    """Elements of the largest computed value, without views and padding."""
    names = {"index", "index_add", "reshape", "transpose", "broadcast_to"}
    sizes = [graph.type(n).size for n in graph if graph.op(n).role == family and str(graph.op(n)) not in names]
    return max(sizes, default=0)


def attention_row(x, y, w):
    """The first position of an attention layer with a residual."""
    q, k = x @ w, y @ w
    seen = ops.softmax((q @ k.swapaxes(1, 2)) * 0.5, -1) @ y
    return ((x + seen).reshape(12, 4) @ w).reshape(2, 6, 4)[:, 0]


def side_by_side(x, y, w):
    """Queries, keys and values from one product; only one query is read."""
    parts = (x.reshape(12, 4) @ ops.concat((w, w * 0.5, w + 1.0), 1)).reshape(2, 6, 3, 4)
    q, k, v = parts[:, :, 0], parts[:, :, 1], parts[:, :, 2]
    return (ops.softmax(q @ k.swapaxes(1, 2), -1) @ v)[:, 0]


FUNCTIONS = [
    (lambda x, y, w: ops.tanh(x * y + w[0])[:, 0], 8),
    (lambda x, y, w: ops.gelu((x + y) @ w)[:, 1:3], 16),
    (lambda x, y, w: ops.softmax(x * y, -1)[1], 24),
    (lambda x, y, w: (x.mean(-1) * 2.0)[:, ::3], 4),
    (lambda x, y, w: ops.concat((x, y), 1)[:, 0], 96),
    (lambda x, y, w: ops.cumsum(x, 1)[:, 0], 48),
]


def close(result, expected):
    """Check that results are equal within a tolerance."""
    assert_near(result, expected, rtol=RELATIVE_TOLERANCE, atol=RELATIVE_TOLERANCE)


@pytest.mark.parametrize(("fn", "most"), FUNCTIONS)
def test_only_rows_that_are_read_are_computed(fn, most):
    sunk = jit(fn, pipeline=PIPELINE)
    assert largest(sunk.graph(X, Y, W)) == most
    close(sunk(X, Y, W), jit(fn, pipeline=())(X, Y, W))


@pytest.mark.parametrize("fn", [attention_row, side_by_side, *(fn for fn, _ in FUNCTIONS)])
def test_gradients_stay_within_the_tolerance(fn):
    gradient = grad(lambda x, y, w: (fn(x, y, w) * 1.5).sum(), (0, 1, 2))
    close(jit(gradient, pipeline=PIPELINE)(X, Y, W), gradient(X, Y, W))


@pytest.mark.parametrize("shape", [(2, 24), (48,), (6, 2, 4), (8, 6)])
def test_rows_of_a_reshaped_tensor(shape):
    def loss(x, y):
        return (ops.tanh(x.reshape(2, 6, 4))[:, 0] * ops.tanh(x * 2.0).reshape(2, 6, 4)[:, 0] * y[:, 1]).sum()

    x, gradient = X.reshape(shape), grad(loss, (0, 1))
    close(jit(gradient, pipeline=PIPELINE)(x, Y), gradient(x, Y))


def test_gradients_multiply_only_unpadded_rows():
    gradient = grad(lambda x, w: (ops.tanh(x @ w) @ w)[:, 0].sum(), (0, 1))
    assert largest(jit(gradient, pipeline=PIPELINE).graph(X, W)) == 16  # the weights' own gradient
    assert largest(jit(gradient, pipeline="dce").graph(X, W)) == X.size


UNCHANGED_CASES = [
    lambda g, y: g + y,  # no zeros left
    lambda g, y: ops.exp(g),
    lambda g, y: ops.maximum(g, y),
    lambda g, y: ops.where(y > 0, g, y),
    lambda g, y: (ops.equal(g, y * 0)).astype(float32),
    lambda g, y: ops.cumsum(g, 1),
    lambda g, y: g.mean(1),
    lambda g, y: g.max(1),
    lambda g, y: ops.softmax(g, 2),
    lambda g, y: g.reshape(2, 24),  # a cut of that is none of g
]
ZEROS = [
    lambda g, y: g * y,
    lambda g, y: -g / (y * y + 1.0),
    lambda g, y: ops.where(y > 0, g, 0.0),
    lambda g, y: g - g * y,
    lambda g, y: g.sum(1),
    lambda g, y: g.sum((0, 1)) + g[:, 0].sum(0),
    lambda g, y: g.swapaxes(1, 2) @ y,
    lambda g, y: y.swapaxes(1, 2) @ g,
    lambda g, y: (g @ y[0, :4]).max(-1),
    lambda g, y: ops.sqrt(ops.abs(g)).reshape(12, 4),
]


@pytest.mark.parametrize(("fn", "rises"), [*((fn, False) for fn in UNCHANGED_CASES), *((fn, True) for fn in ZEROS)])
def test_padding_moves_only_through_operators_that_keep_zeros(fn, rises):
    def of_rows(x, y):
        return fn(apply("index_add", x, key=((0, 2, 1), 0, (0, 4, 1)), shape=(2, 6, 4)), y)

    graph, options = trace(of_rows, X[:, 0], Y), Options()
    PASSES["sink_slices"](graph, options)
    assert (options.statistics["sink"].rewrites > 0) is rises
    close(jit(of_rows, pipeline="sink_slices")(X[:, 0], Y), of_rows(X[:, 0], Y))


def test_slices_of_a_product_are_computed_separately_if_one_of_them_is_sliced():
    sunk = jit(side_by_side, pipeline=PIPELINE)
    graph = sunk.graph(X, Y, W)
    shapes = sorted(graph.type(n).shape for n in graph if str(graph.op(n)) == "matmul")
    assert shapes == [(2, 1, 4), (2, 1, 6), (2, 4), (12, 4), (12, 4)]
    close(sunk(X, Y, W), side_by_side(X, Y, W))
    whole = jit(lambda x, y, w: side_by_side(x, y, w).sum() + (x @ w).sum(), pipeline=PIPELINE)
    close(whole(X, Y, W), side_by_side(X, Y, W).sum() + (X @ W).sum())


def test_slices_that_are_read_whole_stay_one_product():
    halves = jit(lambda x, w: (lambda both: ops.tanh(both[..., :2]) * both[..., 2:])(x @ w), pipeline=PIPELINE)
    assert names(halves.graph(X, W)).count("matmul") == 1


def test_nodes_with_order_edges_stay():
    weight = Parameter(W, name="w")

    def slice_with_effect(x):
        before = ops.tanh(x @ weight)
        return ops.depend(before, ops.assign(weight, weight * 2.0))[:, 0], before

    sunk = jit(slice_with_effect, pipeline="sink_slices,dce")
    result = sunk(X)
    weight.set_data(W)
    close(result, slice_with_effect(X))
    assert largest(sunk.graph(X)) == X.size


def test_a_vision_transformer_costs_less():
    """A layer of a Vision Transformer; only the class token is read."""
    plain, sunk = (jit(attention_row, pipeline=pipeline).graph(X, Y, W) for pipeline in ("canonicalize,cse", PIPELINE))
    macs = [sum(graph.type(n).size for n in graph if str(graph.op(n)) == "matmul") for graph in (plain, sunk)]
    assert macs[1] < macs[0] / 1.8
