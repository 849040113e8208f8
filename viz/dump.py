"""What ``save_graphs`` writes: one readable file per stage that changed, with the difference to the one before."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from minigraph.ir.reading import GraphReader
from minigraph.ir.text import to_text
from viz.diff import Diff, diff
from viz.files import write_whole
from viz.render import picture_of, svg

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def dump_records(title: str, records: Sequence[Any], path: str | os.PathLike[str], level: int = 1) -> list[Path]:
    """Write the graph as captured and after every pass that changed it, and return the files' paths.

    Level 1 writes ``<title>_00_captured.ir``, ``<title>_01_<pass>.ir`` ... and a ``.diff`` beside each; 2 adds
    ``.svg`` pictures (of the changes, for passes), 3 adds ``.dot``; 0 writes nothing. Titles are made safe
    for file names. Records made without graphs are left out. Raises ``OSError`` when the folder cannot be written.
    """
    written: list[Path] = []
    for number, (name, graph, change) in enumerate(_stages(records) if level else ()):
        stem = Path(path) / f"{safe_name(title)}_{number:02d}_{safe_name(name)}"
        for suffix, content in _contents(graph, change, level):
            written.append(write_whole(f"{stem}.{suffix}", content))
    return written


def safe_name(text: str) -> str:
    """A piece of a file name out of any text.

    >>> safe_name("../net: step<1>")
    'net_step_1'
    """
    return _UNSAFE.sub("_", text).strip("_")[:60] or "graph"


def _stages(records: Sequence[Any]) -> Iterator[tuple[str, GraphReader, Diff | None]]:
    """The captured graph, then each changed graph with what changed: (name, graph, diff)."""
    kept = [record for record in records if record.before is not None and record.after is not None]
    if kept:
        yield "captured", kept[0].before, None
    for record in kept:
        change = diff(record)
        if change.changed:
            yield record.name, record.after, change


def _contents(graph: GraphReader, change: Diff | None, level: int) -> Iterator[tuple[str, str]]:
    yield "ir", to_text(graph)
    if change is not None:
        yield "diff", change.text() + "\n"
    drawn: Any = change or graph
    if level >= 2:
        yield "svg", svg(drawn)
    if level >= 3:
        picture = picture_of(drawn)
        yield "dot", picture if isinstance(picture, str) else picture.source
