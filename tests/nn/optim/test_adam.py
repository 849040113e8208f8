"""Adam and its variants: recorded results of MindSpore, and the same loops in numpy float64, in both modes."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, nn
from tests.nn.cells import names
from tests.nn.optim.formulas import GRADIENTS, START, formulas, run_steps, single
from tests.tables import cases, error_cases, every


def adam(gradients, rate, beta1=0.9, beta2=0.999, eps=1e-8, nesterov=False, amsgrad=False):
    w, m, v, v_max = START.copy(), 0, 0, 0
    for t, g in enumerate(gradients, 1):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        v_max = np.maximum(v_max, v)
        direction = beta1 * m + (1 - beta1) * g if nesterov else m
        w = w - rate * np.sqrt(1 - beta2**t) / (1 - beta1**t) * direction / (np.sqrt(v_max if amsgrad else v) + eps)
    return w


def adam_weight_decay(rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    w, m, v = START.copy(), 0, 0
    for g in GRADIENTS:
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        w = w - rate * (m / (np.sqrt(v) + eps) + decay * w)
    return w


def adamw(rates, decay=0.01, beta1=0.9, beta2=0.999, eps=1e-8, gradients=GRADIENTS):
    w, m, v = START.copy(), 0, 0
    for t, (g, rate) in enumerate(zip(gradients, rates, strict=True), 1):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        w = w - rate * (m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps) + decay * w)
    return w


def adamax(rate=0.001, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.0):
    w, m, u = START.copy(), 0, 0
    for t, g in enumerate(GRADIENTS, 1):
        g = g + decay * w
        m, u = beta1 * m + (1 - beta1) * g, np.maximum(beta2 * u, np.abs(g))
        w = w - rate / (1 - beta1**t) * m / (u + eps)
    return w


RATES = [0.1, 0.05, 0.02, 0.01]
FORMULAS = [
    (lambda p: nn.Adam(p), adam(GRADIENTS, 1e-3)),
    (lambda p: nn.Adam(p, 0.1, 0.8, 0.9, 1e-3), adam(GRADIENTS, 0.1, 0.8, 0.9, 1e-3)),
    (lambda p: nn.Adam(p, 0.1, use_nesterov=True), adam(GRADIENTS, 0.1, nesterov=True)),
    (lambda p: nn.Adam(p, 0.1, beta2=0.5, use_amsgrad=True), adam(GRADIENTS, 0.1, beta2=0.5, amsgrad=True)),
    (lambda p: nn.AdamWeightDecay(p, 0.01), adam_weight_decay(0.01, 0.0)),
    (lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1), adam_weight_decay(0.01, 0.1)),
    (lambda p: nn.AdamW(p), adamw([1e-3] * 4)),
    (lambda p: nn.AdamW(p, 0.1, 0.8, 0.9, 1e-3, 0.3), adamw([0.1] * 4, 0.3, 0.8, 0.9, 1e-3)),
    (lambda p: nn.AdamW(p, RATES), adamw(RATES)),
    (lambda p: nn.AdamW(p, 0.1, loss_scale=2.0), adamw([0.1] * 4, gradients=[g / 2 for g in GRADIENTS])),
]
FORMULAS_OF_ADAMAX = [
    (lambda p: nn.AdaMax(p), adamax()),
    (lambda p: nn.AdaMax(p, 0.1, 0.8, 0.9, 1e-3, 0.01), adamax(0.1, 0.8, 0.9, 1e-3, 0.01)),
]


test_formula_in_both_modes = formulas(FORMULAS)


test_formula_of_adamax = formulas(FORMULAS_OF_ADAMAX, 2e-5)


@cases(
    (nn.AdaMax, {"beta1": 0.8, "beta2": 0.9, "eps": 1e-3},
     [0.251008, -1.247559, 2.247441, 0.71759, 2.750168, -1.750371, -0.19966, 0.499658]),
)  # fmt: skip
def test_recorded_results_of_mindspore(kind, options, expected):
    w = Parameter(Tensor([[0.5, -1.0, 2.0], [1.0, 3.0, -2.0]]), name="w.weight")
    b = Parameter(Tensor([0.1, 0.2]), name="w.bias")
    optimizer = kind([w, b], **{"learning_rate": 0.1, "weight_decay": 0.01} | options)
    for k in (1.0, 2.0, 3.0):
        optimizer((Tensor([[0.1, 0.2, -0.3], [0.0, 1.0, -1.0]]) * k, Tensor([0.5, -0.5])))
    np.testing.assert_allclose([*w.asnumpy().ravel(), *b.asnumpy()], expected, atol=2e-6)


@cases(
    (nn.AdaMax, {}, ["beta1_power", "moment1.w", "moment2.w"]),
    (nn.AdamW, {}, ["moment1.w", "moment2.w"]),
)
def test_states_have_mindspores_names(kind, options, states):
    assert names(kind(single(), learning_rate=0.1, **options)) == ["global_step", "learning_rate", "w", *states]


def test_adam_adds_eps_to_the_uncorrected_root():
    tiny = [g * 1e-8 for g in GRADIENTS]
    np.testing.assert_allclose(run_steps(lambda p: nn.Adam(p, 0.1), tiny), adam(tiny, 0.1), rtol=1e-4)
    corrected = adam(tiny[:1], 0.1, eps=1e-8 * np.sqrt(1 - 0.999))  # as if eps were added to sqrt(v / (1 - b2))
    assert np.abs(corrected - adam(tiny[:1], 0.1)).max() > 1e-2


def test_adamw_decays_all_parameters_and_adds_eps_to_the_corrected_root():
    quiet = [np.zeros(3)] * 4
    np.testing.assert_allclose(run_steps(lambda p: nn.AdamW(p, 0.1, weight_decay=0.5), quiet, "gamma"), START * 0.95**4)
    tiny = [g * 1e-8 for g in GRADIENTS]
    result = run_steps(lambda p: nn.AdamW(p, 0.1, weight_decay=0.0), tiny)
    np.testing.assert_allclose(result, adamw([0.1] * 4, 0.0, gradients=tiny), rtol=1e-4)
    assert np.abs(result - run_steps(lambda p: nn.Adam(p, 0.1), tiny)).max() > 1e-2


@every(kind=[nn.Adam, nn.AdamWeightDecay])
@cases(
    ({"beta1": 1.0}, ValueError, "the 'beta1' must be in range of .0.0, 1.0., but got 1.0 with type 'float'"),
    ({"beta2": -0.1}, ValueError, "the 'beta2' must be in range"),
    ({"beta1": 0}, TypeError, "the type of 'beta1' should be 'float', but got type 'int'"),
    ({"eps": 0.0}, ValueError, "the 'eps' must be float and must > 0, but got '0.0'"),
    ({"eps": 1}, TypeError, "the type of 'eps' should be 'float', but got type 'int'"),
)
def test_betas_and_eps_are_checked(kind, wrong, error, text):
    with pytest.raises(error, match=f"For '{kind.__name__}', {text}"):
        kind(single(), **wrong)


@cases(
    (nn.AdamW, {"beta1": 1.0}),
    (nn.AdamW, {"eps": -1.0}),
    (nn.AdamW, {"weight_decay": -1.0}),
)
def test_constants_are_checked(kind, wrong):
    with pytest.raises(ValueError, match=f"For '{kind.__name__}'"):
        kind(single(), **wrong)


test_invalid_arguments_raise = error_cases(
    (lambda p: nn.AdaMax(p, beta1=1.0), ValueError, r"'beta1' must be in range of \(0.0, 1.0\)"),
    by=lambda make: make(single()),
)
