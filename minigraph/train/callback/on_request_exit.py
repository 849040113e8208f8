"""A callback that ends training or evaluation when the process receives a signal, and saves the network."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from minigraph.core.context import get_context
from minigraph.core.errors import ArgTypeError, UsageError
from minigraph.importers.onnx.mindspore_files import export
from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint
from minigraph.train.callback.base import Callback, RunContext


class OnRequestExit(Callback):
    """Ends training after the step in which the process receives ``sig``, and saves the network.

    With ``save_ckpt`` the file ``directory``/rank_0/``file_name``_train.ckpt, which is loaded when the next training
    begins, with ``save_mindir`` the network for the first column of the data as ONNX, with the suffix .mindir. An
    evaluation ends likewise, with ``_eval`` instead of ``_train``. The signal's handler is restored at the end, also
    where an exception ends the run.
    Raises ``TypeError`` for flags that are not bools and ``UsageError`` for a ``config_file``.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     OnRequestExit(save_mindir=False, directory=folder).sig.name
    'SIGTERM'
    """

    def __init__(
        self, save_ckpt: bool = True, save_mindir: bool = True, file_name: str = "Net", directory: str = "./",
        config_file: str | None = None, sig: int = signal.SIGTERM,
    ) -> None:  # fmt: skip
        for name, value in (("save_ckpt", save_ckpt), ("save_mindir", save_mindir)):
            if not isinstance(value, bool):
                raise ArgTypeError(f"For 'OnRequestExit', the '{name}' must be bool, but got {type(value).__name__}.")
        if config_file is not None:
            raise UsageError("OnRequestExit: config_file is not supported; send the signal")
        self.save_ckpt, self.save_mindir, self.sig = save_ckpt, save_mindir, signal.Signals(sig)
        self.path = Path(directory or ".") / f"rank_{get_context('device_id')}" / file_name
        if save_ckpt or save_mindir:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self.exit = False
        self._previous: Any = None  # the handler to restore, while ours is installed
        self._open_runs = 0  # trainings and evaluations that have begun

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._restore_handler()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Installs the handler, and loads the file of an earlier training."""
        self._begin(run_context.original_args().train_network, "train")

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Requests the stop."""
        if self.exit:
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        """Saves the network, and restores the handler."""
        state = run_context.original_args()
        self._end(state.train_network, state.network, state.train_dataset, "train")

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Installs the handler, and loads the file of an earlier run."""
        self._begin(run_context.original_args().eval_network, "eval", "train")

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Requests the stop."""
        if self.exit:
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        """Saves the network, and restores the handler."""
        state = run_context.original_args()
        self._end(state.eval_network, state.network, state.valid_dataset, "eval")

    def _begin(self, network: Any, *phases: str) -> None:
        self._open_runs += 1
        if self._open_runs > 1:  # the validation of a training, whose weights stay
            return
        self._previous = signal.getsignal(self.sig) or signal.SIG_DFL  # None: not installed by Python
        signal.signal(self.sig, self._handle)
        files = [Path(f"{self.path}_{phase}.ckpt") for phase in phases]
        checkpoint = next((file for file in files if file.is_file()), None) if self.save_ckpt else None
        if checkpoint is not None:
            load_param_into_net(network, load_checkpoint(checkpoint))

    def _end(self, saved: Any, exported: Any, rows: Any, phase: str) -> None:
        self._open_runs -= 1
        if not self._open_runs:
            self._restore_handler()
        if not self.exit:
            return
        if self.save_ckpt:
            save_checkpoint(saved, f"{self.path}_{phase}.ckpt")
        if self.save_mindir:
            export(exported, next(iter(rows))[0], file_name=f"{self.path}_{phase}", file_format="MINDIR")

    def _restore_handler(self) -> None:
        self._open_runs = 0
        if self._previous is not None:
            signal.signal(self.sig, self._previous)
            self._previous = None

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.exit = True
