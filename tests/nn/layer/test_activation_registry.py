"""Every named activation against its formula in numpy, and errors for other names."""

import math

import numpy as np

from minigraph import Tensor, nn
from minigraph.nn.layer.activation_registry import ACTIVATIONS, get_activation
from tests.tables import error_cases, every

X = np.linspace(-8, 8, 33, dtype=np.float32).reshape(1, 33)
SIGMOID = 1 / (1 + np.exp(-X))
EXPECTED = {
    "elu": np.where(X > 0, X, np.exp(X) - 1),
    "fast_gelu": X / (1 + np.exp(-1.702 * X)),
    "gelu": 0.5 * X * (1 + np.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X**3))),
    "hshrink": np.where(abs(X) > 0.5, X, 0),
    "hsigmoid": np.clip(X / 6 + 0.5, 0, 1),
    "hswish": X * np.clip(X / 6 + 0.5, 0, 1),
    "leakyrelu": np.where(X > 0, X, 0.2 * X),
    "logsigmoid": np.log(SIGMOID),
    "logsoftmax": X - np.log(np.exp(X).sum()),
    "mish": X * np.tanh(np.log1p(np.exp(X))),
    "prelu": np.where(X > 0, X, 0.25 * X),
    "relu": np.maximum(X, 0),
    "relu6": np.clip(X, 0, 6),
    "sigmoid": SIGMOID,
    "silu": X * SIGMOID,
    "softmax": np.exp(X) / np.exp(X).sum(),
    "softshrink": np.sign(X) * np.maximum(abs(X) - 0.5, 0),
    "softsign": X / (1 + abs(X)),
    "tanh": np.tanh(X),
}


@every(name=ACTIVATIONS)
def test_activation_by_name_computes_its_formula(name):
    result = get_activation(name)(Tensor(X)).asnumpy()
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, EXPECTED[name], rtol=1e-5, atol=1e-6)


def test_a_cell_and_none_pass_through():
    relu = nn.ReLU()
    assert get_activation(relu) is relu
    assert get_activation(None) is None


test_unknown_names_suggest_the_nearest = error_cases(
    (lambda: get_activation("rleu"), LookupError, "no activation 'rleu'; did you mean 'relu'?"),
    (lambda: get_activation(3), TypeError, "a name or a Cell, got int"),
    (lambda: get_activation("rleu", "Net"), LookupError, "^Net: no activation 'rleu'"),
)
