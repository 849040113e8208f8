"""What may follow a product inside its node."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.npu import cycles

RNG = np.random.default_rng(0)
X, W, B, R = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((64, 48), (48, 32), (32,), (64, 32)))
Build = Callable[..., Any]


def held(graph):
    """The operators left outside of fused nodes, and the names of those."""
    return [
        graph.attrs(node)["name"] if graph.op(node).role == "fused" else str(graph.op(node))
        for node in graph if not graph.op(node).is_leaf
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda x, w, b, r: x @ w + b, ["MatMulEpilogue"]),
        (lambda x, w, b, r: r + ops.relu(b + x @ w), ["MatMulEpilogue"]),
        (lambda x, w, b, r: ops.gelu((x @ w) * 0.5) - r, ["MatMulEpilogue"]),
        (lambda x, w, b, r: ops.silu(x @ w + b) * (r @ r[:32]), ["MatMulEpilogue", "index", "matmul"]),
        (lambda x, w, b, r: x @ w, ["matmul"]),
        (lambda x, w, b, r: ops.exp((x @ w).sum(0)), ["matmul", "sum", "exp"]),
        (lambda x, w, b, r: (x[:1] @ w) + r, ["index", "matmul", "add"]),
    ],
)  # fmt: skip
def test_what_is_taken_along(fn, expected):
    fused = ms.jit(fn, pipeline="fuse_epilogue")
    assert sorted(held(fused.graph(X, W, B, R))) == sorted(expected)
    assert fused(X, W, B, R).asnumpy().tobytes() == fn(X, W, B, R).asnumpy().tobytes()


def test_an_output_in_the_middle_ends_it():
    def both(x, w, b, r):
        total = x @ w + b
        return total, ops.relu(total)

    assert sorted(held(ms.jit(both, pipeline="fuse_epilogue").graph(X, W, B, R))) == ["MatMulEpilogue", "relu"]


def test_a_residual_costs_no_kernel_of_its_own():
    def block(x, w, b, r):
        return ops.relu(x @ w + b) + r

    named, whole = (ms.jit(block, pipeline=p).graph(X, W, B, R) for p in ("fuse_matmul_bias", "fuse_epilogue"))
    assert len(held(named)) == 2 and len(held(whole)) == 1
    assert cycles(whole) < cycles(named)
