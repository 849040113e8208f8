"""Which operators are fused after a product."""

import numpy as np
import pytest

from minigraph import Tensor, jit, nn, ops
from minigraph.core.types import float16, float32, int8
from minigraph.npu import chip_named, cycles
from minigraph.npu.simulator import jobs_of
from tests.passes.comparison import optimize_exactly
from tests.passes.small_graphs import labels
from tests.tables import results

RNG = np.random.default_rng(0)
X, W, B, R = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((64, 48), (48, 32), (32,), (64, 32)))


def gelu_by_tanh(y, cube=lambda y: 0.044715 * y * y * y):
    return 0.5 * y * (1 + ops.tanh(0.79788 * (y + cube(y))))


test_which_epilogues_are_fused = results(
    lambda fn: sorted(labels(optimize_exactly("fuse_epilogue", fn, X, W, B, R))),
    (lambda x, w, b, r: x @ w + b, ["MatMulEpilogue"]),
    (lambda x, w, b, r: r + ops.relu(b + x @ w), ["MatMulEpilogue"]),
    (lambda x, w, b, r: ops.gelu((x @ w) * 0.5) - r, ["MatMulEpilogue"]),
    (lambda x, w, b, r: ops.silu(x @ w + b) * (r @ r[:32]), ["MatMulEpilogue", "index", "matmul"]),
    (lambda x, w, b, r: x @ w, ["matmul"]),
    (lambda x, w, b, r: ops.exp((x @ w).sum(0)), ["exp", "matmul", "sum"]),
    (lambda x, w, b, r: (x[:1] @ w) + r, ["add", "index", "matmul"]),
    # the dtype may change, but the product's kernel makes no mask
    (lambda x, w, b, r: ops.relu((x @ w).astype(float16) * b), ["MatMulEpilogue"]),
    (lambda x, w, b, r: x @ w > r, ["greater", "matmul"]),
    # activations that are written out
    (lambda x, w, b, r: gelu_by_tanh(x @ w), ["MatMulActivation"]),
    (lambda x, w, b, r: r + gelu_by_tanh(x @ w + b), ["MatMulActivation"]),
    (lambda x, w, b, r: (lambda y: 0.5 * y * (1 + ops.erf(y / 2**0.5)))(x @ w + b), ["MatMulActivation"]),
    (lambda x, w, b, r: (lambda y: y / (1 + ops.exp(-y)))(x @ w + b), ["MatMulActivation"]),
    (lambda x, w, b, r: (lambda y: y * ops.sigmoid(y))(x @ w + b), ["MatMulActivation"]),
    # a value with other uses
    (lambda x, w, b, r: (lambda y: (y, y * ops.sigmoid(y)))(x @ w), ["matmul", "mul", "sigmoid"]),
    # an output in the middle ends it
    (lambda x, w, b, r: (lambda total: (total, ops.relu(total)))(x @ w + b), ["MatMulEpilogue", "relu"]),
)


ROOT = 0.7978845608
ACTIVATIONS = (
    gelu_by_tanh,
    lambda y: gelu_by_tanh(y, lambda y: 0.044715 * ops.pow(y, 3)),
    lambda y: gelu_by_tanh(y, lambda y: y**3 * 0.044715),
    lambda y: gelu_by_tanh(y, lambda y: 0.044715 * (y * (y * y))),
    lambda y: 0.5 * (y * (1 + ops.tanh(ROOT * (y + 0.044715 * y * y * y)))),
    lambda y: y * (0.5 * (1 + ops.tanh(ROOT * y * (1 + 0.044715 * y * y)))),
    lambda y: y * 0.5 * (ops.tanh((y + y * y * y * 0.044715) * ROOT) + 1),
    lambda y: 0.5 * y * (1 + ops.erf(y / 2**0.5)),
    lambda y: 0.5 * (y * (1 + ops.erf(y * 0.5**0.5))),
    lambda y: y * (0.5 * (1 + ops.erf(y / 1.4142135))),
    lambda y: y * ops.sigmoid(y),
    lambda y: y / (1 + ops.exp(-y)),
    lambda y: y * (1 / (1 + ops.exp(-y))),
    lambda y: y * ops.sigmoid(1.702 * y),
)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("before", [lambda y, b: y, lambda y, b: y + b, lambda y, b: (y * 0.5 + b).astype(float32)])
@pytest.mark.parametrize("after", [lambda y, r: y, lambda y, r: y + r, lambda y, r: r * y.astype(float16)])
def test_every_activation_as_users_write_it_is_part_of_the_kernel(activation, before, after):
    rng = np.random.default_rng(1)
    x, w, b, r = (Tensor(rng.normal(size=s).astype(np.float32)) for s in ((6, 5), (5, 4), (4,), (6, 4)))

    def layer(x, w, b, r):
        return after(activation(before(x @ w, b)), r)

    graph = optimize_exactly("cann", layer, x, w, b, r)
    assert len(labels(graph)) == 1


def test_an_activation_follows_a_convolution():
    image, weight, bias = (Tensor(RNG.normal(size=s)) for s in ((1, 2, 5, 5), (3, 2, 2, 2), (3, 1, 1)))
    graph = optimize_exactly("cann", lambda x, w, b: gelu_by_tanh(ops.conv2d(x, w) + b), image, weight, bias)
    assert list(labels(graph)) == ["ConvActivation"]


@pytest.mark.parametrize("shapes", [((8, 32), (32, 16)), ((4, 8, 32), (4, 32, 16))], ids=["matrix", "grouped"])
def test_an_int8_product_is_dequantised_in_one_kernel_at_the_rate_of_int8(shapes):
    x, w = (Tensor(RNG.integers(-3, 3, size=shape).astype(np.int8)) for shape in shapes)
    scale = Tensor(RNG.normal(size=16).astype(np.float16))

    def dequantised(x, w, scale):
        return ops.gelu((x @ w) * scale)

    fused, plain = jit(dequantised, pipeline="cann"), jit(dequantised, pipeline=())
    graph = fused.graph(x, w, scale)
    ((_, job),) = jobs_of(graph, chip_named("ascend910b1"))
    assert job.dtype is int8 and list(labels(graph)) == ["MatMulEpilogue"]
    assert fused(x, w, scale).asnumpy().tobytes() == plain(x, w, scale).asnumpy().tobytes()


def test_a_convolution_with_a_norm_and_a_residual_is_one_kernel():
    image, norm = Tensor(RNG.normal(size=(1, 4, 6, 6)).astype(np.float32)), nn.BatchNorm2d(4)
    norm.set_train(False)
    weight = Tensor(RNG.normal(size=(4, 4, 3, 3)).astype(np.float32))

    def block(x, w):
        return ops.relu(norm(ops.conv2d(x, w, pad_mode="same")) + x)

    fused, plain = jit(block, pipeline="fuse_epilogue"), jit(block, pipeline=())
    assert list(labels(fused.graph(image, weight))) == ["ConvNormEpilogue"]
    assert fused(image, weight).asnumpy().tobytes() == plain(image, weight).asnumpy().tobytes()


def test_a_residual_needs_no_kernel():
    def block(x, w, b, r):
        return ops.relu(x @ w + b) + r

    named, whole = (jit(block, pipeline=p).graph(X, W, B, R) for p in ("fuse_matmul_bias", "fuse_epilogue"))
    assert len(labels(named)) == 2 and len(labels(whole)) == 1
    assert cycles(whole) < cycles(named)
