"""The LSTM primitive, against the layer."""

import numpy as np
import pytest

from minigraph import Tensor, nn, ops


def test_it_is_the_layer_without_biases():
    layer = nn.LSTM(3, 4, has_bias=False)
    weights = ops.concat([weight.reshape(-1) for weight in layer.get_parameters()])
    x = Tensor(np.random.default_rng(0).normal(size=(5, 2, 3)).astype(np.float32))
    h, c = ops.ones((1, 2, 4)), ops.zeros((1, 2, 4))
    outputs, (last, cell) = layer(x, (h, c))
    results = ops.LSTM(3, 4, 1, False, False, 0.0)(x, h, c, weights)
    for result, expected in zip(results[:3], (outputs, last, cell), strict=True):
        np.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), atol=1e-6)
    with pytest.raises(ValueError, match="one layer and one direction"):
        ops.LSTM(3, 4, 2, False, False, 0.0)(x, h, c, weights)
    with pytest.raises(ValueError, match="needs 112 weights"):
        ops.LSTM(3, 4, 1, False, False, 0.0)(x, h, c, weights[1:])
