"""Normalization against its formulas."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, grad
from minigraph.core.op import apply

RNG = np.random.default_rng(0)
IMAGES = RNG.normal(2, 3, (4, 3, 5, 5))
GAMMA, BETA, MEAN, VARIANCE = (RNG.uniform(0.5, 2, 3) for _ in range(4))


def columns(v):
    return v.reshape(3, 1, 1)


def test_normalize_has_mean_zero_and_deviation_one_and_no_gradient_of_a_shift():
    # normalize has mean zero and deviation one
    result = apply("normalize", Tensor(IMAGES), axis=(1, 2, 3), eps=0.0).array
    np.testing.assert_allclose(result.mean((1, 2, 3)), 0, atol=1e-14)
    np.testing.assert_allclose(result.std((1, 2, 3)), 1, rtol=1e-14)
    # shifting the input of a norm has no gradient
    result = grad(lambda s: (apply("normalize", Tensor(IMAGES) + s) * Tensor(IMAGES)).sum())(Tensor(np.array(0.0)))
    assert result.item() == pytest.approx(0, abs=1e-10)
    # float16 means are taken in float32
    x = Tensor(np.full((2, 70000), 300.0), float16)
    assert apply("normalize", x).tolist() == np.zeros((2, 70000)).tolist()


@pytest.mark.parametrize("axis", [-1, 1, 2])
def test_layer_norm(axis):
    x = RNG.normal(size=(2, 3, 4))
    axes, shape = tuple(range(axis % 3, 3)), x.shape[axis % 3 :]
    gamma, beta = RNG.normal(size=shape), RNG.normal(size=shape)
    result = apply("layer_norm", Tensor(x), Tensor(gamma), Tensor(beta), axis=axis, eps=1e-3).array
    normal = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-3)
    np.testing.assert_allclose(result, normal * gamma + beta, rtol=1e-12)


def test_batch_norm_with_given_and_with_batch_statistics():
    # batch norm by given statistics
    result = apply("batch_norm", *map(Tensor, (IMAGES, GAMMA, BETA, MEAN, VARIANCE)), eps=1e-3).array
    normal = (IMAGES - columns(MEAN)) / np.sqrt(columns(VARIANCE) + 1e-3)
    np.testing.assert_allclose(result, normal * columns(GAMMA) + columns(BETA), rtol=1e-12)
    # batch norm by its own statistics
    y, mean, variance = apply("batch_norm_train", *map(Tensor, (IMAGES, GAMMA, BETA)), eps=1e-3)
    np.testing.assert_allclose(mean.array, IMAGES.mean((0, 2, 3)), rtol=1e-13)
    np.testing.assert_allclose(variance.array, IMAGES.var((0, 2, 3)), rtol=1e-13)
    expected = apply("batch_norm", *map(Tensor, (IMAGES, GAMMA, BETA, mean, variance)), eps=1e-3)
    np.testing.assert_allclose(y.array, expected.array, rtol=1e-12)


def test_statistics_of_the_wrong_shape_are_refused():
    with pytest.raises(errors.ShapeError, match=r"layer_norm: gamma has shape \[3\]"):
        apply("layer_norm", Tensor(IMAGES), Tensor(GAMMA), Tensor(BETA))
    with pytest.raises(errors.ShapeError, match="each must be a vector over axis 1 of x"):
        apply("batch_norm", *map(Tensor, (IMAGES, GAMMA, BETA, MEAN, np.ones(4))))
