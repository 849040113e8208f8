"""SGD and Momentum against the same loops in numpy float64, in both modes."""

from minigraph import nn
from tests.nn.optim.formulas import GRADIENTS, START, formulas, single
from tests.tables import error_cases


def momentum(rate, mu, nesterov=False, dampening=0.0, decay=0.0):
    w, v = START.copy(), None
    for g in GRADIENTS:
        g = g + decay * w
        v = g if v is None else mu * v + (1 - dampening) * g
        w = w - rate * (g + mu * v if nesterov else v)
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
]


test_formula_in_both_modes = formulas(FORMULAS)


test_momentum_is_a_float_and_nesterov_needs_it = error_cases(
    (lambda: nn.Momentum(single(), 0.1, 1), TypeError, "'Momentum', the type of 'momentum' should be 'float', but got"),
    (lambda: nn.SGD(single(), 0.1, nesterov=True), ValueError, "'nesterov' is true, 'momentum' must be > 0.0 and 'd"),
)
