"""Primitives of normalisation, against numpy or formulas."""

import numpy as np

from minigraph import Parameter, Tensor, ops
from tests.ops.functional.checks import check_gradient, in_both_modes
from tests.tables import every

RANDOM = np.random.default_rng(11)
X = RANDOM.standard_normal((4, 3))


def test_layer_norm_returns_mean_and_variance():
    gamma, beta = RANDOM.standard_normal(3), RANDOM.standard_normal(3)
    primitive = ops.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1, epsilon=1e-5)
    result, mean, variance = in_both_modes(primitive, Tensor(X), Tensor(gamma), Tensor(beta))
    np.testing.assert_allclose(mean, X.mean(1, keepdims=True))
    np.testing.assert_allclose(variance, X.var(1, keepdims=True))
    np.testing.assert_allclose(result, (X - mean) / np.sqrt(variance + 1e-5) * gamma + beta)
    check_gradient(lambda *operands: primitive(*operands)[0], X, gamma, beta)


@every(training=[False, True])
def test_batch_norm_updates_its_statistics_only_in_training(training):
    ones, zeros = np.ones(3), np.zeros(3)
    mean, variance = Parameter(Tensor(zeros), name="mean"), Parameter(Tensor(ones), name="variance")
    result = ops.BatchNorm(training, momentum=0.25)(Tensor(X), Tensor(ones), Tensor(zeros), mean, variance)
    own = ((X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5)) if training else X / np.sqrt(1 + 1e-5)
    np.testing.assert_allclose(result[0].asnumpy(), own, rtol=1e-6)
    np.testing.assert_allclose(mean.asnumpy(), X.mean(0) / 4 if training else zeros, atol=1e-12)
    np.testing.assert_allclose(variance.asnumpy(), 0.75 + X.var(0, ddof=1) / 4 if training else ones)


def test_l2_normalization():
    for axis in (0, 1, -1):
        expected = X / np.sqrt(np.maximum((X**2).sum(axis, keepdims=True), 1e-4))
        np.testing.assert_allclose(in_both_modes(ops.L2Normalize(axis), Tensor(X)), expected)
    check_gradient(ops.L2Normalize(1), X)


def test_renorm_limits_the_norm_of_slices():
    x = Tensor(np.arange(6.0).reshape(2, 3))
    np.testing.assert_allclose(ops.vector_norm(ops.Renorm(2, 0, 1.0)(x), 2, 1).asnumpy(), 1, rtol=1e-5)
