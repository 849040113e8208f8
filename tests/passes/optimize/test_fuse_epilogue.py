"""What may follow a product inside its node."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.npu import cycles
from tests.passes.finding import labels

RNG = np.random.default_rng(0)
X, W, B, R = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((64, 48), (48, 32), (32,), (64, 32)))


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
    fused = jit(fn, pipeline="fuse_epilogue")
    assert sorted(labels(fused.graph(X, W, B, R))) == sorted(expected)
    assert fused(X, W, B, R).asnumpy().tobytes() == fn(X, W, B, R).asnumpy().tobytes()


def test_an_output_in_the_middle_ends_it():
    fused = jit(lambda x, w, b, r: (lambda t: (t, ops.relu(t)))(x @ w + b), pipeline="fuse_epilogue")
    assert sorted(labels(fused.graph(X, W, B, R))) == ["MatMulEpilogue", "relu"]


def test_a_residual_costs_no_kernel_of_its_own():
    def block(x, w, b, r):
        return ops.relu(x @ w + b) + r

    named, whole = (jit(block, pipeline=p).graph(X, W, B, R) for p in ("fuse_matmul_bias", "fuse_epilogue"))
    assert len(labels(named)) == 2 and len(labels(whole)) == 1
    assert cycles(whole) < cycles(named)
