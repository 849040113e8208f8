"""Sums of short products, merged into one product."""

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, ops
from tests.passes.comparison import assert_near, bits_of
from tests.tables import cases

RNG = np.random.default_rng(0)
X, W = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((4, 6), (6, 6)))


def count(graph, name):
    """How many nodes of an operator there are."""
    return sum(str(graph.op(node)) == name for node in graph)


def loop(x, w, steps=6):
    """The same weight in every iteration."""
    for _ in range(steps):
        x = ops.tanh(x @ w)
    return x


def loop_with_slices(x, w):
    """Slices of a weight in every iteration."""
    for _ in range(6):
        x = ops.tanh(x[:, :3] @ w[:3] + x[:, 3:] @ w[3:])
    return x


def products_of_other_factors(x, w):
    """Products of factors other than transposes."""
    left, right = x.tanh(), w.exp()
    for i in range(4):
        left = left + (x * float(i)) @ (w * float(i))
    return left @ right


def product_with_other_user(x, w):
    """A product with another user stays."""
    first = x @ (w * 2.0)
    return first + x @ (w * 3.0) + x @ (w * 4.0) + x @ (w * 5.0), first


@cases(
    (grad(loop, (0, 1)), 13),
    (grad(loop_with_slices, (0, 1)), 26),
    (products_of_other_factors, 2),
    (product_with_other_user, 2),
)
def test_sums_of_products_become_one_within_the_tolerance(fn, products):
    merged = jit(fn, pipeline="merge_products,dce")
    assert count(merged.graph(X, W), "matmul") == products
    assert_near(merged(X, W), fn(X, W), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("option", ["min_products=9", "max_contraction=3"])
def test_few_or_long_products_stay(option):
    fn = grad(loop, (0, 1))
    assert bits_of(jit(fn, pipeline=f"merge_products{{{option}}}")(X, W)) == bits_of(fn(X, W))


def test_the_pipeline_fast_has_it_and_the_default_does_not():
    fn = grad(loop, (0, 1))
    counts = [count(jit(fn, pipeline=p).graph(X, W), "concat") for p in ("fast", "default", "graph_kernel")]
    assert counts == [2, 0, 0]
