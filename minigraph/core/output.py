"""Capturing what a block prints, while what other threads print still reaches the screen.

An exception raised inside of ``__enter__`` or ``__exit__`` (a signal handler's) loses no later output: the block ends
when nothing holds it any more.
"""

from __future__ import annotations

import io
import sys
from contextvars import ContextVar
from threading import Lock
from types import TracebackType
from typing import Any, TextIO
from weakref import WeakSet, ref

from minigraph.core.scope_guard import VariableBlock

_captured: ContextVar[ref[capture_output] | None] = ContextVar("captured output", default=None)
_lock = Lock()


class _Router:
    """Stands for ``sys.stdout`` while any block is open: writes of the block's context go to it, others to the screen.

    Whoever still holds it afterwards writes to the screen.
    """

    def __init__(self, screen: TextIO) -> None:
        self.screen = screen

    def __getattr__(self, name: str) -> Any:
        captured = _captured.get()
        block = captured() if captured is not None else None
        return getattr(self.screen if block is None else block.stream, name)


class capture_output:
    """A block whose printed output goes to the ``io.StringIO`` that it gives; that of other threads does not.

    >>> with capture_output() as printed:
    ...     print("captured")
    >>> printed.getvalue()
    'captured\\n'
    """

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self._block = VariableBlock(_captured, ref(self, _restore_screen))

    def __enter__(self) -> io.StringIO:
        with _lock:
            _open_blocks.add(self)
            if not isinstance(sys.stdout, _Router):
                sys.stdout = _Router(sys.stdout)
        self._block.__enter__()
        return self.stream

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._block.__exit__(kind, error, tb)
        with _lock:
            _open_blocks.discard(self)
        _restore_screen()


_open_blocks: WeakSet[capture_output] = WeakSet()


def _restore_screen(_: object = None) -> None:
    """Put ``sys.stdout`` back if no block is open; called when one ends or is dropped."""
    if not _open_blocks and isinstance(sys.stdout, _Router):
        sys.stdout = sys.stdout.screen
