"""Schedulers with a factor at each step, alone and combined: rates of MindSpore 2.10."""

import pytest

import minigraph as ms
from minigraph import nn
from minigraph.experimental.optim import lr_scheduler as lr
from tests.experimental.optim.rates import check_rates, rates, sgd

RATES = [
    (lambda o: lr.StepLR(o, 2, 0.5), [0.1, 0.1, 0.05, 0.05, 0.025]),
    (lambda o: lr.LinearLR(o, 0.5, 1.0, 4), [0.05, 0.0625, 0.075, 0.0875, 0.1, 0.1]),
    (lambda o: lr.ExponentialLR(o, 0.9), [0.1, 0.09, 0.081, 0.0729]),
    (lambda o: lr.PolynomialLR(o, 4, 2.0), [0.1, 0.05625, 0.025, 0.00625, 0, 0]),
    (lambda o: lr.MultiplicativeLR(o, lambda step: 0.9), [0.1, 0.09, 0.081, 0.0729]),
    (lambda o: lr.ConstantLR(o, 0.5, 3), [0.05, 0.05, 0.05, 0.1, 0.1]),
    (lambda o: lr.MultiStepLR(o, [2, 4, 4], 0.5), [0.1, 0.1, 0.05, 0.05, 0.0125]),
    (lambda o: lr.LambdaLR(o, [lambda step: 0.9**step]), [0.1, 0.09, 0.081]),
]  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda step: step, ms.jit], ids=["pynative", "jit"])
@pytest.mark.parametrize(("make", "expected"), RATES)
def test_rates(make, expected, wrap) -> None:
    check_rates(make, expected, wrap)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (lambda o: lr.StepLR(o, 2, 0.5), lambda o: lr.ExponentialLR(o, 0.9), [0.1, 0.09, 0.0405, 0.03645, 0.016402]),
        (lambda o: lr.ConstantLR(o, 0.5, 2), lambda o: lr.MultiStepLR(o, [1, 3], 0.5), [0.05, 0.025, 0.05, 0.025]),
        (lambda o: lr.LinearLR(o, 0.5, 1.0, 3), lambda o: lr.StepLR(o, 2, 0.5), [0.05, 0.066667, 0.041667, 0.05]),
        (lambda o: lr.PolynomialLR(o, 4), lambda o: lr.StepLR(o, 2, 0.5), [0.1, 0.075, 0.025, 0.0125, 0.0]),
        (lambda o: lr.CosineAnnealingLR(o, 4), lambda o: lr.StepLR(o, 2, 0.5),
         [0.1, 0.085355, 0.025, 0.007322, 0, 0.014645, 0.025]),
    ],
)  # fmt: skip
def test_two_schedulers_combine(first, second, expected) -> None:
    optimizer = sgd()
    schedulers = first(optimizer), second(optimizer)
    assert expected == rates(optimizer, lambda: [scheduler.step() for scheduler in schedulers], len(expected) - 1)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda o: lr.StepLR(1, 2), TypeError, "int is not an Optimizer"),
        (lambda o: lr.StepLR(nn.SGD(o.parameters), 2), TypeError, "SGD is not an Optimizer"),
        (lambda o: lr.StepLR(o, "a"), TypeError, "For 'StepLR', the 'step_size' must be int, but got <class 'str'>"),
        (lambda o: lr.StepLR(o, 2, "a"), TypeError, "the 'gamma' must be float"),
        (lambda o: lr.MultiStepLR(o, 2), TypeError, "The type of 'milestones' should be 'list', but got type 'int'"),
        (lambda o: lr.LambdaLR(o, [abs, abs]), ValueError, "Expected 1 lr_lambdas, but got 2"),
        (lambda o: lr.LinearLR(o, 2.0), ValueError, "Starting multiplicative factor"),
        (lambda o: lr.LinearLR(o, 0.5, 2.0), ValueError, "Ending multiplicative factor"),
        (lambda o: lr.ConstantLR(o, 2.0), ValueError, "Constant multiplicative factor"),
    ],
)
def test_wrong_arguments_raise(call, error, text) -> None:
    with pytest.raises(error, match=text):
        call(sgd())
