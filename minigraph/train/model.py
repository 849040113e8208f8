"""``Model``: a network with its loss, optimizer and metrics, and the loops for training and evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from minigraph.core.aliases import Function
from minigraph.core.context import resolve
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.dataset import Dataset
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.optim.optimizer import Optimizer
from minigraph.nn.wrap.evaluation import WithEvalCell
from minigraph.nn.wrap.training import WithLossCell
from minigraph.train.amp import auto_mixed_precision, build_train_network
from minigraph.train.callback.base import Callback, RunContext, all_entered, callbacks_of, loss_of
from minigraph.train.metric_registry import metrics_of

if TYPE_CHECKING:
    from rich.console import Console

Advance = Callable[[str], None]
AMP_OPTIONS = {"loss_scale_manager", "keep_batchnorm_fp32"}
AMP_OPTIONS_TEXT = "'loss_scale_manager' or 'keep_batchnorm_fp32'"
BAR = "minigraph.train.progress:call_with_progress_bar"  # late-bound: rich takes a tenth of the import time


class Model:
    """Trains, evaluates and runs a network; each step runs in the mode of the context.

    Without ``loss_fn`` the network must return its loss; without ``optimizer`` it must be a training step. ``metrics``
    is a set of names ("accuracy", "loss", "mae", "mse") or a dict of ``Metric``; they need ``loss_fn`` or an
    ``eval_network``, whose results all metrics get, or those in positions ``eval_indexes``: loss, outputs, label.
    ``amp_level``, ``loss_scale_manager`` and ``keep_batchnorm_fp32`` are those of ``amp.build_train_network``;
    ``boost_level`` is "O0". On a terminal a progress bar is shown.

    >>> import minigraph as ms
    >>> from minigraph import nn, train
    >>> ms.set_seed(1)
    >>> digits, net = ms.dataset.load_digits(), nn.Dense(64, 10)
    >>> rows = ms.dataset.NumpySlicesDataset((digits.images.reshape(-1, 64), digits.labels), ["x", "y"]).batch(32)
    >>> model = train.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), {"accuracy"})
    >>> model.train(2, rows)
    >>> model.eval(rows)["accuracy"] > 0.9
    True
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Function | None = None,
        optimizer: Optimizer | None = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: Sequence[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        for name, value, kind in (("network", network, Cell), ("optimizer", optimizer, Optimizer)):
            if not isinstance(value, kind) and not (value is None and name == "optimizer"):
                got = type(value).__name__
                raise ArgTypeError(f"The type of '{name}' should be '{kind.__name__}', but got type '{got}'.")
        for name in kwargs.keys() - AMP_OPTIONS:
            raise ArgValueError(f"The argument in 'kwargs' should be {AMP_OPTIONS_TEXT}, but got '{name}'.")
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._metrics = metrics_of(metrics)
        self._eval_indexes = _check_indexes(eval_indexes, eval_network is None)
        self._eval_network = eval_network
        if eval_network is None and loss_fn is not None:
            self._eval_network = WithEvalCell(network, loss_fn)
        if self._metrics and self._eval_network is None:
            raise ArgValueError("Model: metrics need a loss_fn, or an eval_network that returns (loss, outputs, label)")
        if optimizer is not None:
            self._step = build_train_network(network, optimizer, loss_fn, amp_level, boost_level, **kwargs)
        else:
            mixed = auto_mixed_precision(network, amp_level)
            self._step = mixed if loss_fn is None else WithLossCell(mixed, loss_fn)
        self.console: Console | None = None  # of the progress bar; None: stdout

    @property
    def train_network(self) -> Cell:
        """The Cell of one training step."""
        return self._step

    @property
    def eval_network(self) -> Cell | None:
        """The Cell of one evaluation step: (loss, outputs, label)."""
        return self._eval_network

    @property
    def predict_network(self) -> Cell:
        """The network itself."""
        return self._network

    # ---- training, evaluation, prediction ----------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: Dataset,
        callbacks: Callback | Iterable[Callback] | None = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Trains on the rows of a dataset until epoch number ``epoch``, starting after ``initial_epoch``.

        There is no data sinking: ``dataset_sink_mode`` and ``sink_size`` have no effect. Raises ``TypeError`` and
        ``ValueError`` for invalid arguments, before the first step.
        """
        self._train(epoch, train_dataset, None, 1, callbacks, initial_epoch)

    def fit(
        self,
        epoch: int,
        train_dataset: Dataset,
        valid_dataset: Dataset | None = None,
        valid_frequency: int | Sequence[int] = 1,
        callbacks: Callback | Iterable[Callback] | None = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """``train``, with ``eval`` on ``valid_dataset`` between epochs, which also calls the ``callbacks``.

        ``valid_frequency`` is the number of epochs between evaluations, or a list of epochs to evaluate after, from 1.
        Raises ``TypeError`` and ``ValueError`` for invalid arguments, before the first step.
        """
        if valid_dataset is not None:
            self._check_eval(valid_dataset)
        if not isinstance(valid_frequency, int | list | tuple):
            raise ArgTypeError(
                "For 'Model.fit', the type of 'valid_frequency' must be a list or an integer, "
                f"but got type {type(valid_frequency)}."
            )
        self._train(epoch, train_dataset, valid_dataset, valid_frequency, callbacks, initial_epoch)

    def eval(
        self, valid_dataset: Dataset, callbacks: Callback | Iterable[Callback] | None = None,
        dataset_sink_mode: bool = False,
    ) -> dict[str, float]:  # fmt: skip
        """The metrics over all rows of a dataset, by name; sets the network to evaluation mode.

        Raises ``ValueError`` if the model has no metrics, ``TypeError`` for other arguments.
        """
        self._check_eval(valid_dataset)
        observers = callbacks_of(callbacks)
        with all_entered(observers):
            return self._evaluate(valid_dataset, observers)

    def predict(
        self, *predict_data: Tensor, backend: str | None = None, config: dict[str, Any] | None = None
    ) -> Tensor:
        """The output of the network in evaluation mode; ``backend`` and ``config`` have no effect."""
        return self._network.set_train(False)(*predict_data)

    # ---- loops -------------------------------------------------------------------------------------

    def _train(
        self, epochs: int, rows: Dataset, valid: Dataset | None, when: int | Sequence[int], callbacks: Any, first: int
    ) -> None:
        """All epochs after ``first``."""
        check_positive_int("Model", "epoch", epochs)
        _check_dataset("train_dataset", rows)
        if isinstance(first, bool) or not isinstance(first, int) or not 0 <= first < epochs:
            raise ArgValueError(
                "For 'Model.train', the parameter 'epoch' must bigger than parameter 'initial_epoch', "
                f"but got the parameter 'epoch' is {epochs}, 'initial_epoch' is {first}."
            )
        period = check_positive_int("Model", "valid_frequency", when) if isinstance(when, int) else 0
        observers = callbacks_of(callbacks)
        context = self._context(rows, "train", epochs, observers)
        state = context.original_args()
        state.cur_step_num = first * state.batch_num
        steps = (epochs - first) * state.batch_num if state.batch_num > 0 else None

        def run_epochs(bar: Advance | None) -> None:
            _notify(observers, "train", "begin", context)
            for number in range(first + 1, epochs + 1):
                state.cur_epoch_num, state.metrics = number, None
                self._train_epoch(rows, observers, context, bar)
                due = (number - first) % period == 0 if period else number in when  # type: ignore[operator]
                if valid is not None and due and not context.get_stop_requested():
                    state.metrics = self._evaluate(valid, observers)
                _notify(observers, "train", "epoch_end", context)
                if context.get_stop_requested():
                    break
            _notify(observers, "train", "end", context)

        with all_entered(observers):
            resolve(BAR)(self.console, steps, run_epochs)

    def _train_epoch(self, rows: Dataset, observers: list[Callback], context: RunContext, bar: Advance | None) -> None:
        """One epoch, until a callback requests a stop."""
        state = context.original_args()
        self._step.set_train()
        _notify(observers, "train", "epoch_begin", context)
        for row in rows:
            state.cur_step_num += 1
            _notify(observers, "train", "step_begin", context)
            state.net_outputs = self._step(*row)
            _notify(observers, "train", "step_end", context)
            if bar is not None:
                bar(f"epoch {state.cur_epoch_num}/{state.epoch_num}, loss {loss_of(state.net_outputs):.4g}")
            if context.get_stop_requested():
                return

    def _evaluate(self, valid_dataset: Dataset, observers: list[Callback]) -> dict[str, float]:
        """The metrics over all rows; the callbacks have been entered."""
        context = self._context(valid_dataset, "eval", 1, observers)
        for metric in self._metrics.values():
            metric.clear()
        for event in ("begin", "epoch_begin"):
            _notify(observers, "eval", event, context)
        self._eval_epoch(valid_dataset, observers, context)
        results = {name: metric.eval() for name, metric in self._metrics.items()}
        context.original_args().metrics = results
        for event in ("epoch_end", "end"):
            _notify(observers, "eval", event, context)
        return results

    def _eval_epoch(self, rows: Dataset, observers: list[Callback], context: RunContext) -> None:
        """Every batch of an evaluation, until a callback requests a stop."""
        state, network = context.original_args(), self._eval_network
        assert network is not None  # checked: metrics need a network
        network.set_train(False)
        for row in rows:
            state.cur_step_num += 1
            _notify(observers, "eval", "step_begin", context)
            state.net_outputs = network(*row)
            self._measure(state.net_outputs)
            _notify(observers, "eval", "step_end", context)
            if context.get_stop_requested():
                return

    def _measure(self, outputs: tuple[Tensor, ...]) -> None:
        """Updates every metric with a batch."""
        if self._eval_indexes is None:
            for metric in self._metrics.values():
                metric.update(*(outputs if isinstance(outputs, tuple) else (outputs,)))
            return
        loss, *values = (outputs[i] for i in self._eval_indexes)
        for metric in self._metrics.values():
            metric.update(*((loss,) if metric.needs_loss else values))

    def _context(self, rows: Dataset, mode: str, epochs: int, observers: list[Callback]) -> RunContext:
        return RunContext({
            "mode": mode,
            "list_callback": observers,
            "dataset_sink_mode": False,  # rows are not sent to a device ahead of their step
            "parallel_mode": "stand_alone",
            "device_number": 1,
            "network": self._network,
            "train_network": self._step,
            "eval_network": self._eval_network,
            "loss_fn": self._loss_fn,
            "optimizer": self._optimizer,
            f"{'train' if mode == 'train' else 'valid'}_dataset": rows,
            "epoch_num": epochs,
            "batch_num": rows.get_dataset_size(),
            "cur_epoch_num": 1,
            "cur_step_num": 0,
            "net_outputs": None,
            "metrics": None,
        })  # fmt: skip

    def _check_eval(self, rows: Dataset) -> None:
        if not self._metrics:
            raise ArgValueError(
                "For Model.eval, the model argument 'metrics' can not be None or empty, "
                "you should set the argument 'metrics' for model."
            )
        _check_dataset("valid_dataset", rows)


def _notify(observers: list[Callback], phase: str, event: str, context: RunContext) -> None:
    for callback in observers:
        callback.call(phase, event, context)


def _check_dataset(name: str, rows: Dataset) -> None:
    if not isinstance(rows, Dataset):
        raise ArgTypeError(f"Model: {name} must be a Dataset, got {type(rows).__name__}; wrap it in GeneratorDataset")


def _check_indexes(indexes: Sequence[int] | None, is_standard: bool) -> tuple[int, ...] | None:
    """The positions of loss, outputs and label in the results of the evaluation network; ``None``: use all."""
    if indexes is None:
        return (0, 1, 2) if is_standard else None
    if len(indexes) != 3 or any(isinstance(i, bool) or not isinstance(i, int) for i in indexes):
        raise ArgValueError(f"Model: eval_indexes must be 3 positions, of loss, outputs and label, got {indexes!r}")
    return tuple(indexes)
