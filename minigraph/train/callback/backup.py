"""A callback that resumes training from the last epoch that it saved."""

from __future__ import annotations

from pathlib import Path

from minigraph.core.errors import ArgValueError
from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint
from minigraph.train.callback.base import Callback, RunContext


class BackupAndRestore(Callback):
    """Loads ``backup_dir``/backup.ckpt when training begins, if it is there, and saves it every ``save_freq`` epochs.

    "epoch" is every epoch. With ``delete_checkpoint`` the file is removed when training ends. Raises ``ValueError`` for
    other arguments.
    """

    def __init__(self, backup_dir: str, save_freq: str | int = "epoch", delete_checkpoint: bool = True) -> None:
        if not isinstance(backup_dir, str):
            raise ArgValueError(f"For 'BackupAndRestore', the 'backup_dir' must be str, but got {backup_dir!r}.")
        if save_freq != "epoch" and (isinstance(save_freq, bool | str) or save_freq < 1):
            problem = f"the 'save_freq' must be 'epoch' or int, but got {save_freq!r}."
            raise ArgValueError(f"For 'BackupAndRestore', {problem}")
        if not isinstance(delete_checkpoint, bool):
            raise ArgValueError("For 'BackupAndRestore', the 'delete_checkpoint' must be bool.")
        self.file, self.delete_checkpoint = Path(backup_dir) / "backup.ckpt", delete_checkpoint
        self.save_interval = 1 if save_freq == "epoch" else int(save_freq)

    def on_train_begin(self, run_context: RunContext) -> None:
        """Loads the file."""
        if self.file.is_file():
            load_param_into_net(run_context.original_args().train_network, load_checkpoint(self.file))

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Saves the network and its optimizer."""
        state = run_context.original_args()
        if state.cur_epoch_num % self.save_interval == 0:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            save_checkpoint(state.train_network, self.file)

    def on_train_end(self, run_context: RunContext) -> None:
        """Removes the file."""
        if self.delete_checkpoint:
            self.file.unlink(missing_ok=True)
