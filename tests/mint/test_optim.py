"""Optimizers of ``mint.optim`` against their formulas."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.mint import optim


def steps(make, count=3):
    """The value of a Parameter after some steps with gradients 1, 2, ..."""
    w = ms.Parameter(ms.Tensor([1.0, -2.0]), name="w")
    optimizer = make([w])
    for step in range(count):
        optimizer((ms.Tensor([1.0, -0.5]) * (step + 1),))
    return w.asnumpy()


def adam(decay, decoupled):
    """Adam's formula in float64."""
    w, m, v = np.array([1.0, -2.0]), 0.0, 0.0
    for t in range(1, 4):
        g = np.array([1.0, -0.5]) * t + (0 if decoupled else decay * w)
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        direction = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
        w = w - 0.1 * (direction + (decay * w if decoupled else 0))
    return w


@pytest.mark.parametrize(("kind", "decoupled"), [(optim.Adam, False), (optim.AdamW, True)])
def test_adam(kind, decoupled) -> None:
    result = steps(lambda parameters: kind(parameters, lr=0.1, betas=(0.9, 0.99), weight_decay=0.2))
    np.testing.assert_allclose(result, adam(0.2, decoupled), rtol=1e-5)


def test_sgd_is_that_of_nn() -> None:
    expected = steps(lambda parameters: ms.nn.SGD(parameters, 0.1, 0.9, weight_decay=0.1, nesterov=True))
    result = steps(lambda parameters: optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.1, nesterov=True))
    np.testing.assert_allclose(result, expected, rtol=1e-6)
