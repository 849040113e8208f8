"""Conversions around products, and how few of them are needed."""

from collections import Counter

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.core.types import float16, float32, float64
from minigraph.npu import cycles
from passes import as_pipeline

RNG = np.random.default_rng(0)
X, W, B = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((20, 30), (30, 30), (30,)))
S = Tensor(RNG.normal(size=(3, 20, 30)).astype(np.float32))
ALL = {"to_nz": 0, "to_nd": 0, "matmul": 0}


def counts(graph):
    """How many conversions and plain products there are outside of fused nodes."""
    found = Counter(str(graph.op(node)) for node in graph)
    return {name: found[name] for name in ALL}


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda x, w, b: x @ w, (2, 1)),
        (lambda x, w, b: x @ w @ w @ w, (2, 1)),
        (lambda x, w, b: ops.gelu(ops.relu(x @ w + b) * 2.0 @ w) @ w, (2, 1)),
        (lambda x, w, b: (lambda p: ops.softmax(p, -1) @ w)(x @ w), (3, 2)),
        (lambda x, w, b: (lambda p: (p, p @ w))(x @ w), (2, 2)),
        (lambda x, w, b: (x @ w) * (x @ w + b.reshape((1, 30))), (2, 1)),
        (lambda x, w, b: (x @ w + x[:, :1]) @ w, (3, 2)),
        (lambda x, w, b: (x @ w).sum(), (2, 1)),
        (lambda x, w, b: b @ w, (0, 0)),
    ],
)
def test_how_many_conversions_there_are_and_the_bits_stay(fn, expected):
    plain, blocked = ms.jit(fn, pipeline="cse,dce"), ms.jit(fn, pipeline="cse,nz_layouts,dce")
    found = counts(blocked.graph(X, W, B))
    assert (found["to_nz"], found["to_nd"]) == expected
    assert found["matmul"] == (expected == (0, 0))
    old, new = plain(X, W, B), blocked(X, W, B)
    for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (old, new)), strict=True):
        assert a.asnumpy().tobytes() == b.asnumpy().tobytes()


@pytest.mark.parametrize("dtype", [float16, float32, float64])
def test_every_float_and_stacks(dtype):
    def fn(s, w):
        return ops.tanh(s @ w) @ w

    arguments = S.astype(dtype), W.astype(dtype)
    old, new = (ms.jit(fn, pipeline=p)(*arguments) for p in ("dce", "nz_layouts,dce"))
    assert old.dtype is dtype and old.asnumpy().tobytes() == new.asnumpy().tobytes()


def test_gradients_go_through():
    graph = ms.trace(lambda x, w: ops.tanh(x @ w) @ w, X, W)
    before = ms.grad(lambda *a: ms.interpret(graph, *a)[0].sum(), (0, 1))(X, W)
    as_pipeline("nz_layouts,dce").run(graph)
    after = ms.grad(lambda *a: ms.interpret(graph, *a)[0].sum(), (0, 1))(X, W)
    for old, new in zip(before, after, strict=True):
        assert np.allclose(old.asnumpy(), new.asnumpy(), rtol=1e-5, atol=1e-5)


def test_what_formats_cost_and_what_staying_saves():
    def network(x, w, b):
        return ops.relu(ops.relu(x @ w + b) @ w + b) @ w

    large = [Tensor(np.zeros(s, np.float32)) for s in ((512, 512), (512, 512), (512,))]
    plain, every, few = (
        cycles(ms.jit(network, pipeline=p).graph(*large))
        for p in ("dce", "nz_layouts{sink=false},dce", "nz_layouts,dce")
    )
    assert plain < few < every
