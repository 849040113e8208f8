"""AdaFactor: Parameters after two steps, recorded from MindSpore 2.10, its state, and errors."""

import numpy as np

from minigraph import GRAPH_MODE, Parameter, Tensor, float16, nn, set_context
from tests.nn.optim.formulas import single
from tests.tables import error_cases, table


def parameters():
    matrix = Tensor(np.arange(6).reshape(2, 3).astype(np.float32) * 0.5)
    return [Parameter(matrix, name="w"), Parameter(Tensor([1.0, 2.0]), name="b")]


def after_two_steps(**config):
    params = parameters()
    optimizer = nn.AdaFactor(params, **config)
    gradients = Tensor(np.arange(6).reshape(2, 3).astype(np.float32) - 2), Tensor([0.3, -0.2])
    for _ in range(2):
        optimizer(gradients)
    return np.concatenate([params[0].asnumpy().ravel(), params[1].asnumpy()])


def check(config, expected):
    eager = after_two_steps(**config)
    np.testing.assert_allclose(eager[[0, 5, 6, 7]], expected, rtol=1e-5, atol=1e-9)
    set_context(mode=GRAPH_MODE)
    assert after_two_steps(**config).tobytes() == eager.tobytes()


test_mindspores_numbers = table(
    ["config", "expected"],
    [
        ({}, [0.0073446031, 2.4950926304, 0.9954141974, 2.0045857429]),
        ({"compression": True}, [0.0073446031, 2.4950926304, 0.9954143167, 2.0045857429]),
        ({"beta1": None}, [0.0505201668, 2.4662446976, 0.9683265090, 2.0316734314]),
        ({"weight_decay": 0.1}, [0.0073369415, 2.4875421524, 0.9922614098, 1.9982651472]),
        ({"warmup_init": True}, [9.87914631878084e-07, 2.4999992847, 0.9999993443, 2.0000007153]),
        ({"clip_threshold": 0.5}, [0.0036726587, 2.4975461960, 0.9977071881, 2.0022928715]),
        (
            {"learning_rate": [0.1, 0.2], "relative_step": False},
            [0.0652595013, 2.4563965797, 0.9610000253, 2.0390000343],
        ),
    ],
    check,
)


def test_the_state_has_mindspores_names_and_shapes():
    state = {p.name: p.shape for p in nn.AdaFactor(parameters(), compression=True).get_parameters()}
    assert state["exp_avg_sq_row_w"] == (2,) and state["exp_avg_sq_col_w"] == (3,) and state["exp_avg_sq_w"] == (1,)
    assert state["exp_avg_sq_row_b"] == (1,) and state["exp_avg_sq_b"] == (2,) and state["exp_avg.w"] == (2, 3)
    assert nn.AdaFactor(parameters(), compression=True).exp_avg_sq[1].dtype == float16


test_errors = error_cases(
    (lambda: nn.AdaFactor(single(), learning_rate=0.1), ValueError, "Cannot combine manual lr"),
    (lambda: nn.AdaFactor(single(), relative_step=False), ValueError, "needs a learning_rate"),
    (lambda: nn.AdaFactor(single(), 0.1, relative_step=False, warmup_init=True), ValueError, "warmup_init requires"),
    (lambda: nn.AdaFactor(single(), eps=(1.0, 2.0, 3.0)), ValueError, "2 values"),
    (lambda: nn.AdaFactor(single(), eps=1.0), TypeError, "tuple"),
    (lambda: nn.AdaFactor(single(), decay_rate=1.0), ValueError, r"range of \(0, 1\)"),
    (lambda: nn.AdaFactor(single(), weight_decay=1.0), ValueError, r"range of \[0, 1\)"),
    (lambda: nn.AdaFactor(single(), clip_threshold=1), TypeError, "clip_threshold"),
)
