"""FTRL and ProximalAdagrad: Parameters after two steps, recorded from MindSpore 2.10, the penalties, and errors."""

import numpy as np

from minigraph import GRAPH_MODE, Parameter, Tensor, nn, set_context
from tests.nn.optim.formulas import single
from tests.tables import error_cases, table


def after_two_steps(create):
    w = Parameter(Tensor([1.0, -2.0, 0.01]), name="w")
    optimizer = create([w])
    for _ in range(2):
        optimizer((Tensor([0.5, -1.0, 0.02]),))
    return w.asnumpy()


def check(create, expected):
    eager = after_two_steps(create)
    np.testing.assert_allclose(eager, expected, rtol=1e-5, atol=1e-7)
    set_context(mode=GRAPH_MODE)
    assert after_two_steps(create).tobytes() == eager.tobytes()


test_mindspores_numbers = table(
    ["create", "expected"],
    [
        (lambda p: nn.FTRL(p, learning_rate=0.1), [0.3164124, -1.2326244, -0.01259141]),
        (lambda p: nn.FTRL(p, 1.0, 0.1), [0.02002664, -0.4573407, -0.0039968]),
        # where z is positive; MindSpore adds l1 where it is negative, in place of subtracting it
        (lambda p: nn.FTRL(p, 0.1, 0.1, l1=0.1, l2=0.05), [0.29428062, -1.2113593, 0.0]),
        (lambda p: nn.FTRL(p, 0.1, 0.1, -0.3, 0.1, 0.05, False, 2.0, 0.1), [0.10282868, -0.66538155, 0.0]),
        (lambda p: nn.ProximalAdagrad(p, 0.1, 0.1, 0.1, 0.05), [0.80837303, -1.803996, 0.0]),
    ],
    check,
)

test_errors = error_cases(
    (lambda: nn.FTRL(single(), lr_power=0.5), ValueError, "lr_power"),
    (lambda: nn.FTRL(single(), l1=-1.0), ValueError, "l1"),
    (lambda: nn.FTRL(single(), initial_accum=-1.0), ValueError, "initial_accum"),
    (lambda: nn.ProximalAdagrad(single(), accum=-1.0), ValueError, "accum"),
    (lambda: nn.ProximalAdagrad(single(), l2=1), TypeError, "l2"),
)
