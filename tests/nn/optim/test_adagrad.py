"""Adagrad, Adadelta and RMSProp: recorded results of MindSpore, and the same loops in numpy float64, in both modes."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, nn
from tests.nn.cells import names
from tests.nn.optim.formulas import GRADIENTS, START, formulas, single
from tests.tables import cases, error_cases


def adagrad(rate=0.001, accum=0.1, decay=0.0, scale=1.0, update=True):
    w, s = START.copy(), accum
    for g in GRADIENTS:
        g = g / scale + decay * w
        s = s + g * g * update
        w = w - rate * g / np.sqrt(s)
    return w


def adadelta(rate=1.0, rho=0.9, eps=1e-6, decay=0.0):
    w, s, u = START.copy(), 0, 0
    for g in GRADIENTS:
        g = g + decay * w
        s = rho * s + (1 - rho) * g * g
        d = np.sqrt(u + eps) / np.sqrt(s + eps) * g
        u = rho * u + (1 - rho) * d * d
        w = w - rate * d
    return w


def rmsprop(rate, decay=0.9, momentum=0.0, eps=1e-10, centered=False, weight_decay=0.0):
    w, s, mean, m = START.copy(), 1, 0, 0  # MindSpore's mean square starts at 1
    for g in GRADIENTS:
        g = g + weight_decay * w
        s, mean = decay * s + (1 - decay) * g * g, decay * mean + (1 - decay) * g
        m = momentum * m + rate * g / np.sqrt(s - centered * mean * mean + eps)
        w = w - m
    return w


FORMULAS = [
    (lambda p: nn.Adagrad(p), adagrad()),
    (lambda p: nn.Adagrad(p, 0.3, 0.1, weight_decay=0.01), adagrad(0.1, 0.3, 0.01)),
    (lambda p: nn.Adagrad(p, 0.1, 0.1, update_slots=False, loss_scale=2.0), adagrad(0.1, scale=2, update=False)),
    (lambda p: nn.Adadelta(p), adadelta()),
    (lambda p: nn.Adadelta(p, 0.5, 0.8, 1e-3, weight_decay=0.01), adadelta(0.5, 0.8, 1e-3, 0.01)),
]
FORMULAS_OF_RMSPROP = [
    (lambda p: nn.RMSProp(p), rmsprop(0.1)),
    (lambda p: nn.RMSProp(p, 0.05, 0.8, 0.7, 1e-3), rmsprop(0.05, 0.8, 0.7, 1e-3)),
    (lambda p: nn.RMSProp(p, 0.05, 0.8, 0.7, 1e-3, centered=True), rmsprop(0.05, 0.8, 0.7, 1e-3, True)),
    (lambda p: nn.RMSProp(p, weight_decay=0.1), rmsprop(0.1, weight_decay=0.1)),
]


test_formula_in_both_modes = formulas(FORMULAS, 2e-5)


test_formula_of_rmsprop = formulas(FORMULAS_OF_RMSPROP)


@cases(
    (nn.Adagrad, {"accum": 0.3}, [0.401093, -1.153028, 2.186171, 0.994535, 2.745892, -1.745959, -0.072132, 0.371701]),
    (nn.Adadelta, {"learning_rate": 0.5, "rho": 0.8, "epsilon": 1e-3},
     [0.38224, -1.130138, 2.13366, 0.985193, 2.864437, -1.864342, -0.010056, 0.310042]),
)  # fmt: skip
def test_recorded_results_of_mindspore(kind, options, expected):
    w = Parameter(Tensor([[0.5, -1.0, 2.0], [1.0, 3.0, -2.0]]), name="w.weight")
    b = Parameter(Tensor([0.1, 0.2]), name="w.bias")
    optimizer = kind([w, b], **{"learning_rate": 0.1, "weight_decay": 0.01} | options)
    for k in (1.0, 2.0, 3.0):
        optimizer((Tensor([[0.1, 0.2, -0.3], [0.0, 1.0, -1.0]]) * k, Tensor([0.5, -0.5])))
    np.testing.assert_allclose([*w.asnumpy().ravel(), *b.asnumpy()], expected, atol=2e-6)


@cases(
    (nn.Adagrad, {}, ["accum.w"]),
    (nn.Adadelta, {}, ["accum.w", "accum_update.w"]),
    (nn.RMSProp, {}, ["mean_square.w", "moment.w"]),
    (nn.RMSProp, {"centered": True}, ["mean_grad.w", "mean_square.w", "moment.w"]),
)
def test_states_have_mindspores_names(kind, options, states):
    assert names(kind(single(), learning_rate=0.1, **options)) == ["global_step", "learning_rate", "w", *states]


@cases(
    (nn.RMSProp, {"decay": -0.1}),
    (nn.RMSProp, {"momentum": -0.1}),
    (nn.RMSProp, {"epsilon": 0.0}),
)
def test_constants_are_checked(kind, wrong):
    with pytest.raises(ValueError, match=f"For '{kind.__name__}'"):
        kind(single(), **wrong)


test_invalid_arguments_raise = error_cases(
    (lambda p: nn.Adagrad(p, accum=-1.0), ValueError, "'accum' must be float and must >= 0, but got '-1.0'"),
    (lambda p: nn.Adagrad(p, accum="a"), TypeError, "the type of 'accum' should be 'float', but got type 'str'"),
    (lambda p: nn.Adagrad(p, update_slots=1), TypeError, "'update_slots' should be 'bool', but got type 'int'"),
    (lambda p: nn.Adadelta(p, rho=1.5), ValueError, r"'rho' must be in range of \[0.0, 1.0\], but got 1.5"),
    (lambda p: nn.Adadelta(p, epsilon=-1.0), ValueError, "'epsilon' must be float and must >= 0"),
    by=lambda make: make(single()),
)
