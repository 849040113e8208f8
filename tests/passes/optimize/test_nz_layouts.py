"""NZ conversions around products, and their number."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops, trace
from minigraph.core.types import float16, float32, float64
from minigraph.npu import cycles
from tests.passes.comparison import bits_of, keep_gradients
from tests.passes.small_graphs import names

RNG = np.random.default_rng(0)
X, W, B = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((20, 30), (30, 30), (30,)))
S = Tensor(RNG.normal(size=(3, 20, 30)).astype(np.float32))


CONVERSIONS = [
    (lambda x, w, b: x @ w, (2, 1)),
    (lambda x, w, b: x @ w @ w @ w, (2, 1)),
    (lambda x, w, b: ops.gelu(ops.relu(x @ w + b) * 2.0 @ w) @ w, (2, 1)),
    (lambda x, w, b: (lambda p: ops.softmax(p, -1) @ w)(x @ w), (3, 2)),
    (lambda x, w, b: (lambda p: (p, p @ w))(x @ w), (2, 2)),
    (lambda x, w, b: (x @ w) * (x @ w + b.reshape((1, 30))), (2, 1)),
    (lambda x, w, b: (x @ w + x[:, :1]) @ w, (3, 2)),
    (lambda x, w, b: (x @ w).sum(), (2, 1)),
    (lambda x, w, b: b @ w, (0, 0)),
]


@pytest.mark.parametrize(("fn", "expected"), CONVERSIONS)
def test_how_many_conversions_there_are_and_the_bits_stay(fn, expected):
    plain, blocked = jit(fn, pipeline="cse,dce"), jit(fn, pipeline="cse,nz_layouts,dce")
    operators = names(blocked.graph(X, W, B))
    assert (operators.count("to_nz"), operators.count("to_nd")) == expected
    assert operators.count("matmul") == (expected == (0, 0))
    assert bits_of(blocked(X, W, B)) == bits_of(plain(X, W, B))


@pytest.mark.parametrize("dtype", [float16, float32, float64])
def test_every_float_and_stacks(dtype):
    arguments = S.astype(dtype), W.astype(dtype)
    old, new = (jit(lambda s, w: ops.tanh(s @ w) @ w, pipeline=p)(*arguments) for p in ("dce", "nz_layouts,dce"))
    assert old.dtype is dtype and bits_of(old) == bits_of(new)


def test_gradients_are_the_same():
    keep_gradients("nz_layouts,dce", trace(lambda x, w: ops.tanh(x @ w) @ w, X, W), X, W, tol=1e-5)


def test_the_cost_of_conversions_and_the_saving_of_staying_in_nz():
    def network(x, w, b):
        return ops.relu(ops.relu(x @ w + b) @ w + b) @ w

    large = [Tensor(np.zeros(s, np.float32)) for s in ((512, 512), (512, 512), (512,))]
    pipelines = "dce", "nz_layouts,dce", "nz_layouts{sink=false},dce"
    plain, few, every = (cycles(jit(network, pipeline=pipeline).graph(*large)) for pipeline in pipelines)
    assert plain < few < every
