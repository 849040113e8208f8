"""The console of the commands."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


class CommandConsole(Console):
    """A console that raises ``BrokenPipeError`` when the reader closes the pipe; rich's own would exit."""

    def on_broken_pipe(self) -> NoReturn:
        """Leave the closed pipe to the command's ``main``."""
        raise BrokenPipeError
