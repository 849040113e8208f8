"""The usual activations: what they take and print."""

import math

import numpy as np
import pytest

from minigraph import Tensor, nn
from tests.nn.cells import assert_close
from tests.tables import every

X = np.linspace(-3, 3, 13, dtype=np.float32).reshape(1, 13)


def test_exact_gelu_uses_the_error_function():
    wanted = [0.5 * x * (1 + math.erf(x / math.sqrt(2))) for x in X[0].tolist()]
    assert_close(nn.GELU(approximate=False)(Tensor(X)), [wanted])


@pytest.mark.parametrize("layer", [nn.Softmax(0), nn.LogSoftmax(0)])
def test_the_axis_is_used_and_not_shown(layer):
    assert repr(layer) == f"{type(layer).__name__}()"
    assert set(np.unique(layer(Tensor(X)).asnumpy())) <= {0.0, 1.0}


@every(layer=[nn.ReLU, nn.SiLU, nn.Tanh])
def test_activations_without_arguments_refuse_them(layer):
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        layer(1)
