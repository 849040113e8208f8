"""Graphviz as a program or as the pygraphviz wheel: DOT source in, picture bytes out, or ``None``."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

from minigraph.core.errors import RenderError, did_you_mean

try:  # an extra: not every platform has a wheel
    import pygraphviz
except ImportError:
    pygraphviz = None

FORMATS = ("svg", "png", "pdf")
TIMEOUT_SECONDS = 60  # layout time grows faster than the graph; nobody waits longer for a picture
_lock = threading.Lock()


def normalize_format(name: str) -> str:
    """The format in lower case; raises ``RenderError`` for others, because a renderer once crashed on one.

    >>> normalize_format("SVG")
    'svg'
    """
    wanted = str(name).lower().removeprefix(".")
    if wanted not in FORMATS:
        raise RenderError(f"no renderer for '{name}'{did_you_mean(wanted, FORMATS)}; formats: {', '.join(FORMATS)}")
    return wanted


def graphviz_bytes(source: str, format: str) -> bytes | None:
    """The picture drawn by ``dot`` on PATH, else by pygraphviz; ``None`` when neither is there.

    Raises ``RenderError`` for a format that is not in ``FORMATS``, bad source, or after ``TIMEOUT_SECONDS``.
    """
    wanted = normalize_format(format)
    program = shutil.which("dot")
    if program:
        return _run_dot(program, source, wanted)
    return None if pygraphviz is None else _run_pygraphviz(source, wanted)


def _run_dot(program: str, source: str, format: str) -> bytes:
    try:
        run = subprocess.run([program, f"-T{format}"], input=source.encode(), capture_output=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise RenderError(f"dot: no picture after {TIMEOUT_SECONDS} s; draw a smaller graph or format='svg'") from None
    if run.returncode:
        raise RenderError(f"dot: {_last_line(run.stderr.decode(errors='replace'))}; check the DOT source")
    return run.stdout


def _run_pygraphviz(source: str, format: str) -> bytes:
    with _lock:
        _warm_up()
        try:
            return bytes(pygraphviz.AGraph(string=source).draw(format=format, prog="dot"))
        except Exception as error:
            raise RenderError(f"pygraphviz: {_last_line(str(error))}; check the DOT source") from None


@functools.cache
def _warm_up() -> Any:
    """Draw once in silence: the wheel's font library greets newer system files with warnings, once."""
    with _silent_stderr():
        return pygraphviz.AGraph(string="digraph { a [label=a] }").draw(format="png", prog="dot")


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    kept = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no picture"
