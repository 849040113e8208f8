"""Capturing what a block prints, while what other threads print still reaches the screen."""

from __future__ import annotations

import io
import sys
from contextvars import ContextVar
from threading import Lock
from types import TracebackType
from typing import Any, TextIO

from minigraph.core.scope_guard import VariableBlock

_captured: ContextVar[io.StringIO | None] = ContextVar("captured output", default=None)
_lock = Lock()
_open_blocks = 0


class _Router:
    """Stands for ``sys.stdout`` while any block is open: writes of the block's context go to it, others to the screen.

    Whoever still holds it afterwards writes to the screen.
    """

    def __init__(self, screen: TextIO) -> None:
        self.screen = screen

    def __getattr__(self, name: str) -> Any:
        captured = _captured.get()
        return getattr(self.screen if captured is None else captured, name)


class capture_output:
    """A block whose printed output goes to the ``io.StringIO`` that it gives; that of other threads does not.

    >>> with capture_output() as printed:
    ...     print("captured")
    >>> printed.getvalue()
    'captured\\n'
    """

    def __enter__(self) -> io.StringIO:
        global _open_blocks
        self._block = VariableBlock(_captured, io.StringIO())
        with _lock:
            _open_blocks += 1
            if not isinstance(sys.stdout, _Router):
                sys.stdout = _Router(sys.stdout)
        stream: io.StringIO = self._block.__enter__()
        return stream

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        global _open_blocks
        self._block.__exit__(kind, error, tb)
        with _lock:
            _open_blocks -= 1
            if not _open_blocks and isinstance(sys.stdout, _Router):
                sys.stdout = sys.stdout.screen
