"""Lists of rates: MindSpore's documented examples, and agreement with the schedules."""

import inspect

import numpy as np
import pytest

from minigraph import Tensor, int32, nn
from tests.tables import cases, every

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


@pytest.mark.parametrize(("found", "documented"), EXAMPLES)
def test_examples_of_the_documentation(found, documented):
    assert found == documented


@cases(
    (nn.exponential_decay_lr(0.1, 0.9, 11, 1, 4), nn.ExponentialDecayLR(0.1, 0.9, 4)),
    (nn.exponential_decay_lr(0.1, 0.9, 11, 1, 4, True), nn.ExponentialDecayLR(0.1, 0.9, 4, True)),
    (nn.natural_exp_decay_lr(0.1, 0.9, 11, 1, 4), nn.NaturalExpDecayLR(0.1, 0.9, 4)),
    (nn.natural_exp_decay_lr(0.1, 0.9, 11, 1, 4, True), nn.NaturalExpDecayLR(0.1, 0.9, 4, True)),
    (nn.inverse_decay_lr(0.1, 0.9, 11, 1, 4), nn.InverseDecayLR(0.1, 0.9, 4)),
    (nn.inverse_decay_lr(0.1, 0.9, 11, 1, 4, True), nn.InverseDecayLR(0.1, 0.9, 4, True)),
    (nn.cosine_decay_lr(0.01, 0.1, 11, 1, 4), nn.CosineDecayLR(0.01, 0.1, 4)),
    (nn.polynomial_decay_lr(0.1, 0.01, 11, 1, 4, 0.5), nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)),
    (nn.polynomial_decay_lr(0.1, 0.01, 11, 1, 4, 0.5, True), nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5, True)),
    (nn.warmup_lr(0.1, 11, 1, 4), nn.WarmUpLR(0.1, 4)),
)
def test_an_epoch_of_one_step_is_the_schedule(listed, schedule):
    found = [schedule(Tensor(t, int32)).item() for t in range(11)]
    np.testing.assert_allclose(found, listed, rtol=1e-5, atol=1e-8)


@every(
    name=["total_step", "step_per_epoch", "decay_epoch"],
    make=[getattr(nn, name) for name in nn.__all__ if name.endswith("decay_lr")],
)
def test_counts_are_positive_ints(make, name):
    good = {"learning_rate": 0.1, "min_lr": 0.01, "max_lr": 0.1, "decay_rate": 0.9, "end_learning_rate": 0.0,
            "power": 0.5, "total_step": 3, "step_per_epoch": 1, "decay_epoch": 2}  # fmt: skip
    wanted = {key: value for key, value in good.items() if key in inspect.signature(make).parameters}
    assert len(make(**wanted)) == 3
    with pytest.raises(ValueError, match=f"^The '{name}' must be int and must > 0, but got '0' with type 'int'.$"):
        make(**wanted | {name: 0})
    with pytest.raises(TypeError, match=f"^The '{name}' must be int, but got 'float'$"):
        make(**wanted | {name: 1.0})


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="'milestone' size: 2, 'learning_rates' size: 1"):
        nn.piecewise_constant_lr([1, 2], [0.1])
    with pytest.raises(ValueError, match=r"the value of milestone\[1\] must be greater than milestone\[0\]"):
        nn.piecewise_constant_lr([2, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="the 'max_lr' must be greater than the 'min_lr'"):
        nn.cosine_decay_lr(0.2, 0.1, 3, 1, 1)
    with pytest.raises(TypeError, match="The type of 'milestone' should be one of .*, but got type 'int'"):
        nn.piecewise_constant_lr(2, [0.1])
    with pytest.raises(TypeError, match="the 'is_stair'|type of 'is_stair' should be 'bool', but got type 'int'"):
        nn.inverse_decay_lr(0.1, 0.9, 3, 1, 1, 1)
    with pytest.raises(TypeError, match="^The 'learning_rate' must be float, but got 'int'$"):
        nn.warmup_lr(1, 3, 1, 1)
