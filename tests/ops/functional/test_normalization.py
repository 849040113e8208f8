"""Normalisation against its formulas in numpy, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import check_function, check_gradient, in_both_modes
from tests.tables import cases, error_cases, every

GENERATOR = np.random.default_rng(0)
IMAGES = GENERATOR.normal(size=(2, 3, 5, 5))


def test_layer_norm_and_batch_norm():
    # layer norm without weight is normalize
    x = Tensor(IMAGES)
    plain = ops.layer_norm(x, (5, 5)).array
    one = Tensor(np.ones((5, 5)))
    np.testing.assert_allclose(ops.layer_norm(x, (5, 5), one).array, plain, rtol=1e-14)
    np.testing.assert_allclose(ops.layer_norm(x, (5, 5), None, one).array, plain + 1, rtol=1e-13)
    assert ops.layer_norm(x, 5).array.mean(-1) == pytest.approx(0, abs=1e-14)
    # batch norm takes running statistics or the batch's
    mean, variance, one, zero = (Tensor(np.full(3, v)) for v in (0.5, 4.0, 1.0, 0.0))
    result = ops.batch_norm(Tensor(IMAGES), mean, variance, one, zero, eps=0.0).array
    np.testing.assert_allclose(result, (IMAGES - 0.5) / 2, rtol=1e-14)
    trained = ops.batch_norm(Tensor(IMAGES), mean, variance, one, zero, training=True).array
    np.testing.assert_allclose(trained.mean((0, 2, 3)), 0, atol=1e-14)


test_shapes_that_do_not_fit = error_cases(
    (lambda: ops.layer_norm(Tensor(IMAGES), (3,)), "layer_norm: the last axes"),
    error=errors.ShapeError,
)


RANDOM = np.random.default_rng(5)
X = RANDOM.standard_normal((2, 6, 2, 2))
GAMMA, BETA = RANDOM.standard_normal(6), RANDOM.standard_normal(6)


@every(groups=[1, 2, 3, 6])
def test_group_norm(groups):
    parts = X.reshape(2, groups, -1)
    expected = ((parts - parts.mean(2, keepdims=True)) / np.sqrt(parts.var(2, keepdims=True) + 1e-3)).reshape(X.shape)
    np.testing.assert_allclose(ops.group_norm(Tensor(X), groups, eps=1e-3).asnumpy(), expected, atol=1e-9)
    expected = expected * GAMMA.reshape(-1, 1, 1) + BETA.reshape(-1, 1, 1)
    call = partial(ops.group_norm, num_groups=groups, eps=1e-3)
    operands, smaller = (X, GAMMA, BETA), (X[:1], GAMMA, BETA)
    check_function(lambda x, w, b: call(x, weight=w, bias=b), expected, *operands, gradient_at=smaller, atol=1e-9)


def test_rms_norm():
    gamma = RANDOM.standard_normal((2, 2))
    root = np.sqrt((X**2).mean((2, 3), keepdims=True) + 1e-6)
    result, scale = in_both_modes(ops.rms_norm, Tensor(X), Tensor(gamma))
    np.testing.assert_allclose(result, X / root * gamma, rtol=1e-9)
    np.testing.assert_allclose(scale, 1 / root, rtol=1e-9)
    check_gradient(lambda x, g: ops.rms_norm(x, g)[0], X[:1], gamma)


@every(radius=[1, 5])
def test_local_response_normalization(radius):
    expected = np.empty_like(X)
    for channel in range(6):
        near = X[:, max(0, channel - radius) : channel + radius + 1]
        expected[:, channel] = X[:, channel] / (0.5 + 2.0 * (near**2).sum(1)) ** 0.7
    check_function(lambda x: ops.lrn(x, radius, 0.5, 2.0, 0.7), expected, X, gradient_at=(X[:1],))


@cases((2, 0), (1, 1), (3.0, -1))
def test_renorm(power, axis):
    result = in_both_modes(lambda x: ops.renorm(x, power, axis, 2.0), Tensor(X))
    others = tuple(at for at in range(4) if at != axis % 4)
    before, after = ((np.abs(a) ** power).sum(others) ** (1 / power) for a in (X, result))
    np.testing.assert_allclose(after, np.minimum(before, 2.0), rtol=1e-6)


test_errors = error_cases(
    (lambda: ops.group_norm(Tensor(X), 4), errors.ShapeError, "group_norm: axis 1 must be a multiple of 4 groups"),
    (lambda: ops.rms_norm(Tensor(X), Tensor(GAMMA)), errors.ShapeError, "rms_norm: the last axes of x must be"),
    (lambda: ops.lrn(Tensor(X[0])), errors.ShapeError, r"lrn: needs images"),
    (lambda: ops.lrn(Tensor(X), norm_region="WITHIN"), errors.UsageError, "lrn: norm_region must be 'ACROSS_CHANNELS'"),
    (lambda: ops.renorm(Tensor(X), 0, 0, 1.0), errors.UsageError, "renorm: p must be positive, got 0"),
)
