"""Activations and softmax against formulas in higher precision."""

import math

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, float32, grad
from minigraph.core.op import apply, op_named
from tests.tables import every

X = np.linspace(-6, 6, 49)
FORMULAS = {
    "relu": lambda x: max(x, 0.0),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "silu": lambda x: x / (1 + math.exp(-x)),
    "softplus": lambda x: math.log1p(math.exp(x)),
    "gelu": lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2)),
}


@every(name=FORMULAS)
def test_activations_are_their_formulas_and_stay_in_their_precision(name):
    np.testing.assert_allclose(apply(name, Tensor(X)).array, [FORMULAS[name](x) for x in X], rtol=1e-13, atol=1e-15)
    assert apply(name, Tensor(X, float16)).dtype is float16


def test_gelu_by_tanh_softmax_of_huge_values_and_its_work():
    # gelu by tanh
    inner = np.sqrt(2 / np.pi) * (X + 0.044715 * X**3)
    result = apply("gelu", Tensor(X), approximate="tanh").array
    np.testing.assert_allclose(result, 0.5 * X * (1 + np.tanh(inner)), rtol=1e-12)
    with pytest.raises(errors.UsageError, match="approximate is 'none' or 'tanh'"):
        apply("gelu", Tensor(X), approximate="no")
    # softmax of huge values does not overflow
    assert apply("softmax", Tensor([1e30, 1e30, 0.0])).tolist() == [0.5, 0.5, 0.0]
    # their work sees whole rows: maximum, sum, and the results of softmax
    x, sums = Tensor(np.zeros((8, 16), np.float32)), Tensor(np.zeros(8, np.float32))
    for name, out, passes in (("softmax", x, 3), ("log_softmax", x, 3), ("logsumexp", sums, 2)):
        work = op_named(name).work(out.type, x.type, axis=1 if out is x else (1,))
        assert (work.rows, work.passes, work.exact) == ((8, 16), passes, True)
        assert dict(work.lanes)["reduce"] == 2 * x.size and dict(work.lanes)["special"] >= x.size


@pytest.mark.parametrize("value", [-1e4, 1e4])
def test_nothing_overflows_for_large_values(value):
    for name in FORMULAS:
        assert np.isfinite(apply(name, Tensor(value, float32)).item())
        assert np.isfinite(grad(lambda x, name=name: apply(name, x))(Tensor(value, float32)).item())


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_sums_to_one_and_matches_its_logarithm(axis):
    x = Tensor(np.random.default_rng(0).normal(size=(3, 4)) * 50)
    result = apply("softmax", x, axis=axis)
    np.testing.assert_allclose(result.array.sum(axis), 1, rtol=1e-14)
    np.testing.assert_allclose(np.exp(apply("log_softmax", x, axis=axis).array), result.array, rtol=1e-12)
