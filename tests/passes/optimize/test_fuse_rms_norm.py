"""All forms of RMS norm become one node with the same bits."""

from itertools import product

import numpy as np
import pytest

from minigraph import Tensor, jit, nn, ops
from minigraph.core.op import apply
from minigraph.core.types import float16, float32, float64
from minigraph.npu import cycles, simulate
from tests.passes.small_graphs import fused_names
from tests.tables import cases, results

X = Tensor(np.random.default_rng(0).normal(size=(8, 32)).astype(np.float32))
G = Tensor(np.linspace(0.5, 2, 32).astype(np.float32))


def deviations(x):
    """From the mean of each row."""
    return x - x.mean(-1, keepdims=True)


def mean_square(x):
    """Of each row."""
    return ops.square(x).mean(-1, keepdims=True)


@cases(
    (lambda x, g: x * ops.rsqrt(mean_square(x) + 1e-6) * g, "RmsNorm"),
    (lambda x, g: g * (x / ops.sqrt(1e-6 + mean_square(x))), "RmsNorm"),
    (lambda x, g: x * ops.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g, "RmsNorm"),
    (lambda x, g: x * ops.rsqrt((x**2).mean(-1, keepdims=True) + 1e-6), "RmsRows"),
    (lambda x, g: (lambda y: y * ops.rsqrt(mean_square(y) + 1e-6))(x.astype(float64)).astype(float32) * g, "RmsNorm"),
    (lambda x, g: x * (mean_square(x) + 1e-6) ** -0.5 * g, "RmsNorm"),
    (lambda x, g: deviations(x) * ops.rsqrt(mean_square(deviations(x)) + 1e-6) * g + g, "LayerNorm"),
    (lambda x, g: deviations(x) / ops.sqrt(x.var(-1, keepdims=True) + 1e-6) * g, "LayerNorm"),
    (lambda x, g: deviations(x) * (mean_square(deviations(x)) + 1e-6) ** -0.5, "LayerNormRows"),
    (lambda x, g: deviations(x) / (ops.std(x, -1, keepdims=True) + 1e-6), "LayerNormRows"),
    (lambda x, g: deviations(x) * ops.rsqrt(mean_square(x) - x.mean(-1, keepdims=True) ** 2 + 1), "LayerNormRows"),
    (lambda x, g: apply("normalize", x, axis=-1, eps=1e-5) * g + g, "AffineNorm"),
    (lambda x, g: nn.GroupNorm(4, 32)(x.reshape((8, 32, 1, 1))).reshape(x.shape) * g, "AffineNorm"),
)
def test_it_is_one_node_with_the_same_bits(fn, name):
    fused, plain = jit(fn, pipeline="cse,fuse_rms_norm,dce"), jit(fn, pipeline="dce")
    assert fused_names(fused.graph(X, G)) == [name]
    assert fused(X, G).asnumpy().tobytes() == plain(X, G).asnumpy().tobytes()
    assert cycles(fused.graph(X, G)) < cycles(plain.graph(X, G))


test_what_is_no_norm_stays = results(
    lambda fn: fused_names(jit(fn, pipeline="fuse_rms_norm").graph(X, G)),
    (lambda x, g: x * ops.rsqrt(mean_square(x) + g), []),
    (lambda x, g: x * ops.rsqrt(mean_square(g) + 1e-6), []),
    (lambda x, g: (lambda m: (x * ops.rsqrt(m + 1e-6), m))(mean_square(x)), []),
    (lambda x, g: apply("normalize", x, axis=-1, eps=1e-5) + x.reshape((8, 1, 32)), []),
    (lambda x, g: deviations(x) * ops.rsqrt(mean_square(deviations(x)) + g.mean(-1, keepdims=True) * x[:, :1]), []),
    # other elementwise operators than a scale and a shift are tasks of their own
    (lambda x, g: ops.silu(x * ops.rsqrt(mean_square(x) + 1e-6)), ["RmsRows"]),
    (lambda x, g: x * ops.rsqrt(mean_square(x) + 1e-6) + x, ["RmsRows"]),
    (lambda x, g: x * ops.rsqrt(mean_square(x) + 1e-6) > g, ["RmsRows"]),
)

HALF = np.float16
SQUARES = (ops.square, lambda d: d * d, lambda d: d**2, lambda d: ops.pow(d, 2))
ROOTS = (
    lambda d, v: d * ops.rsqrt(v + 1e-5), lambda d, v: d / ops.sqrt(v + 1e-5), lambda d, v: d * (v + 1e-5) ** -0.5,
    lambda d, v: d * (1 / ops.sqrt(v + 1e-5)), lambda d, v: d / (ops.sqrt(v) + 1e-5),
)  # fmt: skip
AFFINE_PARTS = (lambda y, g, b: y, lambda y, g, b: y * g, lambda y, g, b: g * y + b, lambda y, g, b: b + y)


def row_mean(x):
    return ops.mean(x, -1, True)


def variances(square):
    """Of the rows of y in three ways."""
    yield lambda y: row_mean(square(y - row_mean(y)))
    yield lambda y: row_mean(square(y)) - square(row_mean(y))
    yield lambda y: ops.var(y, -1, keepdims=True)


def kernels(fn, shape):
    """How many kernels the vendor's library launches for a norm of that shape."""
    x, row = (Tensor(np.ones(size, HALF)) for size in (shape, shape[-1:]))
    return len(simulate(fn, x, row, row, chip="ascend910b1", engine="analytic", pipeline="cann").rows)


@pytest.mark.parametrize("shape", [(8, 32), (1, 32), (2, 3, 32)])
def test_every_layer_norm_as_users_write_it_is_one_kernel(shape):
    for square, root, affine in product(SQUARES, ROOTS, AFFINE_PARTS):
        for variance in variances(square):
            fn = lambda x, g, b, v=variance, r=root, a=affine: a(r(x - row_mean(x), v(x)), g, b)  # noqa: E731
            assert kernels(fn, shape) == 1


@pytest.mark.parametrize("shape", [(8, 32), (1, 32), (2, 3, 32)])
def test_every_rms_norm_as_users_write_it_is_one_kernel(shape):
    for square, root, affine in product(SQUARES, ROOTS, AFFINE_PARTS):
        assert kernels(lambda x, g, b, s=square, r=root, a=affine: a(r(x, row_mean(s(x))), g, b), shape) == 1

        def in_float32(x, g, b, s=square, r=root, a=affine):
            y = x.astype(float32)
            return a(r(y, row_mean(s(y))).astype(float16), g, b)

        assert kernels(in_float32, shape) == 1
