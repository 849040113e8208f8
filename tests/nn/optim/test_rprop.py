"""Rprop: parameters after four steps, recorded from MindSpore 2.10, the rule, and errors."""

import numpy as np

from minigraph import nn
from tests.nn.optim.formulas import GRADIENTS, START, formulas, run_steps, single
from tests.tables import error_cases


def rprop(rate=0.1, etas=(0.5, 1.2), sizes=(1e-6, 50.0)):
    w, size, before = START.copy(), np.full(3, rate), np.zeros(3)
    for g in GRADIENTS:
        same = before * g
        size = np.where(same > 0, np.minimum(size * etas[1], sizes[1]), size)
        size = np.where(same < 0, np.maximum(size * etas[0], sizes[0]), size)
        before = np.where(same < 0, 0, g)
        w = w - size * np.sign(before)
    return w


test_formula_in_both_modes = formulas(
    [(nn.Rprop, rprop()), (lambda p: nn.Rprop(p, 0.5, (0.3, 2.0), (0.1, 0.6)), rprop(0.5, (0.3, 2.0), (0.1, 0.6)))]
)


def test_mindspores_numbers():
    expected = [0.7199999690055847, 2.2799997329711914, 2.7200002670288086]
    np.testing.assert_allclose(run_steps(nn.Rprop), expected, rtol=1e-6)
    expected = [-0.2800000309944153, 3.2799999713897705, 1.7200000286102295]
    result = run_steps(lambda p: nn.Rprop(p, 0.5, (0.3, 2.0), (0.1, 0.6), 0.01))
    np.testing.assert_allclose(result, expected, rtol=1e-5)


test_errors = error_cases(
    (lambda: nn.Rprop(single(), etas=[0.5, 1.2]), TypeError, "etas"),
    (lambda: nn.Rprop(single(), etas=(0.5, 1.2, 2.0)), ValueError, "length"),
    (lambda: nn.Rprop(single(), etas=(1.5, 1.2)), ValueError, "below and above 1"),
    (lambda: nn.Rprop(single(), step_sizes=(2.0, 1.0)), ValueError, "maximal step size"),
)
