"""Runs Graphviz, as a program or through the pygraphviz wheel: DOT source in, picture bytes out.

The wheel draws in a process of its own, because its font library prints warnings about newer system files, and
redirecting standard error would affect all threads.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from minigraph.core.errors import RenderError, did_you_mean

FORMATS = ("svg", "png", "pdf")
TIMEOUT_SECONDS = 60  # layout time grows faster than linearly
DRAW = """\
import pygraphviz, sys
graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode())
sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog="dot"))
"""


def normalize_format(name: str) -> str:
    """The format in lower case; raises ``RenderError`` for unknown ones, on which some renderers crash.

    >>> normalize_format("SVG")
    'svg'
    """
    format = str(name).lower().removeprefix(".")
    if format not in FORMATS:
        raise RenderError(f"no renderer for '{name}'{did_you_mean(format, FORMATS)}; formats: {', '.join(FORMATS)}")
    return format


class RenderTimeoutError(RenderError):
    """Graphviz took too long."""


def graphviz_bytes(source: str, format: str, seconds: float = TIMEOUT_SECONDS) -> bytes | None:
    """The picture drawn by ``dot`` on PATH, else by pygraphviz; ``None`` if neither is installed.

    Raises ``RenderError`` for a format that is not in ``FORMATS`` and for invalid source, and ``RenderTimeoutError``
    after ``seconds`` seconds.
    """
    format = normalize_format(format)
    program = shutil.which("dot")
    if program:
        return _run("dot", [program, f"-T{format}"], source, seconds)
    return _run("pygraphviz", [sys.executable, "-P", "-c", DRAW, format], source, seconds) if has_wheel() else None


def has_wheel() -> bool:
    """Whether pygraphviz, which has no wheel for some platforms, and a Python to run it are available."""
    return bool(sys.executable) and find_spec("pygraphviz") is not None


def _run(name: str, command: Sequence[str], source: str, seconds: float) -> bytes:
    try:
        run = subprocess.run(command, input=source.encode(), capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        message = f"{name}: timed out after {seconds} s; draw a smaller graph or format='svg'"
        raise RenderTimeoutError(message) from None
    if run.returncode:
        raise RenderError(f"{name}: {_last_line(run.stderr.decode(errors='replace'))}; check the DOT source")
    return run.stdout


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no picture"
