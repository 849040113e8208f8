"""The gamma function and its relatives: MindSpore's numbers, identities, and gradients by finite differences."""

import math

import numpy as np
import pytest

from minigraph import Tensor, grad, ops
from tests.ops.functional.checks import in_both_modes
from tests.tables import error_cases

X = np.array([0.3, 1.0, 2.5, 7.0, 40.0])
A = np.array([0.4, 2.0, 3.0, 9.0, 35.0])

# printed by MindSpore 2.10 for these calls
RECORDED = [
    (lambda: ops.igamma(Tensor([1.0, 2, 3]), Tensor([0.0, 1, 2])), [0.0, 0.2642410695552826, 0.32332348823547363]),
    (lambda: ops.igammac(Tensor([1.0, 2, 3]), Tensor([0.0, 1, 2])), [1.0, 0.735758900642395, 0.6766765117645264]),
    (lambda: ops.zeta(Tensor([1.5, 2.5, 3.5]), Tensor([1.0, 2, 3])),
     [2.612375259399414, 0.34148725867271423, 0.038345519453287125]),
    (lambda: ops.polygamma(Tensor(1), Tensor([1.0, 2, 3])),
     [1.644934058189392, 0.6449341177940369, 0.3949340581893921]),
    (lambda: ops.mvlgamma(Tensor([2.0, 3, 4]), 2), [0.4515827000141144, 1.5501949787139893, 3.5650978088378906]),
    (lambda: ops.digamma(Tensor([0.0, 1, 2])), [-np.inf, -0.5772157, 0.4227842092514038]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), RECORDED)
def test_mindspores_numbers(call, expected):
    np.testing.assert_allclose(call().asnumpy(), expected, rtol=2e-6)


def test_log_gamma_equals_the_standard_library():
    points = np.concatenate([X, -X - 0.1])
    expected = [math.lgamma(x) for x in points]
    np.testing.assert_allclose(in_both_modes(ops.lgamma, Tensor(points)), expected, rtol=1e-13, atol=1e-14)
    assert ops.lgamma(Tensor([0.0, -1.0])).tolist() == [np.inf, np.inf]


def test_recurrences_and_complements():
    x, a = Tensor(X), Tensor(A)
    np.testing.assert_allclose((ops.digamma(x + 1) - ops.digamma(x)).asnumpy(), 1 / X, rtol=1e-11)
    np.testing.assert_allclose((ops.zeta(a + 1.5, x) - ops.zeta(a + 1.5, x + 1)).asnumpy(), X ** -(A + 1.5), rtol=1e-9)
    np.testing.assert_allclose((ops.igamma(a, x) + ops.igammac(a, x)).asnumpy(), 1, rtol=1e-12)
    np.testing.assert_allclose(ops.igamma(Tensor([1.0] * 5).astype(x.dtype), x).asnumpy(), -np.expm1(-X), rtol=1e-12)


SMOOTH = {
    "lgamma": (ops.lgamma, X),
    "digamma": (ops.digamma, X),
    "polygamma": (lambda x: ops.polygamma(Tensor(2), x), X),
    "mvlgamma": (lambda x: ops.mvlgamma(x, 2), X + 2),
    "zeta": (lambda x: ops.zeta(Tensor(A + 2), x), X),
    "igamma by x": (lambda x: ops.igamma(Tensor(A), x), X),
    "igamma by a": (lambda a: ops.igamma(a, Tensor(X)), A),
    "igammac by a": (lambda a: ops.igammac(a, Tensor(X)), A),
}


@pytest.mark.parametrize(("function", "at"), SMOOTH.values(), ids=SMOOTH)
def test_gradient_is_the_slope(function, at):
    step = 1e-5 * np.maximum(1, np.abs(at))
    slope = (function(Tensor(at + step)) - function(Tensor(at - step))).asnumpy() / (2 * step)
    gradient = grad(lambda x: function(x).sum())(Tensor(at)).asnumpy()
    np.testing.assert_allclose(gradient, slope, rtol=2e-6, atol=1e-9)


def test_gradients_are_summed_over_broadcast_axes():
    by_a, by_x = grad(lambda a, x: ops.igamma(a, x).sum(), (0, 1))(Tensor([2.0]), Tensor([1.0, 3.0]))
    assert (by_a.shape, by_x.shape) == ((1,), (2,))


test_errors = error_cases(
    (lambda: ops.polygamma(Tensor(-1), Tensor([1.0])), ValueError, "n must not be negative"),
    (lambda: ops.digamma(Tensor([1])), TypeError, "needs a float tensor"),
)
