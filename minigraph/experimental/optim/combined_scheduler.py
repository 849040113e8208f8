"""Schedulers that depend on more than the number of steps: on other schedulers, or on a measured value."""

from __future__ import annotations

import math
from collections.abc import Sequence

from minigraph import ops
from minigraph.core.aliases import TensorLike
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32, int32
from minigraph.experimental.optim.optimizer import Optimizer
from minigraph.experimental.optim.scheduler import GroupRates, LRScheduler, check_type, values_per_group


class SequentialLR(GroupRates):
    """One scheduler after the other: scheduler i + 1 starts, with the first rates, at step ``milestones[i]``.

    Raises ``ValueError`` unless there is one milestone less than schedulers, and for schedulers of another optimizer.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        super().__init__(optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ArgValueError(
                f"SequentialLR: {len(schedulers)} schedulers need {len(schedulers) - 1} milestones, "
                f"but got {len(milestones)}"
            )
        if any(scheduler.optimizer is not optimizer for scheduler in schedulers):
            raise ArgValueError("SequentialLR: all schedulers must be of the optimizer that is passed")
        self.schedulers, self.milestones, self.last_epoch = list(schedulers), list(milestones), last_epoch + 1
        self.schedulers[0].restart()

    def step(self) -> None:
        """Counts one step: of the current scheduler, or the first of the next one, which restarts at its milestone."""
        self.last_epoch += 1
        scheduler = self.schedulers[sum(milestone <= self.last_epoch for milestone in self.milestones)]
        if self.last_epoch in self.milestones:
            scheduler.restart()
        else:
            scheduler.step()


class ReduceLROnPlateau(GroupRates):
    """Rates times ``factor`` when a value has not improved in more than ``patience`` steps.

    The value must become smaller, or with ``mode`` "max" larger, by ``threshold``: a share of the best value, or with
    ``threshold_mode`` "abs" a difference. After a change, ``cooldown`` steps do not count. Rates stay above ``min_lr``;
    changes of at most ``eps`` are not made. Raises ``ValueError`` for other modes and a factor of 1 or more.

    >>> import minigraph as ms
    >>> from minigraph.experimental import optim
    >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], lr=0.5)
    >>> scheduler = ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    >>> for loss in (3.0, 2.0, 2.5):
    ...     scheduler.step(loss)
    >>> print(optimizer.param_groups[0]["lr"].value())
    0.25
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        super().__init__(optimizer)
        for name, value, choices in (
            ("mode", mode, ("min", "max")),
            ("threshold mode", threshold_mode, ("rel", "abs")),
        ):
            if value not in choices:
                raise ArgValueError(f"`{name}` should be '{choices[0]}' or '{choices[1]}', but got {value}.")
        check_type("ReduceLROnPlateau", "factor", factor, float)
        if factor >= 1.0:
            raise ArgValueError("The lr factor should be less than 1.0.")
        self.min_lrs = values_per_group(optimizer, "min_lrs", min_lr)
        self.mode, self.factor, self.patience, self.cooldown = mode, factor, patience, cooldown
        self.threshold, self.threshold_mode, self.eps = threshold, threshold_mode, eps
        worst = math.inf if mode == "min" else -math.inf
        self.best = Parameter(Tensor(worst, float32), name="best", requires_grad=False)
        self.wait, self.cooldown_counter, self.last_epoch = (
            Parameter(Tensor(0, int32), name=name, requires_grad=False)
            for name in ("wait", "cooldown_counter", "last_epoch_ReduceLROnPlateau")
        )

    @property
    def in_cooldown(self) -> Tensor:
        """Whether steps do not count at present: bool[]."""
        return self.cooldown_counter > 0

    def is_better(self, value: TensorLike) -> Tensor:
        """Whether a value improves on the best one: bool[]."""
        change = self.threshold if self.mode == "max" else -self.threshold
        bound = self.best * (1 + change) if self.threshold_mode == "rel" else self.best + change
        return value > bound if self.mode == "max" else value < bound

    def step(self, metrics: TensorLike) -> None:
        """Counts one step with its value, and reduces the rates after more than ``patience`` steps without progress."""
        value = metrics if isinstance(metrics, Tensor) else Tensor(metrics, float32)
        ops.assign_add(self.last_epoch, Tensor(1, int32))
        is_better = self.is_better(value)
        ops.assign(self.best, ops.where(is_better, value, self.best))
        count = ops.where(is_better | self.in_cooldown, 0, self.wait + 1)
        cooldown = ops.maximum(self.cooldown_counter - 1, 0)
        should_reduce = count > self.patience
        ops.assign(self.wait, ops.where(should_reduce, 0, count).astype(int32))
        ops.assign(self.cooldown_counter, ops.where(should_reduce, self.cooldown, cooldown).astype(int32))
        rates = [group["lr"].value() for group in self.optimizer.param_groups]
        lower_rates = [ops.maximum(rate * self.factor, lr) for rate, lr in zip(rates, self.min_lrs, strict=True)]
        self.set_rates([
            ops.where(should_reduce & (rate - lower > self.eps), lower, rate)
            for rate, lower in zip(rates, lower_rates, strict=True)
        ])  # fmt: skip
