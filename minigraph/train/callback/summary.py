"""Values of training in TensorBoard's files; they need the library ``tensorboardX``, of the extra ``tensorboard``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

from minigraph.core.aliases import Array
from minigraph.core.errors import ArgTypeError, ArgValueError, UnknownNameError, UsageError
from minigraph.core.files import named_errors, suppress_file_errors
from minigraph.core.lazy import resolve
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Parameter, Tensor
from minigraph.nn.cell import Cell
from minigraph.ops.operations.summaries import RECORDERS
from minigraph.train.callback.base import Callback, RunContext, loss_of

VALUE_KINDS = ("scalar", "image", "tensor", "histogram")
MAX_BUFFERED_SECONDS = 120.0  # that an event waits before it is on the disk
MAX_DEFAULT_HISTOGRAMS = 5  # Parameters with a histogram by default, as in MindSpore
DEFAULT_SELECTION: dict[str, Any] = {"collect_metric": True, "histogram_regular": None}
UNUSED_SELECTION = (
    "collect_graph", "collect_train_lineage", "collect_eval_lineage", "collect_dataset_graph", "collect_input_data",
    "collect_landscape",
)  # MindSpore's other keys  # fmt: skip


def writer_of(folder: Path, suffix: str) -> Any:
    """A writer of event files; raises ``UsageError`` that names the extra if the library is not installed."""
    try:
        library = resolve("tensorboardX")
    except (ImportError, UnknownNameError):
        raise UsageError("summaries need the library tensorboardX: pip install 'minigraph[tensorboard]'") from None
    writer = library.SummaryWriter(str(folder), filename_suffix=suffix)
    writer.file_writer.event_writer = EventFile(writer.file_writer.event_writer)
    return writer


class EventFile:
    """Replaces tensorboardX's queue of events and its thread: it writes them in the calls of its methods.

    The thread ends when it cannot write (a full disk); then nothing empties the queue, and the next events wait for
    ever. Here ``OSError`` names the file; events that are added later raise it again, and nothing else is done.
    """

    def __init__(self, queue: Any) -> None:
        queue._worker.stop()
        queue._event_queue.close()
        self._events, self._folder = queue._ev_writer, queue.get_logdir()
        self._error: OSError | None = None
        self._is_open, self._next_flush = True, 0.0

    def get_logdir(self) -> str:
        """The folder."""
        return str(self._folder)

    def add_event(self, event: object) -> None:
        """Write an event; it is on the disk after ``MAX_BUFFERED_SECONDS`` at the latest, if others follow."""
        if self._error is not None:
            raise self._error.with_traceback(None)
        self._call("write_event", event)
        if monotonic() >= self._next_flush:
            self.flush()

    def flush(self) -> None:
        """Write what is buffered."""
        if self._is_open:
            self._call("flush")
            self._next_flush = monotonic() + MAX_BUFFERED_SECONDS

    def close(self) -> None:
        """Write what is buffered, and close the file."""
        if self._is_open:
            self._call("close")
            self._is_open = False

    def _call(self, name: str, *args: object) -> None:
        try:
            with named_errors(self._events._file_name):
                getattr(self._events, name)(*args)
        except OSError as error:
            reraise_handler_error(error)
            self._error, self._is_open = error.with_traceback(None), False
            with suppress_file_errors():
                self._events._py_recordio_writer.close()
            raise


class SummaryRecord:
    """Event files in a folder: ``add_value(kind, name, tensor)``, then ``record(step)`` writes what was added.

    Kinds are "scalar", "image" [N, C, H, W], "tensor" and "histogram". Raises ``ValueError`` for others, ``TypeError``
    for a value that is no tensor, ``UsageError`` without the library ``tensorboardX``.
    """

    def __init__(
        self, log_dir: str, file_prefix: str = "events", file_suffix: str = "_MS", num_process: int = 32,
        network: Cell | None = None, max_file_size: int | None = None, raise_exception: bool = False,
        export_options: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        if export_options:
            raise UsageError("SummaryRecord: export_options is not supported; save arrays with numpy.save")
        self.log_dir, self.mode = str(Path(log_dir).absolute()), "train"
        self._is_closed = False
        self._writer, self._added = writer_of(Path(log_dir), file_suffix), []  # type: ignore[var-annotated]
        self._latest: dict[tuple[str, str], Array] = {}  # by kind and name, of the summary operators
        RECORDERS[self] = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def set_mode(self, mode: str) -> None:
        """The phase of the values that follow: "train" or "eval"; it is part of their names."""
        if mode not in ("train", "eval"):
            raise ArgValueError(f"For 'SummaryRecord', the 'mode' must be 'train' or 'eval', but got {mode!r}")
        self.mode = mode

    def add_value(self, plugin: str, name: str, value: Tensor) -> None:
        """A value for the next ``record``."""
        if plugin not in VALUE_KINDS:
            raise ArgValueError(f"The plugin must be one of {list(VALUE_KINDS)}, but got {plugin!r}.")
        if not isinstance(name, str) or not name:
            raise ArgTypeError(f"The name must be a non-empty string, but got {name!r}.")
        if not isinstance(value, Tensor):
            raise ArgTypeError(f"Expect the value to be a Tensor, but got {type(value).__name__}.")
        self._added.append((plugin, name, value.asnumpy()))

    def keep_latest(self, kind: str, name: str, array: Array) -> None:
        """The value of a summary operator for the next ``record``, instead of its previous one."""
        self._latest[kind, name] = array

    def record(self, step: int, train_network: Cell | None = None, plugin_filter: Any = None) -> bool:
        """Writes what was added for a step; whether it did: not after ``close``. Raises ``OSError`` on a full disk."""
        if self._is_closed:
            return False
        latest, self._latest = self._latest, {}
        for kind, name, array in [*self._added, *((*key, array) for key, array in latest.items())]:
            if plugin_filter is not None and not plugin_filter(kind):
                continue
            tag = name if self.mode == "train" else f"{self.mode}/{name}"
            if kind == "scalar":
                self._writer.add_scalar(tag, float(array), step)
            elif kind == "image":
                self._writer.add_images(tag, array, step)
            else:
                self._writer.add_histogram(tag, array.reshape(-1), step)
        self._added = []
        return True

    def flush(self) -> None:
        """Writes what is buffered."""
        self._writer.flush()

    def close(self) -> None:
        """Writes what is buffered, and closes the file."""
        self._is_closed = True
        RECORDERS.discard(self)
        self._writer.close()


class SummaryCollector(Callback):
    """Writes the loss every ``collect_freq`` steps, the metrics of ``fit``, and histograms of Parameters.

    ``collect_specified_data``: "collect_metric" (by default True with ``keep_default_action``), "histogram_regular", a
    pattern that is searched in the names of Parameters, by default the first five (``None``); MindSpore's other keys
    have no effect. Raises ``ValueError`` for an unknown key or a frequency below 1.
    """

    def __init__(
        self, summary_dir: str, collect_freq: int = 10, num_process: int = 32,
        collect_specified_data: Mapping[str, Any] | None = None, keep_default_action: bool = True,
        custom_lineage_data: object = None, collect_tensor_freq: int | None = None, max_file_size: int | None = None,
        export_options: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        if isinstance(collect_freq, bool) or not isinstance(collect_freq, int) or collect_freq < 1:
            raise ArgValueError(f"For 'collect_freq' the value should be greater than 0, but got {collect_freq}.")
        selection = dict(collect_specified_data or {})
        known = {*DEFAULT_SELECTION, *UNUSED_SELECTION}
        if unknown := selection.keys() - known:
            raise ArgValueError(f"For 'collect_specified_data', {sorted(unknown)} are not in {sorted(known)}")
        self.selection = (DEFAULT_SELECTION if keep_default_action else {}) | selection
        self.folder, self.collect_freq, self.export_options = summary_dir, collect_freq, export_options

    def __enter__(self) -> Self:
        self.record = SummaryRecord(self.folder, export_options=self.export_options)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.record.close()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Writes the values of a step."""
        params = run_context.original_args()
        if (params.cur_step_num - 1) % self.collect_freq:
            return
        if self.selection.get("collect_metric"):
            self.record.add_value("scalar", "loss", Tensor(loss_of(params.net_outputs)))
        for parameter in self._parameters_with_histograms(params.train_network.trainable_params()):
            self.record.add_value("histogram", parameter.name, parameter)
        self.record.record(params.cur_step_num)

    def _parameters_with_histograms(self, parameters: Sequence[Parameter]) -> list[Parameter]:
        """The Parameters whose histograms are written."""
        if "histogram_regular" not in self.selection:
            return []
        pattern: Any = self.selection["histogram_regular"]
        if pattern is None:
            return list(parameters[:MAX_DEFAULT_HISTOGRAMS])
        return [parameter for parameter in parameters if re.search(pattern, parameter.name)]

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Writes the metrics of ``fit``."""
        params = run_context.original_args()
        for name, value in (getattr(params, "eval_results", None) or {}).items():
            if self.selection.get("collect_metric") and isinstance(value, int | float):
                self.record.add_value("scalar", f"eval_{name}", Tensor(float(value)))
        self.record.record(params.cur_step_num)
