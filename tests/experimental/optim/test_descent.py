"""Gradient descent with momentum and with step sizes by element: values of MindSpore 2.10, in both modes."""

import pytest

import minigraph as ms
from minigraph.experimental import optim
from tests.experimental.optim.values import check_values

VALUES = [
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
     [[0.791, 2.152, -3.323, -0.0795], [0.66461, 2.09807, -3.27524, -1.13165], [-1.4174, 3.48578, -6.28209, -3.34542]]),
    (optim.SGD, {"lr": 0.1, "maximize": True, "momentum": 0.9, "dampening": 0.1},
     [[1.1, 1.9, -2.8, 0.8], [1.19, 1.81, -2.62, 1.6595], [2.70467, 0.29533, 0.40934, 4.02571]]),
    (optim.Adadelta, {"weight_decay": 0.1, "maximize": True},
     [[1.00316, 1.99684, -2.99684, 0.50316], [1.00279, 1.99601, -2.99619, 0.50668],
     [1.01909, 1.97841, -2.97864, 0.51072]]),
    (optim.Adagrad, {"lr_decay": 0.1, "initial_accumulator_value": 0.5, "weight_decay": 0.1},
     [[0.99159, 2.00749, -3.00923, 0.49026], [0.992, 2.00441, -3.0063, 0.48383], [0.97792, 2.01652, -3.01933, 0.4786]]),
    (optim.ASGD, {"lr": 0.1, "t0": 0.0, "alpha": 0.5, "weight_decay": 0.1},
     [[0.88999, 2.07998, -3.16997, 0.19499], [0.87126, 2.03955, -3.10883, -0.05739],
     [0.33844, 2.42957, -3.93647, -0.31376]]),
    (optim.RMSprop, {"lr": 0.1, "momentum": 0.9, "centered": True, "weight_decay": 0.1},
     [[-0.00504, 3.00504, -4.00504, -0.50504], [-0.9946, 3.51841, -4.64838, -3.28946],
     [-8.3275, 8.9069, -11.35539, -8.87614]]),
    (optim.Rprop, {"lr": 0.1},
     [[0.9, 2.1, -3.1, 0.4], [0.85, 2.15, -3.15, 0.136], [0.4035, 2.5965, -3.5965, -1.14991]]),
]  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda optimizer: optimizer, ms.jit], ids=["pynative", "jit"])
@pytest.mark.parametrize(("kind", "settings", "expected"), VALUES)
def test_values_after_some_steps(kind, settings, expected, wrap) -> None:
    check_values(kind, settings, expected, wrap)
