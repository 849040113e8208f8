"""A file that shows a failure again: the graph before the pass, the pipeline and the seed, as readable text.

::

    # minigraph reproducer: minigraph bisect tail.repro.ir
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

from minigraph.errors import ParseError, UsageError
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse, to_text

HEAD = "# minigraph reproducer: minigraph bisect "


class Reproducer(NamedTuple):
    """A graph, the pipeline that fails on it as text, the seed of the inputs, and what was told."""

    graph: Graph
    pipeline: str
    seed: int = 0
    told: str = ""

    def text(self, file: str = "FILE", load: str = "") -> str:
        """The file's content; ``file`` is its name and ``load`` what has to be loaded, for the command on top."""
        comments = [f"# {line}" for line in self.told.splitlines()]
        command = HEAD + file + (f" --load {load}" if load else "")
        head = [command, f"# pipeline: {self.pipeline}", f"# seed: {self.seed}", *comments]
        return "\n".join([*head, to_text(self.graph)])


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
    minigraph.errors.ParseError: reproducer: the first line is not '# minigraph reproducer: minigraph bisect ...'
    """
    if not is_reproducer(text):
        raise ParseError(f"reproducer: the first line is not '{HEAD}...'")
    comments = [line[2:] for line in takewhile(lambda line: line.startswith("# "), text.splitlines())]
    fields = dict(line.split(": ", 1) for line in comments[1:3] if ": " in line)
    seed = fields.get("seed", "")
    if "pipeline" not in fields or not seed.isdecimal():
        raise ParseError("reproducer: the lines '# pipeline: ...' and '# seed: ...' should follow the first")
    return Reproducer(parse(text), fields["pipeline"], int(seed), "\n".join(comments[3:]))


def is_reproducer(text: str) -> bool:
    """Whether a text is a reproducer rather than a plain graph."""
    return text.startswith(HEAD)
