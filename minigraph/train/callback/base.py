"""The base of callbacks, and what they are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from minigraph.core.errors import TypeArgument, UnknownName, ValueArgument, did_you_mean
from minigraph.core.tensor import Tensor


class Arguments(dict[str, Any]):
    """A dict whose entries are attributes too; callbacks may add their own.

    >>> told = Arguments(cur_epoch_num=3)
    >>> told.cur_epoch_num, told["cur_epoch_num"], told.get("metrics")
    (3, 3, None)
    """

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise UnknownName(f"a run has no '{name}' to tell{did_you_mean(name, self)}")
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """What a callback is told: ``original_args()`` has it as attributes, and ``request_stop()`` ends the run.

    Attributes while training: ``epoch_num``, ``batch_num``, ``cur_epoch_num`` and ``cur_step_num`` (both from 1),
    ``net_outputs`` (the loss), ``network``, ``train_network``, ``loss_fn``, ``optimizer``, ``train_dataset``, and in
    ``fit`` the last ``metrics``.
    """

    def __init__(self, original_args: Mapping[str, Any]) -> None:
        self._told = Arguments(original_args)
        self._stop = False

    def original_args(self) -> Arguments:
        """What there is to know, as attributes and entries."""
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

    def on_train_begin(self, run_context: RunContext) -> None:
        """``begin``, in training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """``epoch_begin``, in training."""
        self.epoch_begin(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """``step_begin``, in training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """``step_end``, in training."""
        self.step_end(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """``epoch_end``, in training."""
        self.epoch_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """``end``, in training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """``begin``, in evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """``epoch_begin``, in evaluation."""
        self.epoch_begin(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """``step_begin``, in evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """``step_end``, in evaluation."""
        self.step_end(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """``epoch_end``, in evaluation."""
        self.epoch_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """``end``, in evaluation."""
        self.end(run_context)

    def call(self, phase: str, moment: str, run_context: RunContext) -> None:
        """Call ``on_<phase>_<moment>``; phase "train" or "eval"."""
        getattr(self, f"on_{phase}_{moment}")(run_context)


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
            "When the 'callbacks' is a list, the elements in 'callbacks' must be Callback functions, "
            f"but got {type(wrong[0]).__name__}."
        )
    return list(several)


def int_from_0(value: Any) -> int:
    """The int; raises ``ValueError`` for other things and below 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        kind = type(value).__name__
        raise ValueArgument(f"The input value must be int and must >= 0, but got '{value}' with type '{kind}'.")
    return value
