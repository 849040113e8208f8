"""Learning rate schedules as lists of floats, one rate per step; the epoch of step i is ``i // step_per_epoch``.

The formulas are those of MindSpore's ``dynamic_lr``. An optimizer accepts such a list as its ``learning_rate``. Each
function raises ``TypeError`` for an argument of another type, and ``ValueError`` for a value that is out of range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.nn.arguments import (
    check_bool,
    check_nonnegative_float,
    check_positive_float,
    check_positive_int,
    check_rates,
    check_type,
)


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Exponential decay: ``learning_rate * decay_rate ** (epoch / decay_epoch)``.

    With ``is_stair`` the quotient is rounded down, so that the rate falls once every ``decay_epoch`` epochs.

    >>> exponential_decay_lr(0.1, 0.5, 4, 2, 1)
    [0.1, 0.1, 0.05, 0.05]
    """
    _check_decay(learning_rate, decay_rate, decay_epoch, is_stair)
    round_down = math.floor if is_stair else float
    return _epoch_rates(total_step, step_per_epoch, lambda e: learning_rate * decay_rate ** round_down(e / decay_epoch))


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Natural exponential decay: ``learning_rate * e ** (-decay_rate * epoch)``.

    With ``is_stair`` the epoch is rounded down to a multiple of ``decay_epoch``, which otherwise has no effect.

    >>> natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True)
    [0.1, 0.1, 0.1, 0.1, 0.016529888822158657, 0.016529888822158657]
    """
    _check_decay(learning_rate, decay_rate, decay_epoch, is_stair)
    epochs_per_stair = decay_epoch if is_stair else 1

    def rate(epoch: int) -> float:
        return learning_rate * math.e ** (-decay_rate * (epoch // epochs_per_stair * epochs_per_stair))

    return _epoch_rates(total_step, step_per_epoch, rate)


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Inverse-time decay: ``learning_rate / (1 + decay_rate * epoch / decay_epoch)``.

    With ``is_stair`` the quotient ``epoch / decay_epoch`` is rounded down.

    >>> inverse_decay_lr(0.1, 1.0, 3, 1, 1)
    [0.1, 0.05, 0.03333333333333333]
    """
    _check_decay(learning_rate, decay_rate, decay_epoch, is_stair)
    round_down = math.floor if is_stair else float
    return _epoch_rates(
        total_step, step_per_epoch, lambda e: learning_rate / (1 + decay_rate * round_down(e / decay_epoch))
    )


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Cosine decay: ``min_lr + (max_lr - min_lr) * (1 + cos(pi * epoch / decay_epoch)) / 2``.

    From epoch ``decay_epoch`` on, the rate is ``min_lr``.

    >>> cosine_decay_lr(0.01, 0.1, 6, 2, 2)
    [0.1, 0.1, 0.05500000000000001, 0.05500000000000001, 0.01, 0.01]
    """
    check_nonnegative_float("", "min_lr", min_lr)
    check_positive_float("", "max_lr", max_lr)
    check_positive_int("", "decay_epoch", decay_epoch)
    check_rates("cosine_decay_lr", min_lr, max_lr)
    amplitude = 0.5 * (max_lr - min_lr)

    def rate(epoch: int) -> float:
        return min_lr + amplitude * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch))

    return _epoch_rates(total_step, step_per_epoch, rate)


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """Polynomial decay to ``end_learning_rate``, which is reached at epoch ``decay_epoch``.

    The rate is ``(learning_rate - end_learning_rate) * (1 - epoch / decay_epoch) ** power + end_learning_rate``.
    With ``update_decay_epoch``, ``decay_epoch`` is replaced by its smallest multiple that is at least the epoch.

    >>> polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5)
    [0.1, 0.1, 0.07363961030678928, 0.07363961030678928, 0.01, 0.01]
    """
    check_positive_float("", "learning_rate", learning_rate)
    check_nonnegative_float("", "end_learning_rate", end_learning_rate)
    check_positive_float("", "power", power)
    check_positive_int("", "decay_epoch", decay_epoch)

    def rate(epoch: int) -> float:
        decay_end = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        decay = (1 - min(epoch, decay_end) / decay_end) ** power
        return (learning_rate - end_learning_rate) * decay + end_learning_rate

    return _epoch_rates(total_step, step_per_epoch, rate)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """Linear warm-up: ``learning_rate * epoch / warmup_epoch``, from epoch ``warmup_epoch`` on ``learning_rate``.

    >>> warmup_lr(0.1, 6, 2, 2)
    [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]
    """
    check_nonnegative_float("", "learning_rate", learning_rate)
    check_positive_int("", "warmup_epoch", warmup_epoch)
    return _epoch_rates(total_step, step_per_epoch, lambda e: learning_rate * min(e, warmup_epoch) / warmup_epoch)


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """Piecewise constant: rate i until step ``milestone[i]``; raises ``ValueError`` unless the milestones increase.

    >>> piecewise_constant_lr([2, 5], [0.1, 0.05])
    [0.1, 0.1, 0.05, 0.05, 0.05]
    """
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, tuple | list):
            kind = type(value).__name__
            raise ArgTypeError(f"The type of '{name}' should be one of '['tuple', 'list']', but got type '{kind}'.")
    if len(milestone) != len(learning_rates):
        raise ArgValueError(
            "For 'piecewise_constant_lr', the size of 'milestone' must be same with the size of 'learning_rates', "
            f"but got 'milestone' size: {len(milestone)}, 'learning_rates' size: {len(learning_rates)}."
        )
    rates: list[float] = []
    for i, (end, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        check_positive_int("", f"milestone[{i}]", end)
        if end < len(rates):
            raise ArgValueError(
                f"For 'piecewise_constant_lr', the value of milestone[{i}] must be greater than milestone[{i - 1}], "
                f"but got milestone[{i}]: {end}, milestone[{i - 1}]: {milestone[i - 1]}."
            )
        rates += [check_type("", f"learning_rates[{i}]", rate, float)] * (end - len(rates))
    return rates


def _epoch_rates(total_step: int, step_per_epoch: int, rate: Callable[[int], float]) -> list[float]:
    """The rate of every step, by its epoch."""
    check_positive_int("", "total_step", total_step)
    check_positive_int("", "step_per_epoch", step_per_epoch)
    return [rate(i // step_per_epoch) for i in range(total_step)]


def _check_decay(learning_rate: float, decay_rate: float, decay_epoch: int, is_stair: bool) -> None:
    check_positive_float("", "learning_rate", learning_rate)
    check_positive_float("", "decay_rate", decay_rate)
    check_positive_int("", "decay_epoch", decay_epoch)
    check_bool("", "is_stair", is_stair)
