"""Activation functions: formulas, arguments, large inputs."""

import math

import numpy as np
import pytest

from minigraph import Tensor, float16, grad, nn, ops
from tests.nn.cells import assert_close
from tests.nn.function_layers import IMAGES
from tests.tables import cases, error_cases, every

X = np.linspace(-3, 3, 13, dtype=np.float32).reshape(1, 13)
EVERY = [
    nn.CELU, nn.ELU, nn.FastGelu, nn.LogSigmoid, nn.Mish, nn.SeLU, nn.SiLU, nn.Softmin, nn.Softsign, nn.Tanhshrink,
]  # fmt: skip


@cases(
    (nn.CELU(2.0), np.where(X > 0, X, 2 * (np.exp(X / 2) - 1))),
    (nn.ELU(0.5), np.where(X > 0, X, 0.5 * (np.exp(X) - 1))),
    (nn.SeLU(), 1.05070098 * np.where(X > 0, X, 1.67326324 * (np.exp(X) - 1))),
    (nn.Softmin(), np.exp(-X) / np.exp(-X).sum()),
    (nn.Tanhshrink(), X - np.tanh(X)),
    ids=lambda value: type(value).__name__,
)
def test_layers_compute_their_formula(layer, expected):
    assert_close(layer(Tensor(X)), expected)


@every(kind=EVERY, ids=lambda kind: kind.__name__)
@every(value=[-200.0, 200.0])
def test_large_inputs_do_not_overflow(kind, value):
    x = Tensor([[value]])
    assert np.isfinite(kind()(x).asnumpy()).all()
    assert np.isfinite(grad(kind())(x).asnumpy()).all()


@every(kind=EVERY, ids=lambda kind: kind.__name__)
def test_the_dtype_is_kept_and_arguments_are_not_printed(kind):
    assert kind()(Tensor(X.astype(np.float16))).dtype is float16
    assert repr(kind()) == f"{kind.__name__}()"


def test_softmax2d_over_channels():
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(IMAGES)).asnumpy().sum(1), 1)
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(IMAGES[0])).asnumpy().sum(0), 1)


test_invalid_arguments_raise = error_cases(
    (lambda: nn.CELU(0.0), "the 'alpha' must not be 0"),
    (lambda: nn.Softmax2d()(ops.ones((2, 3))), r"must have 3 or 4 dims, but got shape \[2, 3\]"),
    error=ValueError,
)


def test_exact_gelu_uses_the_error_function():
    expected = [0.5 * x * (1 + math.erf(x / math.sqrt(2))) for x in X[0].tolist()]
    assert_close(nn.GELU(approximate=False)(Tensor(X)), [expected])


@pytest.mark.parametrize("layer", [nn.Softmax(0), nn.LogSoftmax(0)])
def test_the_axis_is_used_and_not_printed(layer):
    assert repr(layer) == f"{type(layer).__name__}()"
    assert set(np.unique(layer(Tensor(X)).asnumpy())) <= {0.0, 1.0}


@every(layer=[nn.ReLU, nn.SiLU, nn.Tanh])
def test_activations_without_arguments_reject_them(layer):
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        layer(1)
