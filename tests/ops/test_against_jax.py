"""Values and gradients of the main operators against jax, where it is installed."""

import numpy as np
import pytest

from minigraph import Tensor, grad, ops

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp, nn = jax.numpy, jax.nn

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 4)), RNG.uniform(0.5, 2, (3, 4))
W, ROW = RNG.normal(size=(4, 5)), RNG.uniform(0.5, 2, 4)
BATCH, BATCH_2 = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 4, 3))
LABELS = np.array([0, 3, 1])
IMAGE, KERNEL = RNG.normal(size=(2, 4, 6, 6)), RNG.normal(size=(6, 2, 3, 3))


def jax_cross_entropy(logits):
    return -jnp.take_along_axis(nn.log_softmax(logits), LABELS[:, None], 1).mean()


def jax_conv(x, w):
    return jax.lax.conv_general_dilated(x, w, (2, 1), ((1, 0), (1, 1)), rhs_dilation=(1, 2), feature_group_count=2)


def jax_layer_norm(x, gamma, beta):
    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * gamma + beta


PAIRS = {
    "add": (lambda x, y: x + y, lambda x, y: x + y, (X, ROW)),
    "sub": (lambda x, y: x - y, lambda x, y: x - y, (X, ROW)),
    "mul": (lambda x, y: x * y, lambda x, y: x * y, (X, ROW)),
    "div": (lambda x, y: x / y, lambda x, y: x / y, (X, ROW)),
    "pow": (lambda x, y: x**y, lambda x, y: x**y, (Y, ROW)),
    "floor_mod": (lambda x, y: x % y, lambda x, y: x % y, (X, ROW)),
    "maximum": (ops.maximum, jnp.maximum, (X, ROW)),
    "exp": (ops.exp, jnp.exp, (X,)),
    "log": (ops.log, jnp.log, (Y,)),
    "tanh": (ops.tanh, jnp.tanh, (X,)),
    "sigmoid": (ops.sigmoid, nn.sigmoid, (X,)),
    "relu": (ops.relu, nn.relu, (X,)),
    "silu": (ops.silu, nn.silu, (X,)),
    "softplus": (ops.softplus, nn.softplus, (X,)),
    "gelu": (ops.gelu, lambda x: nn.gelu(x, approximate=False), (X,)),
    "gelu by tanh": (lambda x: ops.gelu(x, "tanh"), lambda x: nn.gelu(x, approximate=True), (X,)),
    "erf": (ops.erf, jax.scipy.special.erf, (X,)),
    "clip": (lambda x: ops.clip(x, -0.5, 0.5), lambda x: jnp.clip(x, -0.5, 0.5), (X,)),
    "where": (lambda x, y: ops.where(x > 0, x, y), lambda x, y: jnp.where(x > 0, x, y), (X, Y)),
    "matmul": (ops.matmul, jnp.matmul, (X, W)),
    "matmul of batches": (ops.matmul, jnp.matmul, (BATCH, BATCH_2)),
    "matmul with a vector": (ops.matmul, jnp.matmul, (BATCH, ROW)),
    "sum": (lambda x: ops.sum(x, 0), lambda x: x.sum(0), (X,)),
    "mean": (lambda x: ops.mean(x, (0, 1)), jnp.mean, (X,)),
    "max": (lambda x: ops.amax(x, 1), lambda x: x.max(1), (X,)),
    "var": (lambda x: ops.var(x, 1), lambda x: x.var(1), (X,)),
    "logsumexp": (lambda x: ops.logsumexp(x, 1), lambda x: nn.logsumexp(x, 1), (X,)),
    "softmax": (ops.softmax, nn.softmax, (X,)),
    "softmax along 0": (lambda x: ops.softmax(x, 0), lambda x: nn.softmax(x, 0), (X,)),
    "log_softmax": (ops.log_softmax, nn.log_softmax, (X,)),
    "cross_entropy": (lambda x: ops.cross_entropy(x, Tensor(LABELS)), jax_cross_entropy, (X,)),
    "layer_norm": (lambda x, g, b: ops.layer_norm(x, 4, g, b), jax_layer_norm, (X, ROW, ROW + 1)),
    "conv2d": (
        lambda x, w: ops.conv2d(x, w, None, (2, 1), "pad", (1, 0, 1, 1), (1, 2), 2), jax_conv, (IMAGE, KERNEL)
    ),
    "concat": (lambda x, y: ops.concat((x, y), 1), lambda x, y: jnp.concatenate((x, y), 1), (X, Y)),
    "tile": (lambda x: ops.tile(x, (2, 3)), lambda x: jnp.tile(x, (2, 3)), (X,)),
    "index": (lambda x: x[:, Tensor([1, 1, 3])], lambda x: x[:, jnp.array([1, 1, 3])], (X,)),
    "transpose": (lambda x: x.T, lambda x: x.T, (X,)),
    "tril": (ops.tril, jnp.tril, (X,)),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_first_and_second_gradients(name):
    ours, theirs, args = PAIRS[name]
    positions, tensors = tuple(range(len(args))), [Tensor(a) for a in args]
    value = ours(*tensors)
    np.testing.assert_allclose(value.array, theirs(*args), rtol=1e-10, atol=1e-12)
    weights = np.random.default_rng(1).normal(size=value.shape)

    def loss(*xs):
        return (ours(*xs) * Tensor(weights)).sum()

    def jax_loss(*xs):
        return (theirs(*xs) * weights).sum()

    first, expected = grad(loss, positions)(*tensors), jax.grad(jax_loss, positions)(*args)
    for g, e in zip(first if len(args) > 1 else (first,), expected, strict=True):
        np.testing.assert_allclose(g.array, e, rtol=1e-9, atol=1e-10)

    def squared_gradient(*xs):
        result = grad(loss, positions)(*xs)
        return sum(((g * g).sum() for g in (result if len(args) > 1 else (result,))), Tensor(np.array(0.0)))

    second = grad(squared_gradient, positions)(*tensors)
    expected = jax.grad(lambda *xs: sum((g * g).sum() for g in jax.grad(jax_loss, positions)(*xs)), positions)(*args)
    for g, e in zip(second if len(args) > 1 else (second,), expected, strict=True):
        np.testing.assert_allclose(g.array, e, rtol=1e-8, atol=1e-9)
