"""Runs Graphviz, as a program or through the pygraphviz wheel: DOT source in, picture bytes out."""

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
TIMEOUT_SECONDS = 60  # layout time grows faster than linearly
_lock = threading.Lock()


def normalize_format(name: str) -> str:
    """The format in lower case; raises ``RenderError`` for unknown ones, on which some renderers crash.

    >>> normalize_format("SVG")
    'svg'
    """
    format = str(name).lower().removeprefix(".")
    if format not in FORMATS:
        raise RenderError(f"no renderer for '{name}'{did_you_mean(format, FORMATS)}; formats: {', '.join(FORMATS)}")
    return format


def graphviz_bytes(source: str, format: str) -> bytes | None:
    """The picture drawn by ``dot`` on PATH, else by pygraphviz; ``None`` if neither is installed.

    Raises ``RenderError`` for a format that is not in ``FORMATS``, invalid source, or after ``TIMEOUT_SECONDS``.
    """
    format = normalize_format(format)
    program = shutil.which("dot")
    if program:
        return _run_dot(program, source, format)
    return None if pygraphviz is None else _run_pygraphviz(source, format)


def _run_dot(program: str, source: str, format: str) -> bytes:
    try:
        command = [program, f"-T{format}"]
        run = subprocess.run(command, input=source.encode(), capture_output=True, timeout=TIMEOUT_SECONDS)
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
    """Draw once with stderr discarded: the wheel's font library prints warnings about newer system files, once."""
    with _silent_stderr():
        return pygraphviz.AGraph(string="digraph { a [label=a] }").draw(format="png", prog="dot")


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    stderr = os.dup(2)
    devnull = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(devnull, 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(devnull)


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no picture"
