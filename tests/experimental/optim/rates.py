"""The rates of an optimizer at the start and after each step of a scheduler."""

import pytest

from minigraph import Parameter, Tensor
from minigraph.experimental.optim import SGD


def sgd(groups: int = 1):
    """An optimizer whose groups have the rates 0.1, 0.4, ..."""
    params = [Parameter(Tensor([1.0]), name=f"w{i}") for i in range(groups)]
    return SGD([{"params": [p], "lr": 0.1 * 4**i} for i, p in enumerate(params)], lr=0.1)


def rates(optimizer, step, count):
    """The rates of the first group before and after each step."""
    rates = [optimizer.param_groups[0]["lr"].value().item()]
    for _ in range(count):
        step()
        rates.append(optimizer.param_groups[0]["lr"].value().item())
    return pytest.approx(rates, abs=2e-6)


def check_rates(make, expected, wrap):
    """Compare the rates of the scheduler that ``make`` creates with the expected ones; ``wrap`` may jit its step."""
    optimizer = sgd()
    scheduler = make(optimizer)
    assert expected == rates(optimizer, wrap(scheduler.step), len(expected) - 1)
    assert scheduler.get_last_lr()[0].item() == pytest.approx(expected[-1], abs=2e-6)
