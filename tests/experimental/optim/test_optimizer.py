"""Optimizers of ``experimental.optim``: values of MindSpore 2.10, groups, and both modes."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, nn
from minigraph.experimental import optim

# after steps 1, 3 and 8; the first three elements are of w, the last one of b
VALUES = [
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
     [0.791, 2.152, -3.323, -0.0795], [0.66461, 2.09807, -3.27524, -1.13165], [-1.4174, 3.48578, -6.28209, -3.34542]),
    ("SGD", {"lr": 0.1, "maximize": True, "momentum": 0.9, "dampening": 0.1},
     [1.1, 1.9, -2.8, 0.8], [1.19, 1.81, -2.62, 1.6595], [2.70467, 0.29533, 0.40934, 4.02571]),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1},
     [0.9, 2.1, -3.1, 0.4], [0.85449, 2.08845, -3.09876, 0.21909], [0.48532, 2.36617, -3.39756, -0.1498]),
    ("Adam", {"amsgrad": True, "lr": 0.1},
     [0.9, 2.1, -3.1, 0.4], [0.87168, 2.12832, -3.12832, 0.21947], [0.5237, 2.4763, -3.4763, -0.14888]),
    ("AdamW", {"lr": 0.1, "amsgrad": True},
     [0.899, 2.098, -3.097, 0.3995], [0.86888, 2.12213, -3.11913, 0.21826], [0.51719, 2.4589, -3.45093, -0.1504]),
    ("Adadelta", {"weight_decay": 0.1, "maximize": True},
     [1.00316, 1.99684, -2.99684, 0.50316], [1.00279, 1.99601, -2.99619, 0.50668],
     [1.01909, 1.97841, -2.97864, 0.51072]),
    ("Adagrad", {"lr_decay": 0.1, "initial_accumulator_value": 0.5, "weight_decay": 0.1},
     [0.99159, 2.00749, -3.00923, 0.49026], [0.992, 2.00441, -3.0063, 0.48383], [0.97792, 2.01652, -3.01933, 0.4786]),
    ("ASGD", {"lr": 0.1, "t0": 0.0, "alpha": 0.5, "weight_decay": 0.1},
     [0.88999, 2.07998, -3.16997, 0.19499], [0.87126, 2.03955, -3.10883, -0.05739],
     [0.33844, 2.42957, -3.93647, -0.31376]),
    ("Adamax", {"weight_decay": 0.1, "lr": 0.1},
     [0.9, 2.1, -3.1, 0.4], [0.85712, 2.08941, -3.09805, 0.26671], [0.50051, 2.29108, -3.33303, 0.07562]),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "centered": True, "weight_decay": 0.1},
     [-0.00504, 3.00504, -4.00504, -0.50504], [-0.9946, 3.51841, -4.64838, -3.28946],
     [-8.3275, 8.9069, -11.35539, -8.87614]),
    ("Rprop", {"lr": 0.1}, [0.9, 2.1, -3.1, 0.4], [0.85, 2.15, -3.15, 0.136], [0.4035, 2.5965, -3.5965, -1.14991]),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1},
     [0.89, 2.08, -3.17, 0.195], [0.84305, 2.06743, -3.1647, -0.20786], [0.70021, 2.14994, -3.34326, -0.48759]),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1},
     [0.89435, 2.10565, -3.10565, 0.39435], [0.88709, 2.07416, -3.08099, 0.30011],
     [0.52494, 2.38218, -3.40378, 0.1253]),
]  # fmt: skip


def parameters():
    return [Parameter(Tensor([1.0, 2.0, -3.0]), name="w"), Parameter(Tensor([[0.5]]), name="b")]


@pytest.mark.parametrize("wrap", [lambda optimizer: optimizer, ms.jit], ids=["pynative", "jit"])
@pytest.mark.parametrize(("name", "settings", "first", "third", "eighth"), VALUES)
def test_values_after_some_steps(name, settings, first, third, eighth, wrap) -> None:
    params = parameters()
    optimizer, found = wrap(getattr(optim, name)(params, **settings)), []
    for step in range(8):
        optimizer((Tensor([1.0, -1.0, 2.0]) * (-1 if step == 1 else 1), Tensor([[3.0]]) / (step + 1)))
        found.append(np.concatenate([p.asnumpy().ravel() for p in params]))
    for values, expected in ((found[0], first), (found[2], third), (found[7], eighth)):
        np.testing.assert_allclose(values, expected, atol=2e-5)


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
