"""A callback that saves checkpoints during training."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minigraph.core.errors import ArgTypeError, ArgValueError, UsageError
from minigraph.nn.cell import Cell
from minigraph.serialize.save import save_checkpoint
from minigraph.train.callback.base import Arguments, Callback, RunContext

COUNTERS = ("epoch_num", "step_num")  # names for ``append_info``


class CheckpointConfig:
    """When to save checkpoints, and how many files to keep.

    Saves every ``save_checkpoint_steps`` steps or, if positive, every ``save_checkpoint_seconds`` seconds. Keeps the
    latest ``keep_checkpoint_max`` files that a callback has saved in all of its runs, at least one. Saves
    ``saved_network`` (``None``: network and optimizer) with ``append_info``: "epoch_num", "step_num", or dicts of
    further values. Files always have checksums, and there is one device and no background thread, so ``crc_check``,
    ``remove_redundancy``, ``integrated_save`` and ``async_save`` have no effect.

    Raises ``ValueError`` for numbers out of range, ``TypeError`` for other types, ``UsageError`` for features of
    MindSpore that minigraph does not support.
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list[Any] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
    ) -> None:
        unsupported = {
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
            "enc_key": enc_key,
            "exception_save": exception_save,
        }
        for name, value in unsupported.items():
            if value:
                raise UsageError(f"CheckpointConfig: {name} is not supported; leave it out")
        self.steps = _check_count(save_checkpoint_steps or 0)
        self.seconds = _check_count(save_checkpoint_seconds or 0)
        self.max_files = max(1, _check_count(keep_checkpoint_max or 0))
        if not self.steps and not self.seconds:
            raise ArgValueError("For 'CheckpointConfig', pass save_checkpoint_steps or save_checkpoint_seconds.")
        if saved_network is not None and not isinstance(saved_network, Cell):
            kind = type(saved_network)
            raise ArgTypeError(f"For 'CheckpointConfig', the type of 'saved_network' must be Cell, but got {kind}.")
        for item in append_info or ():
            if item not in COUNTERS and not isinstance(item, dict):
                raise ArgTypeError(f"For 'CheckpointConfig', append_info is {list(COUNTERS)} or dicts, got {item!r}.")
        self.saved_network, self.append_info, self.format = saved_network, list(append_info or ()), format


class ModelCheckpoint(Callback):
    """Saves checkpoints as ``<directory>/<prefix>-<epoch>_<step>.ckpt``, as configured (default: every step).

    ``step`` counts from the beginning of its epoch. If files with the prefix exist, the prefix gets a number, so that
    earlier checkpoints are kept; ``latest_ckpt_file_name`` is the last file. Raises ``ValueError`` for a prefix with a
    slash, ``TypeError`` for other types.

    >>> import tempfile
    >>> import numpy as np
    >>> from minigraph import dataset, nn, train
    >>> net, folder = nn.Dense(1, 1), tempfile.mkdtemp()
    >>> rows = dataset.NumpySlicesDataset((np.ones((4, 1), np.float32),) * 2, ["x", "y"]).batch(2)
    >>> saving = ModelCheckpoint("net", folder, CheckpointConfig(save_checkpoint_steps=2))
    >>> train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(2, rows, callbacks=saving)
    >>> sorted(os.listdir(folder))
    ['net-1_2.ckpt', 'net-2_2.ckpt']
    """

    def __init__(
        self,
        prefix: str | Callable[[Arguments], str] = "CKP",
        directory: str | os.PathLike[str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if not callable(prefix) and (not isinstance(prefix, str) or "/" in prefix or os.sep in prefix or not prefix):
            raise ArgValueError(
                "For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name is invalid, it must be "
                f"callable or string that does not contain '/', but got {prefix}."
            )
        if directory is not None and not isinstance(directory, str | os.PathLike):
            raise ArgTypeError(f"For 'ModelCheckpoint', the directory must be a path, but got {type(directory)}.")
        if config is not None and not isinstance(config, CheckpointConfig):
            kind = type(config)
            raise ArgTypeError(
                f"For 'ModelCheckpoint', the type of argument 'config' should be 'CheckpointConfig', but got {kind}."
            )
        self.prefix, self.folder, self.config = prefix, Path(directory or "."), config or CheckpointConfig()
        self.stem = ""
        self.files: list[Path] = []
        self.saved_step, self.saved_at = 0, 0.0

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the last saved file; "" before the first."""
        return str(self.files[-1]) if self.files else ""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Chooses a prefix without existing files."""
        state = run_context.original_args()
        self.folder.mkdir(parents=True, exist_ok=True)
        name = self.prefix(state) if callable(self.prefix) else self.prefix
        self.stem, number = name, 0
        while any(file.name.startswith(f"{self.stem}-") for file in self.folder.iterdir()):
            number += 1
            self.stem = f"{name}_{number}"
        self.saved_step, self.saved_at = state.cur_step_num, time.monotonic()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Saves if due."""
        state = run_context.original_args()
        if self.config.seconds:
            due = time.monotonic() - self.saved_at >= self.config.seconds
        else:
            due = state.cur_step_num - self.saved_step >= self.config.steps
        if due:
            self.save(state)

    def on_train_end(self, run_context: RunContext) -> None:
        """Saves the steps after the last file."""
        state = run_context.original_args()
        if state.cur_step_num > self.saved_step:
            self.save(state)

    def save(self, state: Arguments) -> None:
        """Saves now, and removes the oldest files above ``keep_checkpoint_max``."""
        step = (state.cur_step_num - 1) % state.batch_num + 1
        path = self.folder / f"{self.stem}-{state.cur_epoch_num}_{step}.{self.config.format}"
        net = self.config.saved_network or state.train_network
        save_checkpoint(net, path, append_dict=self._append_dict(state), format=self.config.format)
        self.files.append(path)
        while len(self.files) > self.config.max_files:
            self.files.pop(0).unlink(missing_ok=True)
        self.saved_step, self.saved_at = state.cur_step_num, time.monotonic()

    def _append_dict(self, state: Arguments) -> dict[str, Any]:
        counters = {"epoch_num": state.cur_epoch_num, "step_num": state.cur_step_num}
        entries: dict[str, Any] = {}
        for item in self.config.append_info:
            entries |= {item: counters[item]} if isinstance(item, str) else item
        return entries


def _check_count(value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"CheckpointConfig: a number of steps, seconds or files must be an int, got {value!r}")
    if value < 0:
        raise ArgValueError(f"The input value must be int and must >= 0, but got '{value}' with type 'int'.")
    return value
