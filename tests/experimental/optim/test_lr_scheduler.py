"""Schedulers of ``experimental.optim``: rates of MindSpore 2.10 at the start and after each step."""

import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, nn
from minigraph.experimental.optim import SGD
from minigraph.experimental.optim import lr_scheduler as lr


def sgd(groups: int = 1):
    params = [Parameter(Tensor([1.0]), name=f"w{i}") for i in range(groups)]
    return SGD([{"params": [p], "lr": 0.1 * 4**i} for i, p in enumerate(params)], lr=0.1)


def rates(optimizer, step, count):
    """The rates of the first group before and after each step."""
    found = [optimizer.param_groups[0]["lr"].value().item()]
    for _ in range(count):
        step()
        found.append(optimizer.param_groups[0]["lr"].value().item())
    return pytest.approx(found, abs=2e-6)


RATES = [
    (lambda o: lr.StepLR(o, 2, 0.5), [0.1, 0.1, 0.05, 0.05, 0.025]),
    (lambda o: lr.LinearLR(o, 0.5, 1.0, 4), [0.05, 0.0625, 0.075, 0.0875, 0.1, 0.1]),
    (lambda o: lr.ExponentialLR(o, 0.9), [0.1, 0.09, 0.081, 0.0729]),
    (lambda o: lr.PolynomialLR(o, 4, 2.0), [0.1, 0.05625, 0.025, 0.00625, 0, 0]),
    (lambda o: lr.MultiplicativeLR(o, lambda step: 0.9), [0.1, 0.09, 0.081, 0.0729]),
    (lambda o: lr.ConstantLR(o, 0.5, 3), [0.05, 0.05, 0.05, 0.1, 0.1]),
    (lambda o: lr.MultiStepLR(o, [2, 4, 4], 0.5), [0.1, 0.1, 0.05, 0.05, 0.0125]),
    (lambda o: lr.LambdaLR(o, [lambda step: 0.9**step]), [0.1, 0.09, 0.081]),
    (lambda o: lr.CosineAnnealingLR(o, 4, 0.01),
     [0.1, 0.08682, 0.055, 0.02318, 0.01, 0.02318, 0.055, 0.08682, 0.1, 0.08682]),
    (lambda o: lr.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
     [0.1, 0.0775, 0.0325, 0.1, 0.093971, 0.0775, 0.055, 0.0325, 0.016029, 0.1]),
    (lambda o: lr.CyclicLR(o, 0.01, 0.1, 3), [0.01, 0.04, 0.07, 0.1, 0.07, 0.04, 0.01, 0.04]),
    (lambda o: lr.CyclicLR(o, 0.01, 0.1, 2, 4, "triangular2"),
     [0.01, 0.055, 0.1, 0.0775, 0.055, 0.0325, 0.01, 0.0325, 0.055, 0.04375]),
    (lambda o: lr.CyclicLR(o, 0.01, 0.1, 2, 4, "exp_range", 0.9),
     [0.01, 0.0505, 0.0829, 0.059207, 0.039524, 0.023286, 0.01, 0.031523]),
    (lambda o: lr.CyclicLR(o, [0.1], [0.2], 2, scale_fn=lambda n: 0.5 ** (n - 1), scale_mode="iterations"),
     [0.1, 0.15, 0.15, 0.1125, 0.1, 0.103125, 0.103125]),
]  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda step: step, ms.jit], ids=["pynative", "jit"])
@pytest.mark.parametrize(("make", "expected"), RATES)
def test_rates(make, expected, wrap) -> None:
    optimizer = sgd()
    scheduler = make(optimizer)
    assert expected == rates(optimizer, wrap(scheduler.step), len(expected) - 1)
    assert scheduler.get_last_lr()[0].item() == pytest.approx(expected[-1], abs=2e-6)


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


def test_schedulers_one_after_the_other() -> None:
    optimizer = sgd()
    schedulers = [lr.LinearLR(optimizer, 0.5, 1.0, 3), lr.StepLR(optimizer, 2, 0.5), lr.CosineAnnealingLR(optimizer, 4)]
    scheduler = lr.SequentialLR(optimizer, schedulers, [2, 6])
    expected = [0.05, 0.066667, 0.1, 0.1, 0.05, 0.05, 0.1, 0.085355, 0.05]
    assert expected == rates(optimizer, scheduler.step, len(expected) - 1)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"threshold": 0.5, "threshold_mode": "abs", "patience": 1}, [0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.025, 0.025]),
        ({"threshold": 0.2, "patience": 0}, [0.1, 0.05, 0.05, 0.025, 0.0125, 0.00625, 0.003125, 0.001563]),
        ({"mode": "max", "threshold": 0.2, "patience": 0, "cooldown": 2},
         [0.1, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025, 0.0125]),
        ({"patience": 0, "min_lr": 0.06}, [0.1, 0.1, 0.1, 0.1, 0.06, 0.06, 0.06, 0.06]),
    ],
)  # fmt: skip
def test_a_plateau_reduces_the_rate(settings, expected) -> None:
    optimizer, values = sgd(), iter((3.0, 2.8, 2.0, 1.9, 2.9, 3.5, 5.0, 5.1))
    scheduler = lr.ReduceLROnPlateau(optimizer, factor=0.5, **settings)
    assert [0.1, *expected] == rates(optimizer, lambda: scheduler.step(Tensor(next(values))), 8)


def test_every_group_keeps_its_own_rate_and_restarts_may_continue_at_a_fraction() -> None:
    optimizer = sgd(2)
    scheduler = lr.CosineAnnealingWarmRestarts(optimizer, 2)
    found = []
    for epoch in (0.5, 1.5, 2, 2.5):
        scheduler.step(epoch)
        found.append([rate.item() for rate in scheduler.get_last_lr()])
    expected = [0.085355, 0.014645, 0.1, 0.085355]
    assert [rate for row in found for rate in row] == pytest.approx([n * f for n in expected for f in (1, 4)], abs=4e-6)


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
        (lambda o: lr.CosineAnnealingWarmRestarts(o, 0), ValueError, "T_0 should be an integer"),
        (lambda o: lr.CyclicLR(o, 0.1, 0.2, mode="x"), ValueError, "mode is invalid and scale_fn is None"),
        (lambda o: lr.CyclicLR(o, [0.1, 0.2], 0.2), ValueError, "Expected 1 base_lrs, but got 2"),
        (lambda o: lr.SequentialLR(o, [lr.StepLR(o, 2)], [1]), ValueError, "1 schedulers need 0 milestones"),
        (lambda o: lr.SequentialLR(o, [lr.StepLR(sgd(), 2)], []), ValueError, "must be of the optimizer"),
        (lambda o: lr.ReduceLROnPlateau(o, "x"), ValueError, "`mode` should be 'min' or 'max', but got x"),
        (lambda o: lr.ReduceLROnPlateau(o, factor=1.0), ValueError, "The lr factor should be less than 1.0"),
        (lambda o: lr.ReduceLROnPlateau(o, min_lr=[0, 0]), ValueError, "Expected 1 min_lrs, but got 2"),
    ],
)
def test_wrong_arguments_raise(call, error, text) -> None:
    with pytest.raises(error, match=text):
        call(sgd())
