"""Callbacks that watch whether a training still gets on, and set its learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.errors import TypeArgument, ValueArgument
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.train.callback.base import Arguments, Callback, RunContext, int_from_0, loss_of

RISING = ("acc", "precision", "recall", "f1", "topk", "top_")  # what "auto" takes to be better when it is more


class Watching(Callback):
    """The base: follows one number from epoch to epoch, and counts the epochs in which it did not improve.

    ``monitor`` is "loss" (of the last step), "eval_loss" (the metric ``loss``) or the name of a metric; ``mode`` says
    whether "min" or "max" is better, "auto" goes by the name. Better is what differs by more than ``min_delta``.
    Raises ``TypeError`` and ``ValueError`` for arguments that make no sense.
    """

    def __init__(self, monitor: str, min_delta: float, patience: int, mode: str) -> None:
        if not isinstance(monitor, str):
            raise TypeArgument(f"The type of 'monitor' should be 'str', but got type '{type(monitor).__name__}'.")
        if isinstance(min_delta, bool) or not isinstance(min_delta, int | float):
            kind = type(min_delta).__name__
            raise TypeArgument(f"The type of 'min_delta' should be one of '['float', 'int']', but got type '{kind}'.")
        if mode not in ("auto", "min", "max"):
            raise ValueArgument(f"mode should be 'auto', 'min' or 'max', but got {mode}.")
        self.monitor, self.min_delta = monitor, abs(min_delta)
        self.patience = int_from_0(patience)
        self.rising = mode == "max" or (mode == "auto" and any(word in monitor for word in RISING))
        self.best, self.wait = math.inf, 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Start anew."""
        self.best, self.wait = -math.inf if self.rising else math.inf, 0

    def better(self, value: float, than: float) -> bool:
        """Whether a value is better than another by more than ``min_delta``."""
        return value - self.min_delta > than if self.rising else value + self.min_delta < than

    def watched(self, told: Arguments) -> float | None:
        """The number after this epoch; ``None`` when the metric was not measured."""
        if self.monitor == "loss":
            return loss_of(told.net_outputs)
        metrics = told.metrics or {}
        value = metrics.get(self.monitor, metrics.get("loss") if self.monitor == "eval_loss" else None)
        return None if value is None else float(np.mean(value))


class EarlyStopping(Watching):
    """Ends a training when ``monitor`` did not improve for ``patience`` epochs, or does not beat ``baseline``.

    With ``restore_best_weights`` the network then has the Parameters of its best epoch.
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, min_delta, patience, mode)
        self.verbose, self.baseline, self.restore_best_weights = verbose, baseline, restore_best_weights
        self.kept: dict[str, Tensor] = {}

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the number."""
        told = run_context.original_args()
        value = self.watched(told)
        if value is None:
            return
        self.wait += 1
        if self.better(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self.kept = {p.name: Tensor(p.value()) for p in told.network.get_parameters()}
            if self.baseline is None or self.better(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self._stop(run_context, told)

    def _stop(self, run_context: RunContext, told: Arguments) -> None:
        run_context.request_stop()
        if self.verbose:
            print(f"Epoch {told.cur_epoch_num:05d}: early stopping", flush=True)
        for parameter in told.network.get_parameters() if self.kept else ():
            parameter.set_data(self.kept[parameter.name])


class ReduceLROnPlateau(Watching):
    """Multiplies the learning rate by ``factor`` when ``monitor`` did not improve for ``patience`` epochs.

    It never falls below ``min_lr``, and after a fall ``cooldown`` epochs do not count. Raises ``ValueError`` unless
    0 < factor < 1.
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, min_delta, patience, mode)
        if not 0.0 < factor < 1.0:
            kind = type(factor).__name__
            raise ValueArgument(f"The input value must be in range of (0.0, 1.0), but got {factor} with type '{kind}'.")
        self.factor, self.verbose, self.cooldown, self.min_lr = factor, verbose, int_from_0(cooldown), float(min_lr)
        self.resting = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Start anew."""
        super().on_train_begin(run_context)
        self.resting = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the number."""
        told = run_context.original_args()
        value = self.watched(told)
        if value is None:
            return
        if self.resting:
            self.resting, self.wait = self.resting - 1, 0
        if self.better(value, self.best):
            self.best, self.wait = value, 0
        elif not self.resting:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(told)

    def _reduce(self, told: Arguments) -> None:
        rate = rate_of(told.optimizer)
        old = float(rate)
        if old > self.min_lr:
            new = max(old * self.factor, self.min_lr)
            rate.set_data(Tensor(new, float32))
            if self.verbose:
                short = float(np.float32(new))
                print(f"Epoch {told.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to {short:g}.")
        self.resting, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step to ``learning_rate_function(rate, step)``, step counted from 1."""

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Set the rate of the next step."""
        told = run_context.original_args()
        rate = rate_of(told.optimizer)
        rate.set_data(Tensor(float(self.learning_rate_function(float(rate), told.cur_step_num)), float32))


def rate_of(optimizer: Any) -> Parameter:
    """The learning rate of an optimizer; raises ``ValueError`` where it is no Parameter that could be set."""
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter):
        raise ValueArgument(
            "the learning rate of this optimizer follows a schedule or differs by group, so that a callback cannot "
            "set it; give the optimizer a number"
        )
    return rate
