"""Callbacks that print, record, or call functions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from minigraph.core.errors import ArgValueError
from minigraph.train.callback.base import Callback, RunContext, check_nonnegative_int, loss_of

Hook = Callable[[RunContext], object]


class LambdaCallback(Callback):
    """Calls functions of the ``RunContext``, each at the event that its argument is named after."""

    def __init__(
        self,
        on_train_epoch_begin: Hook | None = None,
        on_train_epoch_end: Hook | None = None,
        on_train_step_begin: Hook | None = None,
        on_train_step_end: Hook | None = None,
        on_train_begin: Hook | None = None,
        on_train_end: Hook | None = None,
        on_eval_epoch_begin: Hook | None = None,
        on_eval_epoch_end: Hook | None = None,
        on_eval_step_begin: Hook | None = None,
        on_eval_step_end: Hook | None = None,
        on_eval_begin: Hook | None = None,
        on_eval_end: Hook | None = None,
    ) -> None:
        hooks = {name: hook for name, hook in locals().items() if name.startswith("on_") and hook is not None}
        vars(self).update(hooks)


class LossMonitor(Callback):
    """Prints the loss every ``per_print_times`` steps (0: never), and in ``fit`` the metrics of each epoch.

    Raises ``ValueError`` for a loss that is not finite, which ends training, and for a negative number.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        self.per_print_times = check_nonnegative_int(per_print_times)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Checks and prints the loss."""
        state = run_context.original_args()
        loss = loss_of(state.net_outputs)
        step = (state.cur_step_num - 1) % state.batch_num + 1
        if not math.isfinite(loss):
            raise ArgValueError(
                f"In epoch: {state.cur_epoch_num} step: {step}, loss is NAN or INF, "
                "training process cannot continue, terminating training."
            )
        if self.per_print_times and state.cur_step_num % self.per_print_times == 0:
            print(f"epoch: {state.cur_epoch_num} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Prints the metrics, if any."""
        state = run_context.original_args()
        if state.metrics:
            print(f"Eval result: epoch {state.cur_epoch_num}, metrics: {state.metrics}", flush=True)


class TimeMonitor(Callback):
    """Prints the time of an epoch and of a step in ms; ``data_size`` overrides the number of steps.

    With ``data_time`` also the time spent waiting for rows. Raises ``ValueError`` for a size below 1.
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        if data_size is not None and (not isinstance(data_size, int) or data_size < 1):
            raise ArgValueError(f"For 'TimeMonitor', the 'data_size' must be a positive int, but got {data_size}.")
        self.data_size, self.data_time = data_size, data_time
        self.epoch_start = self.wait_start = self.wait_time = 0.0

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Starts the clock."""
        self.epoch_start = self.wait_start = time.perf_counter()
        self.wait_time = 0.0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Adds the time that training waited for the row."""
        self.wait_time += time.perf_counter() - self.wait_start

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Starts the clock of the wait for the next row."""
        self.wait_start = time.perf_counter()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Prints the times."""
        epoch_ms = (time.perf_counter() - self.epoch_start) * 1000
        steps = self.data_size or run_context.original_args().batch_num
        data = f" (data time: {self.wait_time * 1000:5.3f} ms)" if self.data_time else ""
        print(f"Train epoch time: {epoch_ms:5.3f} ms, per step time: {epoch_ms / steps:5.3f} ms{data}", flush=True)


class History(Callback):
    """Records each epoch: its number in ``epoch["epoch"]``; the last loss and metrics in ``history``."""

    def __init__(self) -> None:
        self.epoch: dict[str, list[int]] = {}
        self.history: dict[str, list[Any]] = {}

    def begin(self, run_context: RunContext) -> None:
        """Resets the records."""
        self.epoch, self.history = {"epoch": []}, {}

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Keeps the records: an evaluation is not a new run."""

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Records loss and metrics."""
        state = run_context.original_args()
        self.epoch["epoch"].append(state.cur_epoch_num)
        for name, value in {"net_output": loss_of(state.net_outputs), **(state.metrics or {})}.items():
            self.history.setdefault(name, []).append(value)
