"""The compile cache on disk: optimised graphs for the next process that traces the same function.

An entry is the text of a graph. Its file name is a digest of everything that determines it: the text of the traced
graph, the pipeline, minigraph's source files, and the versions of Python, numpy and the machine. Its first line is a
checksum of the rest. Entries are written atomically (to a temporary file, then renamed), so any number of processes
may share a folder, and deleting it is always safe. A damaged entry causes one warning and is replaced. Entries are
text: reading one runs no code.

Reading takes time, too, so only graphs whose passes took longer are written. In a new process that is every graph,
because the passes have to be imported first, and a cached graph needs none of them.
"""

from __future__ import annotations

import platform
import sys
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from time import perf_counter, time
from typing import Any, NamedTuple

import numpy as np

from minigraph._version import __version__
from minigraph.core.context import KEYS, get_context, resolve
from minigraph.core.errors import GraphError, MinigraphError
from minigraph.core.files import PART, suppress_file_errors, write_atomically
from minigraph.core.location import warn
from minigraph.core.op import Op
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import GraphReader
from minigraph.ir.text import OPAQUE, parse, to_text

FORMAT_VERSION = 1
HERE = Path(__file__).parents[1]
FOLDERS = (HERE, HERE.parent / "passes")  # packages whose files determine the result of a pipeline
DEFAULT_CACHE_PATH = "~/.cache/minigraph"  # unless ``compile_cache_path`` is set
SUFFIX = ".graph"
MAX_FILES = 4096  # in the folder; the oldest are removed, a quarter of them at once
ABANDONED_SECONDS = 3600.0  # a temporary file that is older belongs to a process that was killed
READ_SECONDS_PER_NODE = 1e-4  # graphs that are optimised in less time are not written


class CompileCacheWarning(UserWarning):
    """An entry of the compile cache cannot be read or written; the graph is optimised again."""


class Optimized(NamedTuple):
    """A graph after its passes, and their records; without records if it was read from disk."""

    graph: Graph
    records: list[object]


def optimize(captured: Graph, pipeline: object, snapshots: bool = False) -> Optimized:
    """Optimise a graph by a pipeline; with ``enable_compile_cache``, read the result from disk if it is there.

    Otherwise the passes edit the captured graph in place.
    """
    path = None if snapshots else _entry_path(captured, pipeline)
    cached = _read_entry(path, captured) if path else None
    if cached is not None:
        return Optimized(cached, [])
    started = perf_counter()
    passes = resolve(get_context("pass_manager"))(pipeline)
    records = passes.run(captured, snapshots=snapshots, verified=True)
    if path is not None and passes.fingerprint and perf_counter() - started > READ_SECONDS_PER_NODE * len(captured):
        _write_entry(path, captured)
    return Optimized(captured, records)


def _entry_path(captured: Graph, pipeline: object) -> Path | None:
    """The path of the entry of a graph and a pipeline; ``None`` if equal names may not mean equal passes or operators.

    If the passes are not imported yet (importing takes most of the time), no user can have registered further ones.
    """
    manager, default = get_context("pass_manager"), KEYS["pass_manager"][0]
    if not get_context("enable_compile_cache") or get_context("validate") or manager != default:
        return None
    if not isinstance(pipeline, str) or not all(map(_is_built_in, _operators(captured))):
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
    try:
        folder = Path(get_context("compile_cache_path") or DEFAULT_CACHE_PATH).expanduser()
    except RuntimeError:  # no home directory
        text = f"compile cache: there is no home directory for {DEFAULT_CACHE_PATH}; set compile_cache_path"
        warn(text, CompileCacheWarning)
        return None
    return folder / f"{digest}{SUFFIX}"


@cache
def _environment() -> str:
    """All else that determines the optimised graph: versions, and the sizes and times of our source files."""
    paths = (path for folder in FOLDERS for path in folder.rglob("*") if path.parent.name != "__pycache__")
    files = sorted(path for path in paths if path.suffix in {".py", ".pyc", ".toml"})  # .pyc: installed without source
    stats = [(str(path), stat.st_size, stat.st_mtime_ns) for path in files for stat in [path.stat()]]
    return repr((FORMAT_VERSION, __version__, sys.version, np.__version__, platform.machine(), stats))


def _operators(graph: GraphReader) -> set[Op]:
    """All operators of a graph and its bodies."""
    operators, worklist = set[Op](), [graph]
    while worklist:
        for node in (current := worklist.pop()):
            operators.add(current.op(node))
            worklist += current.regions(node)
    return operators


def _is_built_in(op: Op) -> bool:
    """Whether an operator's kernel, which folds constants, belongs to minigraph or numpy."""
    forward: Any = op.forward
    while isinstance(forward, partial) or hasattr(forward, "__wrapped__"):
        forward = forward.func if isinstance(forward, partial) else forward.__wrapped__
    return isinstance(forward, np.ufunc) or str(forward.__module__).partition(".")[0] in ("minigraph", "numpy")


def _read_entry(path: Path, captured: Graph) -> Graph | None:
    """The graph of an entry, with the Parameters of the captured graph; ``None`` if there is no valid one."""
    try:
        head, _, text = path.read_text("utf-8").partition("\n")
        if head != _head(text):
            version = head.removeprefix("minigraph ").partition(" ")[0]
            is_other = version.isdecimal() and version != f"{FORMAT_VERSION}"
            raise GraphError(f"its format is {version}" if is_other else "its checksum is wrong")
        graph = parse(text, check=False)  # it was verified before it was written
        graph.params = {key: captured.params[key] for key in graph.params}
        return graph
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, MinigraphError) as error:
        reraise_handler_error(error)
        warn(f"compile cache: {path} cannot be used and is replaced: {error}", CompileCacheWarning)
        return None


def _head(text: str) -> str:
    """The first line of an entry."""
    return f"minigraph {FORMAT_VERSION} {sha256(text.encode()).hexdigest()}"


def _write_entry(path: Path, graph: Graph) -> None:
    """Write an entry, if its text parses to the same graph."""
    try:
        text = to_text(graph)
        if OPAQUE in text or not parse(text, check=False).same_as(graph):
            return
    except MinigraphError:
        return
    try:
        write_atomically(path, f"{_head(text)}\n{text}")
        _remove_oldest(path.parent)
    except OSError as error:
        reraise_handler_error(error)
        warn(f"compile cache: {path} cannot be written: {error}", CompileCacheWarning)


def _remove_oldest(folder: Path) -> None:
    """Remove the oldest entries if there are too many, and temporary files that no process is writing."""
    with suppress_file_errors():  # another process removes them, too
        times = {path: path.stat().st_mtime for path in folder.iterdir() if path.suffix in (SUFFIX, PART)}
        entries = sorted((path for path in times if path.suffix == SUFFIX), key=times.__getitem__)
        old = [path for path in times if path.suffix == PART and time() - times[path] > ABANDONED_SECONDS]
        for path in old + (entries[: MAX_FILES // 4] if len(entries) > MAX_FILES else []):
            path.unlink(missing_ok=True)
