"""Every layer and loss: its gradient against central differences along a random direction, in float64."""

import numpy as np
import pytest

from minigraph import Tensor, float64, grad, set_seed
from minigraph.core.pytree import leaves_of
from tests.nn.test_both_modes import CASES

DIFFERENCE_STEP = 1e-6
LAYERS_WITHOUT_FLOATS = ("OneHot", "Range", "SparseToDense")  # among the operands
FLOAT32_LAYERS = ("PSNR",)  # whatever the operands' dtype: too few digits for differences
EXCLUDED_LAYERS = LAYERS_WITHOUT_FLOATS + FLOAT32_LAYERS
EVALUATION_CASES = [case for case in CASES if not case.values[2] and not case.id.startswith(EXCLUDED_LAYERS)]


def as_float64(value):
    if isinstance(value, tuple):
        return tuple(map(as_float64, value))
    return value.astype(float64) if isinstance(value, Tensor) and value.dtype.is_float else value


def float64_layer(make):
    """The layer with float64 Parameters in evaluation mode, so that it is deterministic."""
    set_seed(11)
    layer = make().set_train(False)
    for parameter in layer.get_parameters():
        parameter.array = parameter.array.astype(np.float64)
    for name, value in vars(layer).items():
        if type(value) is Tensor:
            object.__setattr__(layer, name, as_float64(value))
    return layer


def gradients(weighted_sum, inputs, positions, weights):
    """Gradients by the inputs at these positions, then by the weights."""
    by_input = grad(weighted_sum, tuple(positions))(*inputs) if positions else ()
    by_weight = grad(weighted_sum, None, weights)(*inputs) if weights else ()
    return [*(by_input if isinstance(by_input, tuple) else (by_input,)), *by_weight]


@pytest.mark.parametrize(("make", "inputs", "training"), EVALUATION_CASES)
def test_gradient_along_a_direction(make, inputs, training):
    layer, inputs, rng = float64_layer(make), [as_float64(x) for x in inputs], np.random.default_rng(5)
    positions = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.dtype.is_float]
    weights = layer.trainable_params()
    start = [inputs[i].asnumpy() for i in positions] + [p.asnumpy() for p in weights]
    directions = [rng.normal(size=x.shape) for x in start]

    def weighted_sum(*operands):
        """The outputs, each element times its own weight, as one number; random slopes come from one seed."""
        set_seed(11)
        leaves = leaves_of(layer(*operands), lambda leaf: isinstance(leaf, Tensor))
        parts = [(leaf * np.cos(np.arange(leaf.size)).reshape(leaf.shape).tolist()).sum() for leaf in leaves]
        return sum(parts[1:], parts[0])

    def loss_at(step):
        values = [x + step * direction for x, direction in zip(start, directions, strict=True)]
        operands = list(inputs)
        for i, value in zip(positions, values, strict=False):
            operands[i] = Tensor(value)
        for parameter, value in zip(weights, values[len(positions) :], strict=True):
            parameter.array = value
        return weighted_sum(*operands).item()

    result = gradients(weighted_sum, inputs, positions, weights)
    assert len(result) == len(start) > 0
    slope = sum((g.asnumpy() * direction).sum() for g, direction in zip(result, directions, strict=True))
    difference = (loss_at(DIFFERENCE_STEP) - loss_at(-DIFFERENCE_STEP)) / (2 * DIFFERENCE_STEP)
    np.testing.assert_allclose(slope, difference, rtol=1e-6, atol=1e-8)
