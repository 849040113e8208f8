"""Callbacks that detect a plateau, and set the learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import float32
from minigraph.train.callback.base import Arguments, Callback, RunContext, check_nonnegative_int, loss_of

MAXIMIZED = ("acc", "precision", "recall", "f1", "topk", "top_")  # metrics that "auto" maximises, by parts of names


class PlateauDetector(Callback):
    """The base class: monitors a number over epochs, and counts the epochs without improvement.

    ``monitor`` is "loss" (of the last step), "eval_loss" (the metric ``loss``) or the name of a metric; ``mode`` is
    "min", "max", or "auto" (by the name). An improvement is a difference of more than ``min_delta``. Raises
    ``TypeError`` and ``ValueError`` for invalid arguments.
    """

    def __init__(self, monitor: str, min_delta: float, patience: int, mode: str) -> None:
        if not isinstance(monitor, str):
            raise ArgTypeError(f"The type of 'monitor' should be 'str', but got type '{type(monitor).__name__}'.")
        if isinstance(min_delta, bool) or not isinstance(min_delta, int | float):
            kind = type(min_delta).__name__
            raise ArgTypeError(f"The type of 'min_delta' should be one of '['float', 'int']', but got type '{kind}'.")
        if mode not in ("auto", "min", "max"):
            raise ArgValueError(f"mode should be 'auto', 'min' or 'max', but got {mode}.")
        self.monitor, self.min_delta = monitor, abs(min_delta)
        self.patience = check_nonnegative_int(patience)
        self.maximize = mode == "max" or (mode == "auto" and any(word in monitor for word in MAXIMIZED))
        self.best, self.wait = math.inf, 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Resets the state."""
        self.best, self.wait = -math.inf if self.maximize else math.inf, 0

    def is_better(self, value: float, best: float) -> bool:
        """Whether a value improves on another by more than ``min_delta``."""
        return value - self.min_delta > best if self.maximize else value + self.min_delta < best

    def monitored_value(self, state: Arguments) -> float | None:
        """The value after this epoch; ``None`` if the metric was not evaluated."""
        if self.monitor == "loss":
            return loss_of(state.net_outputs)
        metrics = state.metrics or {}
        value = metrics.get(self.monitor, metrics.get("loss") if self.monitor == "eval_loss" else None)
        return None if value is None else float(np.mean(value))


class EarlyStopping(PlateauDetector):
    """Ends training if ``monitor`` did not improve for ``patience`` epochs, or does not beat ``baseline``.

    With ``restore_best_weights`` the network gets back the Parameters of its best epoch.
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
        self.best_weights: dict[str, Tensor] = {}

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Checks the monitored value."""
        state = run_context.original_args()
        value = self.monitored_value(state)
        if value is None:
            return
        self.wait += 1
        if self.is_better(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self.best_weights = {p.name: Tensor(p.value()) for p in state.network.get_parameters()}
            if self.baseline is None or self.is_better(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self._stop(run_context, state)

    def _stop(self, run_context: RunContext, state: Arguments) -> None:
        run_context.request_stop()
        if self.verbose:
            print(f"Epoch {state.cur_epoch_num:05d}: early stopping", flush=True)
        for parameter in state.network.get_parameters() if self.best_weights else ():
            parameter.set_data(self.best_weights[parameter.name])


class ReduceLROnPlateau(PlateauDetector):
    """Multiplies the learning rate by ``factor`` if ``monitor`` did not improve for ``patience`` epochs.

    The rate stays at least ``min_lr``; after a reduction ``cooldown`` epochs are not counted. Raises ``ValueError``
    unless 0 < factor < 1.
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
            raise ArgValueError(f"The input value must be in range of (0.0, 1.0), but got {factor} with type '{kind}'.")
        self.factor, self.verbose, self.min_lr = factor, verbose, float(min_lr)
        self.cooldown, self.cooldown_left = check_nonnegative_int(cooldown), 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Resets the state."""
        super().on_train_begin(run_context)
        self.cooldown_left = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Checks the monitored value."""
        state = run_context.original_args()
        value = self.monitored_value(state)
        if value is None:
            return
        if self.cooldown_left:
            self.cooldown_left, self.wait = self.cooldown_left - 1, 0
        if self.is_better(value, self.best):
            self.best, self.wait = value, 0
        elif not self.cooldown_left:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(state)

    def _reduce(self, state: Arguments) -> None:
        rate = settable_rate(state.optimizer)
        old = float(rate)
        if old > self.min_lr:
            new = max(old * self.factor, self.min_lr)
            rate.set_data(Tensor(new, float32))
            if self.verbose:
                rounded = float(np.float32(new))
                print(f"Epoch {state.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to {rounded:g}.")
        self.cooldown_left, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step to ``learning_rate_function(rate, step)``, step counted from 1."""

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Sets the rate of the next step."""
        state = run_context.original_args()
        rate = settable_rate(state.optimizer)
        rate.set_data(Tensor(float(self.learning_rate_function(float(rate), state.cur_step_num)), float32))


def settable_rate(optimizer: object) -> Parameter:
    """The learning rate of an optimizer; raises ``ValueError`` unless it is a Parameter that can be set."""
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter):
        raise ArgValueError(
            "the learning rate of this optimizer follows a schedule or differs by group, so a callback cannot "
            "set it; pass the optimizer a number"
        )
    return rate
