"""ASGD: parameters and averages after four steps, recorded from MindSpore 2.10, the formula, and errors."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, nn
from tests.nn.optim.formulas import GRADIENTS, START, formulas, single
from tests.tables import error_cases


def asgd(rate=0.1, lambd=1e-4, alpha=0.75, decay=0.0):
    w, eta = START.copy(), rate
    for t, g in enumerate(GRADIENTS, 1):
        w = w * (1 - lambd * eta) - eta * (g + decay * w)
        eta = rate / (1 + lambd * rate * t) ** alpha
    return w


test_formula_in_both_modes = formulas(
    [(nn.ASGD, asgd()), (lambda p: nn.ASGD(p, 0.3, 0.01, 0.5, 1.0, 0.1), asgd(0.3, 0.01, 0.5, 0.1))]
)

RECORDED = [
    ({}, [0.9949601888656616, 2.0099194049835205, 2.9848806858062744],
     [0.9949601888656616, 2.0099194049835205, 2.9848806858062744]),
    ({"learning_rate": 0.3, "lambd": 0.01, "alpha": 0.5, "t0": 1.0, "weight_decay": 0.1},
     [0.8633381724357605, 1.7719582319259644, 2.5900142192840576],
     [0.8857213854789734, 1.7866134643554688, 2.6571640968322754]),
    ({"t0": 0.0}, [0.9949601888656616, 2.0099194049835205, 2.9848806858062744],
     [0.9883034825325012, 2.023272752761841, 2.9649105072021484]),
]  # fmt: skip


@pytest.mark.parametrize(("options", "value", "average"), RECORDED)
def test_mindspores_numbers(options, value, average):
    w = Parameter(Tensor(START.astype(np.float32)), name="w")
    optimizer = nn.ASGD([w], **options)
    for g in GRADIENTS:
        optimizer((Tensor(g.astype(np.float32)),))
    np.testing.assert_allclose(w.asnumpy(), value, rtol=1e-6)
    np.testing.assert_allclose(optimizer.ax[0].asnumpy(), average, rtol=1e-6)


test_errors = error_cases(
    (lambda: nn.ASGD(single(), lambd=1), TypeError, "lambd"),
    (lambda: nn.ASGD(single(), alpha="1"), TypeError, "alpha"),
)
