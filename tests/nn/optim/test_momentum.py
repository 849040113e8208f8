"""The formulas of the optimizers, against the same loops in numpy float64."""

import numpy as np
import pytest

from minigraph import nn
from tests.nn.optim.formulas import GRADIENTS, START, formulas, single, stepped
from tests.tables import cases, every, refusals


def momentum(rate, mu, nesterov=False, dampening=0.0, decay=0.0):
    w, v = START.copy(), None
    for g in GRADIENTS:
        g = g + decay * w
        v = g if v is None else mu * v + (1 - dampening) * g
        w = w - rate * (g + mu * v if nesterov else v)
    return w


def adam(gradients, rate, beta1=0.9, beta2=0.999, eps=1e-8, nesterov=False, largest=False):
    w, m, v, top = START.copy(), 0, 0, 0
    for t, g in enumerate(gradients, 1):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        top = np.maximum(top, v)
        along = beta1 * m + (1 - beta1) * g if nesterov else m
        w = w - rate * np.sqrt(1 - beta2**t) / (1 - beta1**t) * along / (np.sqrt(top if largest else v) + eps)
    return w


def adam_weight_decay(rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    w, m, v = START.copy(), 0, 0
    for g in GRADIENTS:
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        w = w - rate * (m / (np.sqrt(v) + eps) + decay * w)
    return w


FORMULAS = [
    (lambda p: nn.SGD(p, 0.1), START - 0.1 * sum(GRADIENTS)),
    (lambda p: nn.SGD(p, 0.1, 0.9), momentum(0.1, 0.9)),
    (lambda p: nn.SGD(p, 0.1, 0.9, nesterov=True), momentum(0.1, 0.9, nesterov=True)),
    (lambda p: nn.SGD(p, 0.1, 0.9, dampening=0.3), momentum(0.1, 0.9, dampening=0.3)),
    (lambda p: nn.SGD(p, 0.1, 0.9, weight_decay=0.1), momentum(0.1, 0.9, decay=0.1)),
    (lambda p: nn.Momentum(p, 0.1, 0.9), momentum(0.1, 0.9)),
    (lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=True), momentum(0.1, 0.9, nesterov=True)),
    (lambda p: nn.Momentum(p, 0.1, 0.9, 0.1), momentum(0.1, 0.9, decay=0.1)),
    (lambda p: nn.Adam(p), adam(GRADIENTS, 1e-3)),
    (lambda p: nn.Adam(p, 0.1, 0.8, 0.9, 1e-3), adam(GRADIENTS, 0.1, 0.8, 0.9, 1e-3)),
    (lambda p: nn.Adam(p, 0.1, use_nesterov=True), adam(GRADIENTS, 0.1, nesterov=True)),
    (lambda p: nn.Adam(p, 0.1, beta2=0.5, use_amsgrad=True), adam(GRADIENTS, 0.1, beta2=0.5, largest=True)),
    (lambda p: nn.AdamWeightDecay(p, 0.01), adam_weight_decay(0.01, 0.0)),
    (lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1), adam_weight_decay(0.01, 0.1)),
]


test_formula_in_both_modes = formulas(FORMULAS)


def test_adams_eps_stands_beside_the_uncorrected_square_root():
    tiny = [g * 1e-8 for g in GRADIENTS]
    np.testing.assert_allclose(stepped(lambda p: nn.Adam(p, 0.1), tiny), adam(tiny, 0.1), rtol=1e-4)
    corrected = adam(tiny[:1], 0.1, eps=1e-8 * np.sqrt(1 - 0.999))  # what eps beside sqrt(v / (1 - b2)) would give
    assert np.abs(corrected - adam(tiny[:1], 0.1)).max() > 1e-2


test_momentum_is_a_float_and_nesterov_needs_it = refusals(
    (lambda: nn.Momentum(single(), 0.1, 1), TypeError, "'Momentum', the type of 'momentum' should be 'float', but got"),
    (lambda: nn.SGD(single(), 0.1, nesterov=True), ValueError, "'nesterov' is true, 'momentum' must be > 0.0 and 'd"),
)


@every(kind=[nn.Adam, nn.AdamWeightDecay])
@cases(
    ({"beta1": 1.0}, ValueError, "the 'beta1' must be in range of .0.0, 1.0., but got 1.0 with type 'float'"),
    ({"beta2": -0.1}, ValueError, "the 'beta2' must be in range"),
    ({"beta1": 0}, TypeError, "the type of 'beta1' should be 'float', but got type 'int'"),
    ({"eps": 0.0}, ValueError, "the 'eps' must be float and must > 0, but got '0.0'"),
    ({"eps": 1}, TypeError, "the type of 'eps' should be 'float', but got type 'int'"),
)
def test_betas_and_eps_are_checked(kind, wrong, error, text):
    with pytest.raises(error, match=f"For '{kind.__name__}', {text}"):
        kind(single(), **wrong)
