"""Calls of ``print`` during tracing: what they write is kept, and written when tracing has succeeded."""

from __future__ import annotations

import builtins
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, NamedTuple

from minigraph.core.location import Loc, user_loc


class PrintedText(NamedTuple):
    """What a call of ``print`` writes, and where; it is written when tracing has succeeded."""

    loc: Loc | None
    file: Any
    text: str


# Python's print is replaced for all threads while any thread is tracing; each thread records its own calls.

_recorded_prints: ContextVar[list[PrintedText] | None] = ContextVar("recorded_prints", default=None)
_originals: list[Any] = []  # Python's own print, once per active trace
_lock = Lock()


def _replace_print() -> None:
    with _lock:
        _originals.append(_originals[0] if _originals else builtins.print)
        builtins.print = _recording_print


def _restore_print() -> None:
    with _lock:
        original = _originals.pop()
        if not _originals:
            builtins.print = original


def _recording_print(*values: Any, **options: Any) -> None:
    calls, original = _recorded_prints.get(), _originals[0] if _originals else builtins.print
    if calls is None:
        original(*values, **options)
        return
    text = io.StringIO()
    original(*values, **options | {"file": text})
    calls.append(PrintedText(user_loc(), options.get("file"), text.getvalue()))


@contextmanager
def record_prints(calls: list[PrintedText]) -> Iterator[None]:
    """Keep in ``calls`` what this thread prints inside the block."""
    token = _recorded_prints.set(calls)
    _replace_print()
    try:
        yield
    finally:
        _restore_print()
        _recorded_prints.reset(token)
