"""Lists of rates: MindSpore's documented examples, and agreement with the schedules."""

import inspect

import numpy as np
import pytest

from minigraph import Tensor, int32, nn
from tests.tables import cases, error_cases, every

# The left column is the documentation of MindSpore 2.
EXAMPLES = [
    (nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1), [0.1, 0.1, 0.09000000000000001, 0.09000000000000001,
                                                  0.08100000000000002, 0.08100000000000002]),
    (nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True), [0.1, 0.1, 0.1, 0.1, 0.016529888822158657,
                                                        0.016529888822158657]),
    (nn.inverse_decay_lr(0.1, 0.5, 6, 1, 1, True), [0.1, 0.06666666666666667, 0.05, 0.04, 0.03333333333333333,
                                                    0.028571428571428574]),
    (nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2), [0.1, 0.1, 0.05500000000000001, 0.05500000000000001, 0.01, 0.01]),
    (nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5), [0.1, 0.1, 0.07363961030678928, 0.07363961030678928, 0.01, 0.01]),
    (nn.warmup_lr(0.1, 6, 2, 2), [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]),
    (nn.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01]), [0.1] * 2 + [0.05] * 3 + [0.01] * 5),
]  # fmt: skip


@pytest.mark.parametrize(("rates", "documented"), EXAMPLES)
def test_examples_of_the_documentation(rates, documented):
    assert rates == documented


@cases(
    (nn.exponential_decay_lr, nn.ExponentialDecayLR, (0.1, 0.9), ()),
    (nn.exponential_decay_lr, nn.ExponentialDecayLR, (0.1, 0.9), (True,)),
    (nn.natural_exp_decay_lr, nn.NaturalExpDecayLR, (0.1, 0.9), ()),
    (nn.natural_exp_decay_lr, nn.NaturalExpDecayLR, (0.1, 0.9), (True,)),
    (nn.inverse_decay_lr, nn.InverseDecayLR, (0.1, 0.9), ()),
    (nn.inverse_decay_lr, nn.InverseDecayLR, (0.1, 0.9), (True,)),
    (nn.cosine_decay_lr, nn.CosineDecayLR, (0.01, 0.1), ()),
    (nn.polynomial_decay_lr, nn.PolynomialDecayLR, (0.1, 0.01), (0.5,)),
    (nn.polynomial_decay_lr, nn.PolynomialDecayLR, (0.1, 0.01), (0.5, True)),
    (nn.warmup_lr, nn.WarmUpLR, (0.1,), ()),
)
def test_an_epoch_of_one_step_is_the_schedule(listed, kind, rates, options):
    schedule = kind(*rates, 4, *options)
    scheduled = [schedule(Tensor(t, int32)).item() for t in range(11)]
    np.testing.assert_allclose(scheduled, listed(*rates, 11, 1, 4, *options), rtol=1e-5, atol=1e-8)


@every(
    name=["total_step", "step_per_epoch", "decay_epoch"],
    make=[getattr(nn, name) for name in nn.__all__ if name.endswith("decay_lr")],
)
def test_counts_are_positive_ints(make, name):
    good = {"learning_rate": 0.1, "min_lr": 0.01, "max_lr": 0.1, "decay_rate": 0.9, "end_learning_rate": 0.0,
            "power": 0.5, "total_step": 3, "step_per_epoch": 1, "decay_epoch": 2}  # fmt: skip
    expected = {key: value for key, value in good.items() if key in inspect.signature(make).parameters}
    assert len(make(**expected)) == 3
    with pytest.raises(ValueError, match=f"^The '{name}' must be int and must > 0, but got '0' with type 'int'.$"):
        make(**expected | {name: 0})
    with pytest.raises(TypeError, match=f"^The '{name}' must be int, but got 'float'$"):
        make(**expected | {name: 1.0})


test_invalid_arguments_raise = error_cases(
    (lambda: nn.piecewise_constant_lr([1, 2], [0.1]), ValueError, "'milestone' size: 2, 'learning_rates' size: 1"),
    (lambda: nn.piecewise_constant_lr([2, 1], [0.1, 0.2]), ValueError, r"milestone\[1\] .* greater than milestone\[0"),
    (lambda: nn.cosine_decay_lr(0.2, 0.1, 3, 1, 1), ValueError, "the 'max_lr' must be greater than the 'min_lr'"),
    (lambda: nn.piecewise_constant_lr(2, [0.1]), TypeError, "The type of 'milestone' should .*, but got type 'int'"),
    (lambda: nn.inverse_decay_lr(0.1, 0.9, 3, 1, 1, 1), TypeError, "of 'is_stair' should be 'bool', but got type 'int"),
    (lambda: nn.warmup_lr(1, 3, 1, 1), TypeError, "^The 'learning_rate' must be float, but got 'int'$"),
)
