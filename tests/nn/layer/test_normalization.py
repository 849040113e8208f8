"""Normalisation layers: values in numpy float64, errors."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, nn, ops
from tests.nn.cells import assert_close, names, normalize, tensor
from tests.tables import cases, error_cases, every

rng = np.random.default_rng(3)


@cases(((4,), -1, -1), ((3, 4), 1, 1), ((4,), 1, 2), ((3, 4), -1, 1))
def test_layer_norm_over_axes(shape, begin, params):
    layer = nn.LayerNorm(shape, begin, params, gamma_init="normal", beta_init=0.5)
    x = rng.normal(1, 2, (2, 3, 4))
    expected = normalize(x, tuple(range(begin % 3, 3)), 1e-7) * layer.gamma.asnumpy() + 0.5
    assert_close(layer(tensor(x)), expected, 1e-4, 1e-5)


@cases((64, TypeError), ((), TypeError), ((0,), ValueError), ("x", TypeError))
def test_layer_norm_rejects_invalid_sizes(wrong, error):
    with pytest.raises(error, match="For 'LayerNorm', .*'normalized_shape' must be"):
        nn.LayerNorm(wrong)


def test_a_subclass_normalises_another_axis():
    class OfChannels(nn.LayerNorm):
        def construct(self, x):
            return self.layer_norm(x.transpose(0, 2, 1), self.gamma, self.beta)

    x = tensor(np.random.default_rng(0).standard_normal((2, 3, 4)))
    y, mean, variance = OfChannels((3,))(x)
    assert_close(mean, x.array.mean(1)[..., None])
    assert_close(variance, x.array.var(1)[..., None])
    assert_close(y, nn.LayerNorm((3,))(x.transpose(0, 2, 1)).array)


test_errors = error_cases(
    (lambda: nn.LayerNorm((5,), -1, -1)(ops.ones((2, 4))), errors.ShapeError, "layer_norm"),
    (lambda: nn.LayerNorm((5,), 0, 1)(ops.ones((2, 4))), errors.ShapeError, "LayerNorm"),
)


@every(shape=[(3, 6), (3, 6, 4), (2, 6, 4, 5)], groups=[1, 2, 6])
def test_group_norm(groups, shape):
    x, gamma, beta = rng.normal(2.0, 3.0, shape), rng.normal(size=6), rng.normal(size=6)
    layer = nn.GroupNorm(groups, 6, 0.1, gamma_init=Tensor(gamma), beta_init=Tensor(beta))
    rows = x.reshape(shape[0], groups, -1)
    normalized = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 0.1)
    per_channel = (-1, *(1,) * (len(shape) - 2))
    expected = normalized.reshape(shape) * gamma.reshape(per_channel) + beta.reshape(per_channel)
    assert_close(layer(tensor(x)), expected, 1e-4, 1e-5)


@every(sizes=[4, (4,), [3, 4], (2, 3, 4)])
def test_rms_norm(sizes):
    x, layer = rng.normal(2.0, 3.0, (2, 3, 4)), nn.RMSNorm(sizes, 0.1)
    gamma = rng.normal(size=layer.normalized_shape)
    layer.gamma.set_data(Tensor(gamma))
    axes = tuple(range(3 - gamma.ndim, 3))
    assert_close(layer(tensor(x)), x / np.sqrt((x * x).mean(axes, keepdims=True) + 0.1) * gamma)


def test_half_precision_and_parameters():
    # half precision stays half
    for layer in (nn.GroupNorm(2, 4, dtype=float16), nn.RMSNorm(4, dtype=float16)):
        assert layer(Tensor(np.ones((2, 4), np.float16))).dtype is float16
    # parameters
    assert names(nn.GroupNorm(2, 4).trainable_params()) == ["gamma", "beta"]
    assert nn.GroupNorm(2, 4, affine=False).trainable_params() == []
    assert names(nn.RMSNorm(4).trainable_params()) == ["gamma"]


test_refusals_of_groups = error_cases(
    (lambda: nn.GroupNorm(4, 6), "but got 'num_channels': 6, 'num_groups': 4"),
    (lambda: nn.GroupNorm(0, 6), "the 'num_groups' must be int and must > 0"),
    (lambda: nn.GroupNorm(2, 6, eps=0), "the 'eps' must be float and must > 0"),
    (lambda: nn.RMSNorm(()), "normalized_shape must be an int or a tuple"),
    (lambda: nn.RMSNorm(4, -1.0), "the 'epsilon' must be float and must > 0"),
    (lambda: nn.GroupNorm(2, 4)(ops.ones((2, 6))), "axis 1 of x must have 4 channels"),
    (lambda: nn.RMSNorm((3, 4))(ops.ones((4,))), r"x must end with \[3, 4\], got shape \[4\]"),
    error=ValueError,
)
