"""Remote execution of a graph: its text and arrays are sent to a worker, arrays come back.

Nothing of the caller's program is sent, so a worker needs only minigraph. The text is sent once to each process that
runs the graph; afterwards its digest identifies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minigraph._version import __version__
from minigraph.core.errors import UsageError
from minigraph.execute.compile import Program, compile_graph
from minigraph.ir.graph import Graph
from minigraph.ir.structural_ops import INPUT
from minigraph.ir.text import OPAQUE, parse, to_text

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

MAX_CACHED_PROGRAMS = 32  # per worker process

Arrays = Sequence[np.ndarray]
_programs: dict[str, Program] = {}


class PortableGraph(NamedTuple):
    """A graph to send: its text, its digest, and the keys of the Parameters that are its last inputs."""

    text: str
    digest: str
    keys: tuple[str, ...]


def export_graph(graph: Graph) -> PortableGraph:
    """A graph with the values of its Parameters as further inputs, which any process can run.

    Raises ``UsageError`` for one with side effects, or with values without a text form.
    """
    for node in graph.topological():
        if graph.writes(node):
            problem = f"DataParallel: {graph.op(node)} has a side effect, which each shard of a batch would repeat"
            raise UsageError(f"{problem}; train this network without DataParallel")
    graph = graph.clone()
    parameters = {n: graph.attrs(n)["name"] for n in graph.topological() if graph.op(n).role == "parameter"}
    new = {n: graph.emit(INPUT, (), {"name": key}, graph.types(n)) for n, key in parameters.items()}
    graph.inputs += new.values()
    graph.replace_uses(dict(new.items()))
    graph.erase(parameters)
    graph.params.clear()
    text = to_text(graph)
    if OPAQUE in text:
        problem = "DataParallel: the network calls Python functions, which are not sent to workers"
        raise UsageError(f"{problem}; write that part with operators")
    return PortableGraph(text, sha256(f"{__version__} {text}".encode()).hexdigest(), tuple(parameters.values()))


def run_graph(digest: str, text: str | None, arrays: Arrays) -> list[np.ndarray] | None:
    """The results of a graph; ``None`` if it is not in this process's cache and the text is missing."""
    program = _programs.get(digest)
    if program is None:
        if text is None:
            return None
        while len(_programs) >= MAX_CACHED_PROGRAMS:
            _programs.pop(next(iter(_programs)), None)
        program = _programs[digest] = compile_graph(parse(text))
    return program(*arrays)


def run_graphs(executor: Executor, calls: Sequence[tuple[PortableGraph, Arrays]]) -> list[list[np.ndarray]]:
    """The results of each call, in order; if one fails, the others are cancelled and its error is raised."""
    results = _results([executor.submit(run_graph, graph.digest, None, arrays) for graph, arrays in calls])
    unknown = [k for k, outputs in enumerate(results) if outputs is None]
    retries = [executor.submit(run_graph, calls[k][0].digest, calls[k][0].text, calls[k][1]) for k in unknown]
    retried = dict(zip(unknown, _results(retries), strict=True))
    return [retried.get(k, outputs) for k, outputs in enumerate(results)]


def _results(futures: Sequence[Future[Any]]) -> list[Any]:
    try:
        return [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()
