"""Reproducer files: the graph before a failing pass, the pipeline and the seed, as readable text.

::

    # minigraph reproducer: minigraph opt tail.repro.ir --bisect
    # pipeline: fuse{rules=mine}
    # seed: 0
    # pass 'fuse' changed the results of 'tail': ...
    graph tail(%0)
      ...

Reading a reproducer runs no code: the user must load rules and passes that are not minigraph's own.
"""

from __future__ import annotations

import os
import re
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from minigraph.core.errors import ParseError, UsageError
from minigraph.core.files import write_atomically
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.ir.attribute_values import ValueWriter
from minigraph.ir.graph import Graph
from minigraph.ir.scanner import Scanner, parse_packed_literal
from minigraph.ir.structural_ops import Literal
from minigraph.ir.text import parse, to_text

HEADER = "# minigraph reproducer: minigraph opt "
OTHER_FORMAT = r"# minigraph reproducer ([\w.]{1,20}):"  # a number stands for another format than this, the first
FIELDS = ("pipeline", "seed", "inputs", "literal")  # names of the first lines; the message follows


class Reproducer(NamedTuple):
    """A graph, the text of the pipeline that fails on it, and its ``inputs``, or the ``seed`` of random inputs.

    ``message`` says what was wrong.
    """

    graph: Graph
    pipeline: str
    seed: int = 0
    message: str = ""
    inputs: tuple[Literal, ...] | None = None

    def text(self, file: str = "FILE", load: str = "") -> str:
        """The content of the file; the command in its first line names the ``file`` and the module to ``load``."""
        command = HEADER + file + (f" --load {load}" if load else "") + " --bisect"
        head = [command, f"# pipeline: {self.pipeline}", f"# seed: {self.seed}", *self._inputs()]
        return "\n".join([*head, *(f"# {line}" for line in self.message.splitlines()), to_text(self.graph)])

    def _inputs(self) -> list[str]:
        if self.inputs is None:
            return []
        writer = ValueWriter()
        inputs = f"# inputs: {writer.value(self.inputs)}"
        return [inputs, *(f"# literal: {line.strip()}" for line in writer.trailer() if "=" in line)]


def save_reproducer(reproducer: Reproducer, folder: str | os.PathLike[str], load: str = "") -> Path:
    """Write ``<title>.repro.ir`` into a folder atomically; returns its path.

    ``load`` is the user's file that defines the passes. Raises ``UsageError`` if the file cannot be written.
    """
    name = re.sub(r"[^\w-]+", "_", reproducer.graph.title).strip("_")[:60] or "graph"
    path = Path(folder) / f"{name}.repro.ir"
    if not path.parent.is_dir():
        raise UsageError(f"reproducer: cannot write '{path}': there is no such folder; choose another folder")
    try:
        write_atomically(path, reproducer.text(path.name, load))
    except OSError as error:
        reraise_handler_error(error)
        raise UsageError(f"reproducer: cannot write '{path}': {error.strerror}; choose another folder") from None
    return path


def read_reproducer(text: str) -> Reproducer:
    """The reproducer of a text; raises ``ParseError`` if the text is not one.

    >>> read_reproducer("graph f()\\n return")
    Traceback (most recent call last):
    minigraph.errors.ParseError: reproducer: the first line is not '# minigraph reproducer: minigraph opt ...'
    """
    if version := re.match(OTHER_FORMAT, text):
        raise ParseError(f"reproducer: its format {version[1]!r} is not known here; install a newer minigraph")
    if not is_reproducer(text):
        raise ParseError(f"reproducer: the first line is not '{HEADER}...'")
    lines = takewhile(lambda line: line.startswith("# "), text.splitlines()[1:])
    fields: dict[str, list[str]] = {}
    message: list[str] = []
    for line in lines:
        name, colon, value = line[2:].partition(": ")
        if colon and name in FIELDS and not message:
            fields.setdefault(name, []).append(value)
        else:
            message.append(line[2:])
    seed = "".join(fields.get("seed", ()))
    if "pipeline" not in fields or not seed.isdecimal():
        raise ParseError("reproducer: the lines '# pipeline: ...' and '# seed: ...' should follow the first")
    return Reproducer(parse(text), fields["pipeline"][0], int(seed), "\n".join(message), _parse_inputs(fields))


def _parse_inputs(fields: dict[str, list[str]]) -> tuple[Literal, ...] | None:
    if "inputs" not in fields:
        return None
    literals = dict(parse_packed_literal(Scanner(line, "reproducer")) for line in fields.get("literal", ()))
    inputs = Scanner(fields["inputs"][0], "reproducer", literals).value()
    if not isinstance(inputs, tuple) or not all(isinstance(item, Literal) for item in inputs):
        raise ParseError("reproducer: the line '# inputs: ...' has values that are not arrays")
    return inputs


def is_reproducer(text: str) -> bool:
    """Whether a text is a reproducer, and not only a graph."""
    return text.startswith(HEADER) or re.match(OTHER_FORMAT, text) is not None
