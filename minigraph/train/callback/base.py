"""The base class of callbacks, and the state passed to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self

from minigraph.core.aliases import CallResult
from minigraph.core.errors import ArgTypeError, ArgValueError, UnknownNameError, did_you_mean
from minigraph.core.tensor import Tensor


class Arguments(dict[str, Any]):
    """A dict whose entries are also attributes; callbacks may add their own.

    >>> state = Arguments(cur_epoch_num=3)
    >>> state.cur_epoch_num, state["cur_epoch_num"], state.get("metrics")
    (3, 3, None)
    """

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise UnknownNameError(f"the run has no '{name}'{did_you_mean(name, self)}")
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """The state of a run for callbacks: ``original_args()`` has it as attributes, ``request_stop()`` ends the run.

    Attributes in training: ``epoch_num``, ``batch_num``, ``cur_epoch_num`` and ``cur_step_num`` (both from 1),
    ``net_outputs`` (the loss), ``network``, ``train_network``, ``loss_fn``, ``optimizer``, ``train_dataset``,
    ``list_callback``, and in ``fit`` the last ``metrics``.
    """

    def __init__(self, original_args: Mapping[str, object]) -> None:
        self._state = Arguments(original_args)
        self._stop = False

    def original_args(self) -> Arguments:
        """The state, as attributes and entries."""
        return self._state

    def request_stop(self) -> None:
        """Ends the run after this step."""
        self._stop = True

    def get_stop_requested(self) -> bool:
        """Whether a callback requested to end the run."""
        return self._stop


class Callback:
    """The base class: override the methods you need.

    ``begin``, ``epoch_begin``, ``step_begin``, ``step_end``, ``epoch_end`` and ``end`` are called in training and in
    evaluation; ``on_train_begin`` and so on only in training, ``on_eval_begin`` and so on only in evaluation. A run is
    a ``with`` block of its callbacks: ``__exit__`` is also called where an exception ends it.

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """After the run, also where an exception ends it."""

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

    def call(self, phase: str, event: str, run_context: RunContext) -> None:
        """Calls ``on_<phase>_<event>``; phase is "train" or "eval"."""
        getattr(self, f"on_{phase}_{event}")(run_context)


def loss_of(outputs: CallResult) -> float:
    """The loss in the output of a training step: the mean of a Tensor, or of the first of a tuple.

    >>> loss_of((Tensor([1.0, 2.0]), None))
    1.5
    """
    first = outputs[0] if isinstance(outputs, tuple | list) else outputs
    return float(first.asnumpy().mean()) if isinstance(first, Tensor) else float(first)


def callbacks_of(callbacks: Callback | Iterable[Callback] | None) -> list[Callback]:
    """Callbacks as a list: of one, several or ``None``; raises ``TypeError`` for other types."""
    if callbacks is None or isinstance(callbacks, Callback):
        return [] if callbacks is None else [callbacks]
    items = list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]
    invalid = [x for x in items if not isinstance(x, Callback)]
    if invalid:
        raise ArgTypeError(
            "When the 'callbacks' is a list, the elements in 'callbacks' must be Callback functions, "
            f"but got {type(invalid[0]).__name__}."
        )
    return items


@contextmanager
def all_entered(callbacks: Iterable[Callback]) -> Iterator[None]:
    """Enters each callback; all are left at the end, the last one first."""
    with ExitStack() as stack:
        for callback in callbacks:
            stack.enter_context(callback)
        yield


def check_nonnegative_int(value: object) -> int:
    """The int; raises ``ValueError`` for other types and negative numbers."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        kind = type(value).__name__
        raise ArgValueError(f"The input value must be int and must >= 0, but got '{value}' with type '{kind}'.")
    return value
