"""Optimizers of ``experimental.optim``: groups, changed settings, and wrong arguments."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn
from minigraph.experimental import optim
from tests.experimental.optim.values import parameters


def test_groups_have_settings_of_their_own() -> None:
    w, b = parameters()
    optimizer = optim.SGD([{"params": w, "lr": 0.5}, {"params": [b], "momentum": 0.5}], lr=0.25)
    for _ in range(2):
        assert optimizer((Tensor([1.0, 0.0, 0.0]), Tensor([[1.0]]))) is True
    assert w.tolist() == [0, 2, -3] and b.tolist() == [[0.5 - 0.25 - 0.375]]
    assert [list(group)[:3] for group in optimizer.param_groups] == [["params", "lr", "momentum"]] * 2


def test_changed_settings_take_effect_in_both_modes() -> None:
    w, b = parameters()
    optimizer = optim.SGD([w, b], lr=0.5)
    run = ms.jit(optimizer)
    gradients = Tensor([1.0, 0.0, 0.0]), Tensor([[1.0]])
    run(gradients)
    optimizer.param_groups[0]["lr"] = 0.25
    run(gradients)
    optimizer.param_groups[0]["maximize"] = True
    run(gradients)
    assert w.tolist() == [0.5, 2, -3]


def test_it_prints_its_settings() -> None:
    assert repr(optim.Rprop(parameters(), lr=0.5)).splitlines() == [
        "Rprop (", "Parameter Group 0", "    etas: (0.5, 1.2)", "    lr: 0.5", "    maximize: False",
        "    step_sizes: (1e-06, 50)", ")",
    ]  # fmt: skip


def test_it_trains_with_a_model() -> None:
    net = nn.Dense(2, 1)
    model = ms.train.Model(net, nn.MSELoss(), optim.AdamW(net.trainable_params(), lr=0.1))
    rows = [(np.ones(2, np.float32), np.zeros(1, np.float32))] * 4
    model.train(20, ms.dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False).batch(4))
    assert abs(net(Tensor([[1.0, 1.0]])).item()) < 0.2


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: optim.Adam([]), ValueError, "params must not be empty"),
        (lambda: optim.Adam(parameters(), betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
        (lambda: optim.Adam(parameters(), eps=-1.0), ValueError, "'eps' must be at least 0.0, but got -1.0"),
        (lambda: optim.SGD(parameters(), lr=-1.0), ValueError, "learning rate"),
        (lambda: optim.SGD(parameters(), lr=0.1, nesterov=True), ValueError, "if 'nesterov' is true"),
        (lambda: optim.SGD([{"params": parameters(), "rate": 1}], lr=0.1), LookupError, "no setting 'rate'"),
        (lambda: optim.SGD([{"lr": 1.0}], lr=0.1), LookupError, "a group needs 'params'"),
        (lambda: optim.Rprop(parameters(), etas=(1.0, 1.2)), ValueError, r"Invalid eta values: 1\.0, 1\.2"),
        (lambda: optim.Adadelta(parameters(), rho=2.0), ValueError, "'rho' must be at most 1.0"),
        (lambda: optim.SGD([Tensor(1.0)], lr=0.1), TypeError, "must be Parameter type"),
    ],
)
def test_wrong_arguments_raise(call, error, text) -> None:
    with pytest.raises(error, match=text):
        call()
