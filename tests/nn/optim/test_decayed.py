"""AdamW and RMSProp against the same loops in numpy float64, in both modes."""

import numpy as np
import pytest

from minigraph import nn
from tests.nn.optim.formulas import GRADIENTS, START, formulas, single, stepped
from tests.tables import cases


def adamw(rates, decay=0.01, beta1=0.9, beta2=0.999, eps=1e-8, gradients=GRADIENTS):
    w, m, v = START.copy(), 0, 0
    for t, (g, rate) in enumerate(zip(gradients, rates, strict=True), 1):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        w = w - rate * (m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps) + decay * w)
    return w


def rmsprop(rate, decay=0.9, momentum=0.0, eps=1e-10, centered=False, weight_decay=0.0):
    w, s, mean, m = START.copy(), 1, 0, 0  # MindSpore's mean square starts at 1
    for g in GRADIENTS:
        g = g + weight_decay * w
        s, mean = decay * s + (1 - decay) * g * g, decay * mean + (1 - decay) * g
        m = momentum * m + rate * g / np.sqrt(s - centered * mean * mean + eps)
        w = w - m
    return w


RATES = [0.1, 0.05, 0.02, 0.01]
FORMULAS = [
    (lambda p: nn.AdamW(p), adamw([1e-3] * 4)),
    (lambda p: nn.AdamW(p, 0.1, 0.8, 0.9, 1e-3, 0.3), adamw([0.1] * 4, 0.3, 0.8, 0.9, 1e-3)),
    (lambda p: nn.AdamW(p, RATES), adamw(RATES)),
    (lambda p: nn.AdamW(p, 0.1, loss_scale=2.0), adamw([0.1] * 4, gradients=[g / 2 for g in GRADIENTS])),
    (lambda p: nn.RMSProp(p), rmsprop(0.1)),
    (lambda p: nn.RMSProp(p, 0.05, 0.8, 0.7, 1e-3), rmsprop(0.05, 0.8, 0.7, 1e-3)),
    (lambda p: nn.RMSProp(p, 0.05, 0.8, 0.7, 1e-3, centered=True), rmsprop(0.05, 0.8, 0.7, 1e-3, True)),
    (lambda p: nn.RMSProp(p, weight_decay=0.1), rmsprop(0.1, weight_decay=0.1)),
]


test_formula_in_both_modes = formulas(FORMULAS)


def test_every_parameter_of_adamw_decays_and_its_eps_stands_beside_the_corrected_root():
    quiet = [np.zeros(3)] * 4
    np.testing.assert_allclose(stepped(lambda p: nn.AdamW(p, 0.1, weight_decay=0.5), quiet, "gamma"), START * 0.95**4)
    tiny = [g * 1e-8 for g in GRADIENTS]
    found = stepped(lambda p: nn.AdamW(p, 0.1, weight_decay=0.0), tiny)
    np.testing.assert_allclose(found, adamw([0.1] * 4, 0.0, gradients=tiny), rtol=1e-4)
    assert np.abs(found - stepped(lambda p: nn.Adam(p, 0.1), tiny)).max() > 1e-2


@cases(
    (nn.AdamW, {"beta1": 1.0}),
    (nn.AdamW, {"eps": -1.0}),
    (nn.AdamW, {"weight_decay": -1.0}),
    (nn.RMSProp, {"decay": -0.1}),
    (nn.RMSProp, {"momentum": -0.1}),
    (nn.RMSProp, {"epsilon": 0.0}),
)
def test_constants_are_checked(kind, wrong):
    with pytest.raises(ValueError, match=f"For '{kind.__name__}'"):
        kind(single(), **wrong)
