"""Optimised graphs kept on disk, for the next process that captures the same.

An entry is the text of a graph under the digest of everything that it follows from: the captured graph's text, the
pipeline, the files of minigraph, and Python's, numpy's and the machine's versions. Its first line has a checksum of
the rest. Entries appear whole (written beside, then renamed), so any number of processes may share a folder, and
deleting it is always safe. An entry that is damaged is told of once, made anew and replaced. Text is all there is:
reading one runs no code.

Reading takes time as well: only what took longer to make is kept. In a fresh process everything does, because the
passes have to be imported first, and a graph that is found needs none of them.
"""

from __future__ import annotations

import os
import platform
import sys
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from minigraph._version import __version__
from minigraph.core.context import KEYS, get_context, resolve
from minigraph.core.errors import GraphError, MinigraphError
from minigraph.core.location import warn
from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader
from minigraph.ir.text import OPAQUE, parse, to_text

FORMAT = 1
HERE = Path(__file__).parents[1]
FOLDERS = (HERE, HERE.parent / "passes")  # whose files decide what a pipeline does
FOLDER = "~/.cache/minigraph"  # where entries are unless ``compile_cache_path`` says
READING = 1e-4  # seconds that reading a graph takes, per node: less than that is not worth keeping


class CompileCacheWarning(UserWarning):
    """An entry of the compile cache cannot be read or written; the graph is optimised anew."""


class Optimised(NamedTuple):
    """A graph after its passes, and their records, of which there are none if it was read."""

    graph: Graph
    records: list[Any]


def optimised(captured: Graph, pipeline: Any, snapshots: bool = False) -> Optimised:
    """The graph after a pipeline, as the context reads it; with ``enable_compile_cache`` from disk, if it is there.

    Otherwise it is the captured one, which the passes have edited.
    """
    place = None if snapshots else _place(captured, pipeline)
    kept = _read(place, captured) if place else None
    if kept is not None:
        return Optimised(kept, [])
    started = perf_counter()
    passes = resolve(get_context("pass_manager"))(pipeline)
    records = passes.run(captured, snapshots=snapshots, built=True)
    if place is not None and passes.fingerprint and perf_counter() - started > READING * len(captured):
        _keep(place, captured)
    return Optimised(captured, records)


def _place(captured: Graph, pipeline: Any) -> Path | None:
    """Where the entry of a graph and a pipeline belongs; ``None``: nobody knows whether equal names do the same again.

    While the passes are not imported, which takes as long as all the rest, nobody can have added to them.
    """
    manager, usual = get_context("pass_manager"), KEYS["pass_manager"][0]
    if not get_context("enable_compile_cache") or get_context("validate") or manager != usual:
        return None
    if not isinstance(pipeline, str) or not all(map(_is_ours, _operators(captured))):
        return None
    if manager.partition(":")[0] in sys.modules and not resolve(manager)(pipeline).fingerprint:
        return None
    try:
        text = to_text(captured)
    except MinigraphError:
        return None
    if OPAQUE in text:
        return None
    digest = sha256("\n".join((_environment(), pipeline, text)).encode()).hexdigest()
    return Path(get_context("compile_cache_path") or FOLDER).expanduser() / f"{digest}.graph"


@cache
def _environment() -> str:
    """What decides how a graph is optimised beside it and the passes: versions, and how our files look."""
    files = sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.suffix in {".py", ".toml"})
    looks = [(str(path), stat.st_size, stat.st_mtime_ns) for path in files for stat in [path.stat()]]
    return repr((FORMAT, __version__, sys.version, np.__version__, platform.machine(), looks))


def _operators(graph: GraphReader) -> set[Op]:
    """All operators of a graph and its bodies."""
    found, waiting = set[Op](), [graph]
    while waiting:
        for node in (now := waiting.pop()):
            found.add(now.op(node))
            waiting += now.regions(node)
    return found


def _is_ours(op: Op) -> bool:
    """Whether an operator's kernel is minigraph's or numpy's; constants are folded with it."""
    forward: Any = op.forward
    while isinstance(forward, partial) or hasattr(forward, "__wrapped__"):
        forward = forward.func if isinstance(forward, partial) else forward.__wrapped__
    return isinstance(forward, np.ufunc) or str(forward.__module__).partition(".")[0] in ("minigraph", "numpy")


def _read(place: Path, captured: Graph) -> Graph | None:
    """The graph of an entry, with the captured one's Parameters; ``None`` if there is none, or none to be trusted."""
    try:
        head, _, text = place.read_text("utf-8").partition("\n")
        if head != _head(text):
            raise GraphError("its checksum is another")
        graph = parse(text)
        graph.params = {key: captured.params[key] for key in graph.params}
        return graph
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, MinigraphError) as error:
        warn(f"compile cache: {place} cannot be used and is made anew: {error}", CompileCacheWarning)
        return None


def _head(text: str) -> str:
    """The first line of an entry."""
    return f"minigraph {FORMAT} {sha256(text.encode()).hexdigest()}"


def _keep(place: Path, graph: Graph) -> None:
    """Write an entry, if what is read back is the same graph."""
    try:
        text = to_text(graph)
        if OPAQUE in text or not parse(text).same_as(graph):
            return
    except MinigraphError:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, suffix=".part", delete=False) as file:
            file.write(f"{_head(text)}\n{text}")
        os.replace(file.name, place)
    except OSError as error:
        warn(f"compile cache: {place} cannot be written: {error}", CompileCacheWarning)
