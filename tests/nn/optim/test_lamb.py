"""Lamb: the same loop in numpy float64, in both modes."""

import numpy as np

from minigraph import Parameter, Tensor, nn
from tests.nn.cells import names
from tests.nn.optim.formulas import GRADIENTS, START, formulas, single
from tests.tables import error_cases


def lamb(rate, beta1=0.9, beta2=0.999, eps=1e-6, decay=0.0):
    w, m, v = START.copy(), 0, 0
    for t, g in enumerate(GRADIENTS, 1):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        r = m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps) + decay * w
        w = w - rate * np.linalg.norm(w) / np.linalg.norm(r) * r
    return w


FORMULAS = [
    (lambda p: nn.Lamb(p, 0.1), lamb(0.1)),
    (lambda p: nn.Lamb(p, 0.05, 0.8, 0.99, 1e-3, 0.02), lamb(0.05, 0.8, 0.99, 1e-3, 0.02)),
]


test_formula_in_both_modes = formulas(FORMULAS, 2e-5)


def test_states_have_mindspores_names():
    assert names(nn.Lamb(single(), learning_rate=0.1)) == ["global_step", "learning_rate", "w", "lamb_m.w", "lamb_v.w"]


def test_zero_parameters_and_zero_gradients():
    w = Parameter(Tensor([0.0, 0.0]), name="w")
    optimizer = nn.Lamb([w], 0.5)
    optimizer((Tensor([0.0, 0.0]),))
    assert w.tolist() == [0, 0]
    optimizer((Tensor([1.0, -1.0]),))
    assert w.asnumpy()[0] < 0 < w.asnumpy()[1]


test_invalid_arguments_raise = error_cases(
    (lambda p: nn.Lamb(p, 0.1, beta2=1.5), ValueError, r"'beta2' must be in range of \(0.0, 1.0\), but got 1.5"),
    (lambda p: nn.Lamb(p, 0.1, eps=0.0), ValueError, "'eps' must be float and must > 0, but got '0.0'"),
    by=lambda make: make(single()),
)
