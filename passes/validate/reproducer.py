"""A file that shows a failure again: the graph before the pass, the pipeline and the seed, as readable text.

::

    # minigraph reproducer: minigraph opt tail.repro.ir --bisect
    # pipeline: fuse{rules=mine}
    # seed: 0
    # pass 'fuse' changed what 'tail' computes: ...
    graph tail(%0)
      ...

Reading one runs no code: rules and passes that are not minigraph's own have to be loaded by whoever replays it.
"""

from __future__ import annotations

import os
import re
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from minigraph.core.errors import ParseError, UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.records import Literal
from minigraph.ir.scanner import Scanner, unpacked
from minigraph.ir.text import parse, to_text
from minigraph.ir.values import Writer

HEADER = "# minigraph reproducer: minigraph opt "
FIELDS = ("pipeline", "seed", "inputs", "literal")  # the first lines; then what was told


class Reproducer(NamedTuple):
    """A graph, the pipeline that fails on it as text, and what it is run on: ``inputs``, or random ones of ``seed``.

    ``told`` is what was wrong.
    """

    graph: Graph
    pipeline: str
    seed: int = 0
    message: str = ""
    inputs: tuple[Literal, ...] | None = None

    def text(self, file: str = "FILE", load: str = "") -> str:
        """The file's content; ``file`` is its name and ``load`` what has to be loaded, for the command on top."""
        command = HEADER + file + (f" --load {load}" if load else "") + " --bisect"
        head = [command, f"# pipeline: {self.pipeline}", f"# seed: {self.seed}", *self._inputs()]
        return "\n".join([*head, *(f"# {line}" for line in self.message.splitlines()), to_text(self.graph)])

    def _inputs(self) -> list[str]:
        if self.inputs is None:
            return []
        writer = Writer()
        shown = f"# inputs: {writer.value(self.inputs)}"
        return [shown, *(f"# literal: {line.strip()}" for line in writer.trailer() if "=" in line)]


def save(reproducer: Reproducer, folder: str | os.PathLike[str], load: str = "") -> Path:
    """Write ``<title>.repro.ir`` into a folder, whole or not at all, and return its path.

    ``load`` is the user's file that the passes come from. Raises ``UsageError`` when the place cannot be written.
    """
    name = re.sub(r"[^\w-]+", "_", reproducer.graph.title).strip("_")[:60] or "graph"
    path = Path(folder) / f"{name}.repro.ir"
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(reproducer.text(path.name, load), encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise UsageError(f"reproducer: cannot write '{path}': {error.strerror}; choose another folder") from None
    return path


def read(text: str) -> Reproducer:
    """A reproducer from its text; raises ``ParseError`` for another file.

    >>> read("graph f()\\n return")
    Traceback (most recent call last):
    minigraph.errors.ParseError: reproducer: the first line is not '# minigraph reproducer: minigraph opt ...'
    """
    if not is_reproducer(text):
        raise ParseError(f"reproducer: the first line is not '{HEADER}...'")
    lines = takewhile(lambda line: line.startswith("# "), text.splitlines()[1:])
    fields: dict[str, list[str]] = {}
    told: list[str] = []
    for line in lines:
        name, colon, value = line[2:].partition(": ")
        if colon and name in FIELDS and not told:
            fields.setdefault(name, []).append(value)
        else:
            told.append(line[2:])
    seed = "".join(fields.get("seed", ()))
    if "pipeline" not in fields or not seed.isdecimal():
        raise ParseError("reproducer: the lines '# pipeline: ...' and '# seed: ...' should follow the first")
    return Reproducer(parse(text), fields["pipeline"][0], int(seed), "\n".join(told), _parse_inputs(fields))


def _parse_inputs(fields: dict[str, list[str]]) -> tuple[Literal, ...] | None:
    if "inputs" not in fields:
        return None
    literals = dict(unpacked(Scanner(line, "reproducer")) for line in fields.get("literal", ()))
    found = Scanner(fields["inputs"][0], "reproducer", literals).value()
    if not isinstance(found, tuple) or not all(isinstance(item, Literal) for item in found):
        raise ParseError("reproducer: the line '# inputs: ...' holds something else than arrays")
    return found


def is_reproducer(text: str) -> bool:
    """Whether a text is a reproducer rather than a plain graph."""
    return text.startswith(HEADER)
