"""Activations against numpy, and the table of their names."""

import math

import numpy as np
import pytest

from minigraph import Tensor, nn
from minigraph.nn.activation import ACTIVATIONS, get_activation

X = np.linspace(-3, 3, 13, dtype=np.float32).reshape(1, 13)
WANTED = {
    "relu": np.maximum(X, 0),
    "sigmoid": 1 / (1 + np.exp(-X)),
    "tanh": np.tanh(X),
    "gelu": 0.5 * X * (1 + np.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X**3))),
    "softmax": np.exp(X) / np.exp(X).sum(),
    "logsoftmax": X - np.log(np.exp(X).sum()),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation_by_name_computes_its_formula(name):
    found = get_activation(name)(Tensor(X)).asnumpy()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, WANTED[name], rtol=1e-5, atol=1e-6)


def test_exact_gelu_uses_the_error_function():
    wanted = [0.5 * x * (1 + math.erf(x / math.sqrt(2))) for x in X[0].tolist()]
    np.testing.assert_allclose(nn.GELU(approximate=False)(Tensor(X)).asnumpy()[0], wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layer", [nn.Softmax(0), nn.LogSoftmax(0)])
def test_the_axis_is_used_and_shown(layer):
    assert repr(layer) == f"{type(layer).__name__}(axis=0)"
    assert set(np.unique(layer(Tensor(X)).asnumpy())) <= {0.0, 1.0}


def test_a_cell_and_none_pass_through():
    relu = nn.ReLU()
    assert get_activation(relu) is relu
    assert get_activation(None) is None


def test_an_unknown_name_is_told_the_nearest():
    with pytest.raises(LookupError, match="no activation 'rleu'; did you mean 'relu'?"):
        get_activation("rleu")
    with pytest.raises(TypeError, match="a name or a Cell, got int"):
        get_activation(3)
