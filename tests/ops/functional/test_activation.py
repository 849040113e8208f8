"""Activation functions against their formulas, in both modes, with gradients."""

import numpy as np
import pytest
from scipy.special import erf, expit

from minigraph import Tensor, errors, float16, grad, ops
from tests.ops.functional.checks import check_function, gradient_test, in_both_modes
from tests.tables import error_cases

X = np.array([[1.6, -0.6, -0.55], [-1.1, 0.9, -4.3]], np.float32)


softplus = np.logaddexp(0, X)


CASES = [
    (lambda x: ops.elu(x), np.where(X > 0, X, np.expm1(X))),
    (lambda x: ops.elu(x, 2.0), np.where(X > 0, X, 2 * np.expm1(X))),
    (lambda x: ops.celu(x, 2.0), np.where(X > 0, X, 2 * np.expm1(X / 2))),
    (lambda x: ops.selu(x), 1.05070098 * np.where(X > 0, X, 1.67326324 * np.expm1(X))),
    (lambda x: ops.mish(x), X * np.tanh(softplus)),
    (lambda x: ops.fast_gelu(x), X * expit(1.702 * X)),
    (lambda x: ops.glu(x, 0), X[:1] * expit(X[1:])),
    (lambda x: ops.logsigmoid(x), np.log(expit(X))),
    (lambda x: ops.relu6(x * 6), np.clip(6 * X, 0, 6)),
    (lambda x: ops.hardtanh(x), np.clip(X, -1, 1)),
    (lambda x: ops.hardtanh(x, -2.0, 0.5), np.clip(X, -2, 0.5)),
    (lambda x: ops.hardsigmoid(x * 3), np.clip(X / 2 + 0.5, 0, 1)),
    (lambda x: ops.hardswish(x * 3), 3 * X * np.clip(X / 2 + 0.5, 0, 1)),
    (lambda x: ops.hardshrink(x, 0.58), np.where(np.abs(X) > 0.58, X, 0)),
    (lambda x: ops.softshrink(x), np.sign(X) * np.maximum(np.abs(X) - 0.5, 0)),
    (lambda x: ops.threshold(x, 0.1, 9.0), np.where(X > 0.1, X, 9)),
    (lambda x: ops.softsign(x), X / (1 + np.abs(X))),
    (lambda x: ops.tanhshrink(x), X - np.tanh(X)),
    (lambda x: ops.softmin(x, 0), np.exp(-X) / np.exp(-X).sum(0)),
    (lambda x: ops.prelu(x, Tensor([0.1, 0.2, 0.3], x.dtype)), np.where(X > 0, X, X * [0.1, 0.2, 0.3])),
    (lambda x: ops.prelu(x, Tensor([0.1], x.dtype)), np.where(X > 0, X, X * 0.1)),
]


@pytest.mark.parametrize(("fn", "expected"), CASES)
def test_values(fn, expected):
    result = in_both_modes(fn, Tensor(X))
    assert result.dtype == X.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


test_gradients = gradient_test([fn for fn, _ in CASES], X)


def test_prelu_per_channel_and_float16():
    # channels have weights of their own
    x, weight = np.random.default_rng(0).normal(size=(2, 3, 4)), np.array([0.1, 0.2, 0.3])
    expected = np.where(x > 0, x, x * weight[:, None])
    np.testing.assert_allclose(ops.prelu(Tensor(x), Tensor(weight)).asnumpy(), expected)
    # narrow floats stay narrow
    assert ops.hardsigmoid(Tensor([1.0], float16)).dtype is float16
    assert ops.selu(Tensor([-1.0], float16)).dtype is float16
    # gelu is between the fast one and itself
    assert np.abs(ops.fast_gelu(Tensor(X)).asnumpy() - (X * (1 + erf(X / np.sqrt(2))) / 2)).max() < 0.03


def test_rrelu_and_gumbel_softmax():
    # random slopes are between their bounds
    result = ops.rrelu(Tensor(np.full(200, -1.0)), 0.2, 0.4).asnumpy()
    assert -0.4 <= result.min() < result.max() <= -0.2
    assert ops.rrelu(Tensor([2.0])).tolist() == [2.0]
    # sampled classes
    logits = Tensor(np.log([[0.2, 0.8]] * 400))
    soft, hard = ops.gumbel_softmax(logits), ops.gumbel_softmax(logits, hard=True)
    np.testing.assert_allclose(soft.asnumpy().sum(1), 1, rtol=1e-6)
    assert set(hard.asnumpy().ravel().round(6)) == {0.0, 1.0}
    assert hard.asnumpy()[:, 1].mean() == pytest.approx(0.8, abs=0.06)
    assert np.abs(ops.gumbel_softmax(logits, 0.01).asnumpy() - 0.5).min() > 0.0


test_errors = error_cases(
    (
        lambda: ops.glu(Tensor(X)),
        errors.ShapeError,
        r"glu: axis -1 of f32\[2,3\] has 3 elements; the number must be even",
    ),
    (lambda: ops.celu(Tensor(X), 0), errors.UsageError, "celu: x is divided by alpha, which is 0"),
)


RANDOM = np.random.default_rng(9)
VOLUME = RANDOM.standard_normal((2, 3, 4))


def test_gated_activations():
    first, second = VOLUME[..., :2], VOLUME[..., 2:]
    check_function(ops.swiglu, first / (1 + np.exp(-first)) * second, VOLUME)


def test_activations_at_breakpoints():
    # softmax casts to dtype first
    assert ops.softmax(Tensor([1, 2]), dtype=Tensor(1.0).dtype).array.sum() == pytest.approx(1)
    np.testing.assert_allclose(ops.leaky_relu(Tensor([-1.0, 2.0]), 0.1).array, [-0.1, 2.0], rtol=1e-6)
    # softplus is a line above its threshold
    x = Tensor([-1.0, 0.5, 3.0])
    reference = [np.log1p(np.exp(-2)) / 2, np.log1p(np.e) / 2, 3]
    np.testing.assert_allclose(ops.softplus(x, 2, 4).array, reference, rtol=1e-6)
    # leaky relu shares the gradient at zero
    assert grad(lambda x: ops.leaky_relu(x, 0.5))(Tensor([-2.0, 0.0, 2.0])).tolist() == [0.5, 0.75, 1.0]
