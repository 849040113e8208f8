"""Schedulers that depend on others or on a value: rates of MindSpore 2.10."""

import pytest

from minigraph import Tensor
from minigraph.experimental.optim import lr_scheduler as lr
from tests.experimental.optim.rates import rates, sgd


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


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
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
