"""Callbacks: what happens beside a training, at its steps and epochs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from minigraph.errors import TypeArgument, ValueArgument
from minigraph.tensor import Tensor


class RunContext:
    """What a callback is told: ``original_args()`` has it as attributes, and ``request_stop()`` ends the run.

    Attributes while training: ``epoch_num``, ``batch_num``, ``cur_epoch_num`` and ``cur_step_num`` (both from 1),
    ``net_outputs`` (the loss), ``network``, ``loss_fn``, ``optimizer``, and in ``fit`` the last ``metrics``.
    """

    def __init__(self, **told: Any) -> None:
        self._told = SimpleNamespace(**told)
        self._stop = False

    def original_args(self) -> SimpleNamespace:
        """What there is to know, as attributes; callbacks may add their own."""
        return self._told

    def request_stop(self) -> None:
        """End the run after this step."""
        self._stop = True

    def get_stop_requested(self) -> bool:
        """Whether a callback asked to end the run."""
        return self._stop


class Callback:
    """The base: override what you need.

    ``begin``, ``epoch_begin``, ``step_begin``, ``step_end``, ``epoch_end`` and ``end`` are called in training and in
    evaluation; ``on_train_begin`` and so on only in training, ``on_eval_begin`` and so on only in evaluation.

    >>> import numpy as np
    >>> from minigraph import dataset, nn, train
    >>> class Count(Callback):
    ...     steps = 0
    ...
    ...     def on_train_step_end(self, run_context):
    ...         self.steps += 1
    >>> net, count = nn.Dense(1, 1), Count()
    >>> x = np.ones((2, 1), np.float32)
    >>> rows = dataset.NumpySlicesDataset((x, x), ["x", "y"]).batch(1)
    >>> train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(3, rows, callbacks=count)
    >>> count.steps
    6
    """

    def begin(self, run_context: RunContext) -> None:
        """Before the first epoch."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Before each step."""

    def step_end(self, run_context: RunContext) -> None:
        """After each step."""

    def epoch_end(self, run_context: RunContext) -> None:
        """After each epoch."""

    def end(self, run_context: RunContext) -> None:
        """After the last epoch."""

    def call(self, phase: str, moment: str, run_context: RunContext) -> None:
        """Call ``on_<phase>_<moment>`` if it is defined, else ``<moment>``; phase "train" or "eval"."""
        getattr(self, f"on_{phase}_{moment}", getattr(self, moment))(run_context)


class LossMonitor(Callback):
    """Prints the loss at every ``per_print_times``-th step (0: never), and in ``fit`` the metrics of each epoch.

    Raises ``ValueError`` for a loss that is not finite, which ends the training, and for a negative number.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        if isinstance(per_print_times, bool) or not isinstance(per_print_times, int) or per_print_times < 0:
            raise ValueArgument(f"The argument 'per_print_times' must be int and >= 0, but got {per_print_times}")
        self.per_print_times = per_print_times

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Look at the loss."""
        told = run_context.original_args()
        loss = loss_of(told.net_outputs)
        step = (told.cur_step_num - 1) % told.batch_num + 1
        if not math.isfinite(loss):
            raise ValueArgument(f"epoch: {told.cur_epoch_num} step: {step}. Invalid loss, terminating training.")
        if self.per_print_times and told.cur_step_num % self.per_print_times == 0:
            print(f"epoch: {told.cur_epoch_num} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the metrics, where there are any."""
        told = run_context.original_args()
        if told.metrics:
            print(f"Eval result: epoch {told.cur_epoch_num}, metrics: {told.metrics}", flush=True)


class TimeMonitor(Callback):
    """Prints how long an epoch took and a step of it, in ms; ``data_size`` overrides the number of steps."""

    def __init__(self, data_size: int | None = None) -> None:
        if data_size is not None and (not isinstance(data_size, int) or data_size < 1):
            raise ValueArgument(f"For 'TimeMonitor', the 'data_size' must be a positive int, but got {data_size}.")
        self.data_size = data_size
        self.started = 0.0

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock."""
        self.started = time.perf_counter()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Read the clock."""
        spent = (time.perf_counter() - self.started) * 1000
        steps = self.data_size or run_context.original_args().batch_num
        print(f"epoch time: {spent:5.3f} ms, per step time: {spent / steps:5.3f} ms", flush=True)


def loss_of(outputs: Any) -> float:
    """The loss in what a training step returned: a Tensor, or the first of a tuple; its mean.

    >>> loss_of((Tensor([1.0, 2.0]), None))
    1.5
    """
    first = outputs[0] if isinstance(outputs, tuple | list) else outputs
    return float(first.asnumpy().mean()) if isinstance(first, Tensor) else float(first)


def callbacks_of(callbacks: Any) -> list[Callback]:
    """Callbacks in a list: of one, several or ``None``; raises ``TypeError`` for anything else."""
    several = [] if callbacks is None else [callbacks] if isinstance(callbacks, Callback) else callbacks
    wrong = [x for x in several if not isinstance(x, Callback)] if isinstance(several, Iterable) else [callbacks]
    if wrong:
        raise TypeArgument(
            f"When the 'callbacks' is a list, its items must be Callbacks, got {type(wrong[0]).__name__}"
        )
    return list(several)
