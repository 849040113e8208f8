"""Learning rate schedules: Cells of the step count, called by an optimizer at every step.

The formulas are those of MindSpore's ``learning_rate_schedule``; the first step is number 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from minigraph import ops
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.nn.arguments import (
    check_bool,
    check_nonnegative_float,
    check_positive_float,
    check_positive_int,
    check_rates,
)
from minigraph.nn.cell import Cell


class LearningRateSchedule(Cell):
    """The base class: ``construct(global_step)`` takes the Int32 step count, [] or [1], and returns the rate.

    >>> from minigraph import nn, Parameter, Tensor
    >>> class Halving(LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 0.5 ** global_step.astype(ms.float32)
    >>> import minigraph as ms
    >>> w = Parameter(Tensor([2.0]), name="w")
    >>> optimizer = nn.SGD([w], learning_rate=Halving())
    >>> optimizer((Tensor([1.0]),)), optimizer((Tensor([1.0]),))
    ((True,), (True,))
    >>> print(w.value())
    [0.5]
    """


class ListedRates(LearningRateSchedule):
    """One rate per step from a list; the last one persists. Raises ``ValueError`` for an empty list.

    The rates are a Parameter, so checkpoints contain them.

    >>> print(ListedRates([0.5, 0.25])(Tensor(1)), ListedRates([0.5, 0.25])(Tensor(7)))
    0.25 0.25
    """

    def __init__(self, rates: Tensor | Iterable[float], name: str = "learning_rate") -> None:
        super().__init__()
        if isinstance(rates, Tensor) and rates.ndim > 1:
            raise ArgValueError(
                "For 'Optimizer', if 'learning_rate' is Tensor type, then the dimension of it should be 0 or 1, "
                f"but got {rates.ndim}."
            )
        first = Tensor(rates if isinstance(rates, Tensor) else list(rates), float32)
        if first.ndim != 1 or not first.size:
            raise ArgValueError(f"For 'Optimizer', a list of learning rates must hold numbers, but got {first.type}.")
        self.learning_rate = Parameter(first, name, requires_grad=False)

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate of this step: f32, of the shape of the count."""
        return self.learning_rate[ops.minimum(global_step, self.learning_rate.size - 1)]


class FixedRate(LearningRateSchedule):
    """A constant rate, a Parameter f32[]: for a group next to groups with schedules."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate."""
        return self.learning_rate.value()


class Decay(LearningRateSchedule):
    """The base class of rates that decay from ``learning_rate`` with p, the number of ``decay_steps`` passed.

    With ``is_stair`` p is rounded down. Raises ``TypeError`` for other types, ``ValueError`` for numbers that are not
    positive.
    """

    def __init__(self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False) -> None:
        super().__init__()
        caller = type(self).__name__
        self.learning_rate = check_positive_float(caller, "learning_rate", learning_rate)
        self.decay_rate = check_positive_float(caller, "decay_rate", decay_rate)
        self.decay_steps = check_positive_int(caller, "decay_steps", decay_steps)
        self.is_stair = check_bool(caller, "is_stair", is_stair)

    def progress(self, global_step: Tensor) -> Tensor:
        """p, f32."""
        p = global_step.astype(float32) / self.decay_steps
        return ops.floor(p) if self.is_stair else p


class ExponentialDecayLR(Decay):
    """learning_rate decay_rate^p, p = step / decay_steps.

    >>> print(ExponentialDecayLR(0.5, 0.25, 4)(Tensor(2)))
    0.25
    """

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate of this step: f32."""
        return self.learning_rate * ops.pow(self.decay_rate, self.progress(global_step))


class NaturalExpDecayLR(Decay):
    """learning_rate exp(-decay_rate step); with ``is_stair`` the step is rounded down to a multiple of decay_steps.

    MindSpore's documentation divides the step by decay_steps; its code computes this formula.

    >>> print(NaturalExpDecayLR(0.5, 0.9, 4, True)(Tensor(3)))
    0.5
    """

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate of this step: f32."""
        steps = self.progress(global_step) * self.decay_steps if self.is_stair else global_step.astype(float32)
        return self.learning_rate * ops.exp(-self.decay_rate * steps)


class InverseDecayLR(Decay):
    """learning_rate / (1 + decay_rate p), p = step / decay_steps.

    >>> print(InverseDecayLR(0.5, 1.0, 4)(Tensor(4)))
    0.25
    """

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate of this step: f32."""
        return self.learning_rate / (1 + self.decay_rate * self.progress(global_step))


class CosineDecayLR(LearningRateSchedule):
    """min_lr + (max_lr - min_lr) (1 + cos(pi p)) / 2, p = step / decay_steps, at most 1 (Loshchilov & Hutter 2017).

    Raises ``TypeError`` for other types, ``ValueError`` unless 0 <= min_lr < max_lr.

    >>> print(CosineDecayLR(0.0, 0.5, 4)(Tensor(4)))
    0.0
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        self.min_lr = check_nonnegative_float("CosineDecayLR", "min_lr", min_lr)
        self.max_lr = check_positive_float("CosineDecayLR", "max_lr", max_lr)
        self.decay_steps = check_positive_int("CosineDecayLR", "decay_steps", decay_steps)
        check_rates("CosineDecayLR", min_lr, max_lr)

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate of this step: f32."""
        share = ops.minimum(global_step, self.decay_steps).astype(float32) * (math.pi / self.decay_steps)
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * (1.0 + ops.cos(share))


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end_learning_rate) (1 - step / decay_steps)^power + end_learning_rate.

    After ``decay_steps`` the rate stays at the end; with ``update_decay_steps`` decay_steps is multiplied by the
    smallest sufficient integer, so that the rate rises and falls again. Raises ``TypeError`` for other types,
    ``ValueError`` for numbers that are not positive (end_learning_rate: negative).

    >>> print(PolynomialDecayLR(0.5, 0.0, 4, 1.0)(Tensor(2)))
    0.25
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        caller = "PolynomialDecayLR"
        self.learning_rate = check_positive_float(caller, "learning_rate", learning_rate)
        self.end_learning_rate = check_nonnegative_float(caller, "end_learning_rate", end_learning_rate)
        self.decay_steps = check_positive_int(caller, "decay_steps", decay_steps)
        self.power = check_positive_float(caller, "power", power)
        self.update_decay_steps = update_decay_steps

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate of this step: f32."""
        step, last = global_step.astype(float32), float(self.decay_steps)
        if self.update_decay_steps:
            share = step / (last * ops.maximum(ops.ceil(step / last), 1.0))
        else:
            share = ops.minimum(step, last) / last
        decayed = (self.learning_rate - self.end_learning_rate) * ops.pow(1.0 - share, self.power)
        return decayed + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """learning_rate step / warmup_steps, at most learning_rate (Goyal et al. 2017, arXiv 1706.02677, section 2.2).

    >>> print(WarmUpLR(0.5, 4)(Tensor(2)))
    0.25
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate = check_nonnegative_float("WarmUpLR", "learning_rate", learning_rate)
        self.warmup_steps = check_positive_int("WarmUpLR", "warmup_steps", warmup_steps)

    def construct(self, global_step: Tensor) -> Tensor:
        """The rate of this step: f32."""
        return self.learning_rate * ops.minimum(global_step, self.warmup_steps).astype(float32) / self.warmup_steps
