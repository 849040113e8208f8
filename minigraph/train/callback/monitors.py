"""Callbacks that print, keep, or call what you want."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from minigraph.core.errors import ValueArgument
from minigraph.train.callback.base import Callback, RunContext, int_from_0, loss_of

Hook = Callable[[RunContext], object]


class LambdaCallback(Callback):
    """Functions of the ``RunContext``, each for the moment it is named after."""

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
    """Prints the loss at every ``per_print_times``-th step (0: never), and in ``fit`` the metrics of each epoch.

    Raises ``ValueError`` for a loss that is not finite, which ends the training, and for a negative number.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        self.per_print_times = int_from_0(per_print_times)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Look at the loss."""
        told = run_context.original_args()
        loss = loss_of(told.net_outputs)
        step = (told.cur_step_num - 1) % told.batch_num + 1
        if not math.isfinite(loss):
            raise ValueArgument(
                f"In epoch: {told.cur_epoch_num} step: {step}, loss is NAN or INF, "
                "training process cannot continue, terminating training."
            )
        if self.per_print_times and told.cur_step_num % self.per_print_times == 0:
            print(f"epoch: {told.cur_epoch_num} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the metrics, where there are any."""
        told = run_context.original_args()
        if told.metrics:
            print(f"Eval result: epoch {told.cur_epoch_num}, metrics: {told.metrics}", flush=True)


class TimeMonitor(Callback):
    """Prints how long an epoch took and a step of it, in ms; ``data_size`` overrides the number of steps.

    With ``data_time`` also how long the rows of the epoch were waited for. Raises ``ValueError`` for a size below 1.
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        if data_size is not None and (not isinstance(data_size, int) or data_size < 1):
            raise ValueArgument(f"For 'TimeMonitor', the 'data_size' must be a positive int, but got {data_size}.")
        self.data_size, self.data_time = data_size, data_time
        self.started = self.waiting = self.waited = 0.0

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock."""
        self.started = self.waiting = time.perf_counter()
        self.waited = 0.0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """A row has come."""
        self.waited += time.perf_counter() - self.waiting

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Wait for the next row."""
        self.waiting = time.perf_counter()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Read the clock."""
        spent = (time.perf_counter() - self.started) * 1000
        steps = self.data_size or run_context.original_args().batch_num
        data = f" (data time: {self.waited * 1000:5.3f} ms)" if self.data_time else ""
        print(f"Train epoch time: {spent:5.3f} ms, per step time: {spent / steps:5.3f} ms{data}", flush=True)


class History(Callback):
    """Keeps what an epoch ended with: its number in ``epoch["epoch"]``; last loss and metrics in ``history``."""

    def __init__(self) -> None:
        self.epoch: dict[str, list[int]] = {}
        self.history: dict[str, list[Any]] = {}

    def begin(self, run_context: RunContext) -> None:
        """Forget what was before."""
        self.epoch, self.history = {"epoch": []}, {}

    def on_eval_begin(self, run_context: RunContext) -> None:
        """An evaluation is no new run."""

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Keep loss and metrics."""
        told = run_context.original_args()
        self.epoch["epoch"].append(told.cur_epoch_num)
        for name, value in {"net_output": loss_of(told.net_outputs), **(told.metrics or {})}.items():
            self.history.setdefault(name, []).append(value)
