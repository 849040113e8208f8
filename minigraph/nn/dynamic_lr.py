"""Learning rates as lists, one per step; the epoch of step i is ``i // step_per_epoch``.

The formulas are those of MindSpore's ``dynamic_lr``. An optimizer accepts such a list as its ``learning_rate``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from minigraph.core.errors import TypeArgument, ValueArgument
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
    """learning_rate decay_rate^p, p = epoch / decay_epoch, rounded down with ``is_stair``.

    >>> exponential_decay_lr(0.1, 0.5, 4, 2, 1)
    [0.1, 0.1, 0.05, 0.05]
    """
    _check_decay(learning_rate, decay_rate, decay_epoch, is_stair)
    rounded = math.floor if is_stair else float
    return _by_epoch(total_step, step_per_epoch, lambda e: learning_rate * decay_rate ** rounded(e / decay_epoch))


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate exp(-decay_rate epoch); with ``is_stair`` the epoch rounded down to a multiple of decay_epoch.

    >>> natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True)
    [0.1, 0.1, 0.1, 0.1, 0.016529888822158657, 0.016529888822158657]
    """
    _check_decay(learning_rate, decay_rate, decay_epoch, is_stair)
    stair = decay_epoch if is_stair else 1
    return _by_epoch(
        total_step, step_per_epoch, lambda e: learning_rate * math.e ** (-decay_rate * (e // stair * stair))
    )


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate / (1 + decay_rate p), p = epoch / decay_epoch, rounded down with ``is_stair``.

    >>> inverse_decay_lr(0.1, 1.0, 3, 1, 1)
    [0.1, 0.05, 0.03333333333333333]
    """
    _check_decay(learning_rate, decay_rate, decay_epoch, is_stair)
    rounded = math.floor if is_stair else float
    return _by_epoch(total_step, step_per_epoch, lambda e: learning_rate / (1 + decay_rate * rounded(e / decay_epoch)))


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """min_lr + (max_lr - min_lr) (1 + cos(pi p)) / 2, p = epoch / decay_epoch, at most 1.

    >>> cosine_decay_lr(0.01, 0.1, 6, 2, 2)
    [0.1, 0.1, 0.05500000000000001, 0.05500000000000001, 0.01, 0.01]
    """
    check_nonnegative_float("", "min_lr", min_lr)
    check_positive_float("", "max_lr", max_lr)
    check_positive_int("", "decay_epoch", decay_epoch)
    check_rates("cosine_decay_lr", min_lr, max_lr)
    half = 0.5 * (max_lr - min_lr)

    def rate(epoch: int) -> float:
        return min_lr + half * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch))

    return _by_epoch(total_step, step_per_epoch, rate)


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """(learning_rate - end_learning_rate) (1 - epoch / decay_epoch)^power + end_learning_rate.

    After ``decay_epoch`` the rate stays at the end; with ``update_decay_epoch`` decay_epoch is multiplied by the
    smallest sufficient integer.

    >>> polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5)
    [0.1, 0.1, 0.07363961030678928, 0.07363961030678928, 0.01, 0.01]
    """
    check_positive_float("", "learning_rate", learning_rate)
    check_nonnegative_float("", "end_learning_rate", end_learning_rate)
    check_positive_float("", "power", power)
    check_positive_int("", "decay_epoch", decay_epoch)

    def rate(epoch: int) -> float:
        last = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        return (learning_rate - end_learning_rate) * (1 - min(epoch, last) / last) ** power + end_learning_rate

    return _by_epoch(total_step, step_per_epoch, rate)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """learning_rate epoch / warmup_epoch, at most learning_rate.

    >>> warmup_lr(0.1, 6, 2, 2)
    [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]
    """
    check_nonnegative_float("", "learning_rate", learning_rate)
    check_positive_int("", "warmup_epoch", warmup_epoch)
    return _by_epoch(total_step, step_per_epoch, lambda e: learning_rate * min(e, warmup_epoch) / warmup_epoch)


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """Each rate until the step of its milestone; raises ``ValueError`` unless the milestones increase.

    >>> piecewise_constant_lr([2, 5], [0.1, 0.05])
    [0.1, 0.1, 0.05, 0.05, 0.05]
    """
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, tuple | list):
            kind = type(value).__name__
            raise TypeArgument(f"The type of '{name}' should be one of '['tuple', 'list']', but got type '{kind}'.")
    if len(milestone) != len(learning_rates):
        raise ValueArgument(
            "For 'piecewise_constant_lr', the size of 'milestone' must be same with the size of 'learning_rates', "
            f"but got 'milestone' size: {len(milestone)}, 'learning_rates' size: {len(learning_rates)}."
        )
    rates: list[float] = []
    for i, (end, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        check_positive_int("", f"milestone[{i}]", end)
        if end < len(rates):
            raise ValueArgument(
                f"For 'piecewise_constant_lr', the value of milestone[{i}] must be greater than milestone[{i - 1}], "
                f"but got milestone[{i}]: {end}, milestone[{i - 1}]: {milestone[i - 1]}."
            )
        rates += [check_type("", f"learning_rates[{i}]", rate, float)] * (end - len(rates))
    return rates


def _by_epoch(total_step: int, step_per_epoch: int, rate: Callable[[int], float]) -> list[float]:
    """The rate of every step, by its epoch."""
    check_positive_int("", "total_step", total_step)
    check_positive_int("", "step_per_epoch", step_per_epoch)
    return [rate(i // step_per_epoch) for i in range(total_step)]


def _check_decay(learning_rate: float, decay_rate: float, decay_epoch: int, is_stair: bool) -> None:
    check_positive_float("", "learning_rate", learning_rate)
    check_positive_float("", "decay_rate", decay_rate)
    check_positive_int("", "decay_epoch", decay_epoch)
    check_bool("", "is_stair", is_stair)
