"""Schedulers whose rates go up and down: rates of MindSpore 2.10."""

import pytest

import minigraph as ms
from minigraph.experimental.optim import lr_scheduler as lr
from tests.experimental.optim.rates import check_rates, sgd

RATES = [
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
    check_rates(make, expected, wrap)


def test_every_group_keeps_its_own_rate_and_restarts_may_continue_at_a_fraction() -> None:
    optimizer = sgd(2)
    scheduler = lr.CosineAnnealingWarmRestarts(optimizer, 2)
    rates = []
    for epoch in (0.5, 1.5, 2, 2.5):
        scheduler.step(epoch)
        rates.append([rate.item() for rate in scheduler.get_last_lr()])
    expected = [0.085355, 0.014645, 0.1, 0.085355]
    assert [rate for row in rates for rate in row] == pytest.approx([n * f for n in expected for f in (1, 4)], abs=4e-6)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda o: lr.CosineAnnealingWarmRestarts(o, 0), ValueError, "T_0 should be an integer"),
        (lambda o: lr.CyclicLR(o, 0.1, 0.2, mode="x"), ValueError, "mode is invalid and scale_fn is None"),
        (lambda o: lr.CyclicLR(o, [0.1, 0.2], 0.2), ValueError, "Expected 1 base_lrs, but got 2"),
    ],
)
def test_wrong_arguments_raise(call, error, text) -> None:
    with pytest.raises(error, match=text):
        call(sgd())
