"""Schedules against their formulas in Python floats, in both modes, and in an optimizer."""

import math

import numpy as np
import pytest

from minigraph import GRAPH_MODE, Parameter, Tensor, int32, nn, set_context
from minigraph.nn.learning_rate_schedule import Decay, ListedRates
from tests.tables import cases, every

SCHEDULES = {
    "exponential": (lambda: nn.ExponentialDecayLR(0.1, 0.9, 4), lambda t: 0.1 * 0.9 ** (t / 4)),
    "exponential stair": (lambda: nn.ExponentialDecayLR(0.1, 0.9, 4, True), lambda t: 0.1 * 0.9 ** (t // 4)),
    "natural": (lambda: nn.NaturalExpDecayLR(0.1, 0.9, 4), lambda t: 0.1 * math.exp(-0.9 * t)),
    "natural stair": (lambda: nn.NaturalExpDecayLR(0.1, 0.9, 4, True), lambda t: 0.1 * math.exp(-0.9 * (t // 4 * 4))),
    "inverse": (lambda: nn.InverseDecayLR(0.1, 0.9, 4), lambda t: 0.1 / (1 + 0.9 * t / 4)),
    "inverse stair": (lambda: nn.InverseDecayLR(0.1, 0.9, 4, True), lambda t: 0.1 / (1 + 0.9 * (t // 4))),
    "cosine": (
        lambda: nn.CosineDecayLR(0.01, 0.1, 4),
        lambda t: 0.01 + 0.045 * (1 + math.cos(math.pi * min(t, 4) / 4)),
    ),
    "polynomial": (lambda: nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5), lambda t: 0.09 * (1 - min(t, 4) / 4) ** 0.5 + 0.01),
    "polynomial again": (
        lambda: nn.PolynomialDecayLR(0.1, 0.01, 4, 2.0, True),
        lambda t: 0.09 * (1 - t / (4 * max(1, math.ceil(t / 4)))) ** 2 + 0.01,
    ),
    "warm up": (lambda: nn.WarmUpLR(0.1, 4), lambda t: 0.1 * min(t, 4) / 4),
    "list": (lambda: ListedRates([0.3, 0.2, 0.1]), lambda t: [0.3, 0.2, 0.1][min(t, 2)]),
}


def test_every_schedule_is_tested():
    public = {getattr(nn, name) for name in nn.__all__}
    kinds = {x for x in public if isinstance(x, type) and issubclass(x, nn.LearningRateSchedule)}
    tested = {type(make()) for make, _ in SCHEDULES.values()}
    assert tested - {ListedRates} == kinds - {nn.LearningRateSchedule, Decay}


@every(name=SCHEDULES)
def test_formula_in_both_modes(name):
    make, formula = SCHEDULES[name]
    steps = [Tensor(t, int32) for t in range(11)]
    result = [make()(step) for step in steps]
    assert {str(rate.type) for rate in result} == {"f32[]"}
    np.testing.assert_allclose([rate.item() for rate in result], [*map(formula, range(11))], rtol=1e-5, atol=1e-8)
    set_context(mode=GRAPH_MODE)
    schedule = make()
    assert [schedule(step).item() for step in steps] == [rate.item() for rate in result]


def weights_over_time(kind, rate, steps, *extra):
    """The weight, initially 0, before and after each step along a gradient of -1."""
    w = Parameter(Tensor([0.0]), name="w")
    optimizer, result = kind([w], rate, *extra), [0.0]
    for _ in range(steps):
        optimizer((Tensor([-1.0]),))
        result.append(w.asnumpy().item())
    return result


@every(name=SCHEDULES)
def test_an_optimizer_takes_step_after_step(name, mode):
    make, formula = SCHEDULES[name]
    np.testing.assert_allclose(
        np.diff(weights_over_time(nn.SGD, make(), 6)), [*map(formula, range(6))], rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize("rates", [[0.5, 0.25], (0.5, 0.25), Tensor([0.5, 0.25])], ids=["list", "tuple", "tensor"])
def test_an_optimizer_takes_a_list_of_rates(rates):
    assert weights_over_time(nn.Momentum, rates, 3, 0.0) == [0.0, 0.5, 0.75, 1.0]


def test_an_optimizer_takes_a_rate_in_a_tensor():
    assert weights_over_time(nn.SGD, Tensor(0.5), 1) == [0.0, 0.5]
    assert isinstance(nn.SGD([Parameter(Tensor([0.0]), name="w")], Tensor(0.5)).learning_rate, Parameter)


@cases(
    (lambda: nn.ExponentialDecayLR(1, 0.9, 4), TypeError),
    (lambda: nn.ExponentialDecayLR(0.1, 0.9, 4.0), TypeError),
    (lambda: nn.ExponentialDecayLR(0.1, 0.9, True), TypeError),
    (lambda: nn.ExponentialDecayLR(0.0, 0.9, 4), ValueError),
    (lambda: nn.InverseDecayLR(0.1, -0.9, 4), ValueError),
    (lambda: nn.NaturalExpDecayLR(0.1, 0.9, 0), ValueError),
    (lambda: nn.CosineDecayLR(0.1, 0.1, 4), ValueError),
    (lambda: nn.CosineDecayLR(-0.1, 0.1, 4), ValueError),
    (lambda: nn.PolynomialDecayLR(0.1, 0.0, 4, 0.0), ValueError),
    (lambda: nn.WarmUpLR(0.1, 0), ValueError),
    (lambda: nn.WarmUpLR(float("nan"), 3), ValueError),
    (lambda: ListedRates([]), ValueError),
    (lambda: ListedRates([[0.1]]), ValueError),
)
def test_arguments_are_checked(make, error):
    with pytest.raises(error) as caught:
        make()
    assert type(caught.value).__name__ == error.__name__
