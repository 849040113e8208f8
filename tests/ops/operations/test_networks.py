"""Primitives of layers and losses against their formulas, in both modes, with gradients."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, jit, ops
from tests.ops.functional.ways import both_ways, check_slope
from tests.tables import every

RANDOM = np.random.default_rng(11)
X = RANDOM.standard_normal((4, 3))
LABELS = np.array([2, 0, 1, 1], np.int32)


def test_layer_norm_and_likelihoods_tell_more_than_one_result():
    # layer norm tells mean and variance
    gamma, beta = RANDOM.standard_normal(3), RANDOM.standard_normal(3)
    primitive = ops.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1, epsilon=1e-5)
    found, mean, variance = both_ways(primitive, Tensor(X), Tensor(gamma), Tensor(beta))
    np.testing.assert_allclose(mean, X.mean(1, keepdims=True))
    np.testing.assert_allclose(variance, X.var(1, keepdims=True))
    np.testing.assert_allclose(found, (X - mean) / np.sqrt(variance + 1e-5) * gamma + beta)
    check_slope(lambda *given: primitive(*given)[0], X, gamma, beta)
    # the likelihood and what counted
    weight = np.array([1.0, 2.0, 4.0])
    loss, total = both_ways(ops.NLLLoss("sum"), Tensor(X), Tensor(LABELS), Tensor(weight))
    assert loss == pytest.approx(-(X[np.arange(4), LABELS] * weight[LABELS]).sum())
    assert total == weight[LABELS].sum()


@every(training=[False, True])
def test_batch_norm_moves_its_statistics_only_when_training(training):
    ones, zeros = np.ones(3), np.zeros(3)
    mean, variance = Parameter(Tensor(zeros), name="mean"), Parameter(Tensor(ones), name="variance")
    found = ops.BatchNorm(training, momentum=0.25)(Tensor(X), Tensor(ones), Tensor(zeros), mean, variance)
    own = ((X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5)) if training else X / np.sqrt(1 + 1e-5)
    np.testing.assert_allclose(found[0].asnumpy(), own, rtol=1e-6)
    np.testing.assert_allclose(mean.asnumpy(), X.mean(0) / 4 if training else zeros, atol=1e-12)
    np.testing.assert_allclose(variance.asnumpy(), 0.75 + X.var(0, ddof=1) / 4 if training else ones)


def test_lengths_of_one_and_dropped_elements():
    # lengths of one
    for axis in (0, 1, -1):
        wanted = X / np.sqrt(np.maximum((X**2).sum(axis, keepdims=True), 1e-4))
        np.testing.assert_allclose(both_ways(ops.L2Normalize(axis), Tensor(X)), wanted)
    check_slope(ops.L2Normalize(1), X)
    # dropped elements are told
    kept, mask = ops.Dropout(keep_prob=0.75, Seed0=3)(Tensor(np.ones((40, 50))))
    np.testing.assert_allclose(kept.asnumpy(), mask.asnumpy() / 0.75)
    assert 0.7 < mask.asnumpy().mean() < 0.8


def test_cross_entropies():
    chances = np.exp(X) / np.exp(X).sum(1, keepdims=True)
    rows = -np.log(chances[np.arange(4), LABELS])
    hot = np.eye(3)[LABELS]
    found, slope = both_ways(ops.SoftmaxCrossEntropyWithLogits(), Tensor(X), Tensor(hot))
    np.testing.assert_allclose(found, rows)
    np.testing.assert_allclose(slope, chances - hot)
    sparse = ops.SparseSoftmaxCrossEntropyWithLogits
    assert both_ways(sparse(), Tensor(X), Tensor(LABELS)) == pytest.approx(rows.mean())
    told = both_ways(sparse(is_grad=True), Tensor(X), Tensor(LABELS))
    np.testing.assert_allclose(told, grad(lambda x: sparse()(x, Tensor(LABELS)))(Tensor(X)).asnumpy(), rtol=1e-6)
    binary = both_ways(ops.SigmoidCrossEntropyWithLogits(), Tensor(X), Tensor(hot))
    np.testing.assert_allclose(binary, np.log1p(np.exp(X)) - X * hot)
    check_slope(ops.SigmoidCrossEntropyWithLogits(), X, hot)


@every(compiled=[False, True], nesterov=[False, True])
def test_a_step_with_momentum(nesterov, compiled):
    weight, speed = (Parameter(Tensor(value), name=name) for name, value in (("w", X), ("v", X * 0 + 1)))
    step = ops.ApplyMomentum(use_nesterov=nesterov)
    (jit if compiled else lambda fn: fn)(lambda g: step(weight, speed, 0.1, g, 0.9))(Tensor(X * 0 + 2))
    np.testing.assert_allclose(speed.asnumpy(), np.full((4, 3), 2.9))
    np.testing.assert_allclose(weight.asnumpy(), X - 0.1 * (2 + 0.9 * 2.9 if nesterov else 2.9))
