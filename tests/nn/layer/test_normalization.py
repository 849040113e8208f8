"""Normalisation layers: values in numpy float64, moving statistics, errors."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, jit, nn, ops
from tests.nn.cells import AttributeCell, assert_close, names, tensor
from tests.tables import cases, every, refusals

rng = np.random.default_rng(3)
BATCHES = [(nn.BatchNorm1d, (6, 3)), (nn.BatchNorm1d, (4, 3, 5)), (nn.BatchNorm2d, (2, 3, 4, 4))]


def normalize(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


@pytest.mark.parametrize(("kind", "shape"), BATCHES)
def test_evaluation_uses_the_moving_statistics(kind, shape):
    layer, x = kind(3, moving_mean_init=Tensor([1.0, 2.0, 3.0]), moving_var_init=4.0), rng.normal(size=shape)
    mean = np.array([1, 2, 3]).reshape(3, *(1,) * (len(shape) - 2))
    assert_close(layer(tensor(x)), (x - mean) / np.sqrt(4 + 1e-5))
    assert layer.moving_mean.asnumpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize(("kind", "shape"), BATCHES)
def test_training_uses_batch_statistics_and_updates_moving_ones(kind, shape, mode):
    layer, axes = kind(3, momentum=0.8).set_train(), (0, *range(2, len(shape)))
    mean, variance = np.zeros(3), np.ones(3)
    for _ in range(3):
        x = rng.normal(2, 3, shape)
        assert_close(layer(tensor(x)), normalize(x, axes, 1e-5), 1e-3, 1e-4)
        mean = 0.8 * mean + 0.2 * x.mean(axes)
        variance = 0.8 * variance + 0.2 * x.var(axes, ddof=1)
        assert_close(layer.moving_mean, mean, 1e-4, 0)
        assert_close(layer.moving_variance, variance, 1e-4, 0)


@every(auto_depend=[False, True], jitted=[False, True])
def test_moving_statistics_survive_every_pass(jitted, auto_depend):
    layer = nn.BatchNorm1d(1).set_train()
    run = jit(lambda x: layer(x), auto_depend=auto_depend) if jitted else layer
    run(Tensor([[0.0], [10.0]]))
    assert layer.moving_mean.asnumpy().tolist() == [0.5]


@every(use=[True, False])
def test_use_batch_statistics_overrides_the_mode(use):
    layer = nn.BatchNorm1d(1, use_batch_statistics=use).set_train(not use)
    layer(Tensor([[0.0], [2.0]]))
    assert (layer.moving_mean.asnumpy()[0] != 0) == use


def test_names_trainable_parameters_and_small_batches():
    # names and what trains
    layer = nn.BatchNorm2d(3)
    assert names(layer) == ["mean", "variance", "gamma", "beta"]
    assert names(layer.trainable_params()) == ["gamma", "beta"]
    assert nn.BatchNorm2d(3, affine=False).trainable_params() == []
    assert names(AttributeCell(bn=layer)) == ["bn.moving_mean", "bn.moving_variance", "bn.gamma", "bn.beta"]
    # a batch of one element per channel is finite
    layer = nn.BatchNorm1d(1).set_train()
    assert layer(Tensor([[3.0]])).item() == 0.0
    assert layer.moving_variance.asnumpy()[0] == pytest.approx(0.9)
    # layer norm keeps small rows apart by its small epsilon
    x = rng.normal(size=(2, 64)) * 1e-3
    assert_close(nn.LayerNorm((64,))(tensor(x)), normalize(x, (1,), 1e-7), 1e-3, 1e-3)


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


test_refusals = refusals(
    (lambda: nn.BatchNorm2d(3)(ops.ones((2, 4, 4, 4))), errors.ShapeError, r"BatchNorm2d\(3\): axis 1 .* 3 channels"),
    (lambda: nn.BatchNorm2d(3)(ops.ones((2, 3))), errors.ShapeError, "the rank must be 4"),
    (lambda: nn.BatchNorm1d(3, momentum=1.5), ValueError, "the 'momentum' must be a number in range"),
    (lambda: nn.BatchNorm1d(3, eps=0.0), ValueError, "the 'eps' must be greater than 0"),
    (lambda: nn.BatchNorm1d(0), ValueError, "the 'num_features' must be int and must > 0"),
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


test_refusals_of_groups = refusals(
    (lambda: nn.GroupNorm(4, 6), "but got 'num_channels': 6, 'num_groups': 4"),
    (lambda: nn.GroupNorm(0, 6), "the 'num_groups' must be int and must > 0"),
    (lambda: nn.GroupNorm(2, 6, eps=0), "the 'eps' must be float and must > 0"),
    (lambda: nn.RMSNorm(()), "normalized_shape must be an int or a tuple"),
    (lambda: nn.RMSNorm(4, -1.0), "the 'epsilon' must be float and must > 0"),
    (lambda: nn.GroupNorm(2, 4)(ops.ones((2, 6))), "axis 1 of x must have 4 channels"),
    (lambda: nn.RMSNorm((3, 4))(ops.ones((4,))), r"x must end with \[3, 4\], got shape \[4\]"),
    error=ValueError,
)
