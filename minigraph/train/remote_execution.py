"""A graph computed elsewhere, on a share of the rows: its text and numbers go there, numbers come back.

Nothing of the caller's program is sent, so a worker needs nothing but minigraph. The text goes once to each process
that has to compute it; afterwards its digest is enough.
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
from minigraph.ir.records import INPUT
from minigraph.ir.text import OPAQUE, parse, to_text

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

KEPT = 32  # programs of a worker

Arrays = Sequence[np.ndarray]
_programs: dict[str, Program] = {}


class Portable(NamedTuple):
    """A graph to be sent: its text, the digest that stands for it, and the keys of the Parameters it takes last."""

    text: str
    digest: str
    keys: tuple[str, ...]


def portable(graph: Graph) -> Portable:
    """A graph that takes the values of its Parameters as further inputs, to be computed anywhere.

    Raises ``UsageError`` for one that changes something, or that has values without a text.
    """
    for node in graph.topological():
        if graph.writes(node):
            told = f"DataParallel: {graph.op(node)} changes something, and each share of a batch would change it"
            raise UsageError(f"{told}; train this network in one piece")
    graph = graph.clone()
    parameters = {n: graph.attrs(n)["name"] for n in graph.topological() if graph.op(n).role == "parameter"}
    new = {n: graph.emit(INPUT, (), {"name": key}, graph.types(n)) for n, key in parameters.items()}
    graph.inputs += new.values()
    graph.replace_uses(dict(new.items()))
    graph.erase(parameters)
    graph.params.clear()
    text = to_text(graph)
    if OPAQUE in text:
        told = "DataParallel: the network calls Python while it computes, and nothing of a program goes to workers"
        raise UsageError(f"{told}; write that part with operators")
    return Portable(text, sha256(f"{__version__} {text}".encode()).hexdigest(), tuple(parameters.values()))


def computed(digest: str, text: str | None, arrays: Arrays) -> list[np.ndarray] | None:
    """What a graph makes of arrays; ``None`` if this process does not know it and the text is not there, either."""
    program = _programs.get(digest)
    if program is None:
        if text is None:
            return None
        while len(_programs) >= KEPT:
            _programs.pop(next(iter(_programs)), None)
        program = _programs[digest] = compile_graph(parse(text))
    return program(*arrays)


def all_computed(executor: Executor, calls: Sequence[tuple[Portable, Arrays]]) -> list[list[np.ndarray]]:
    """The results of each call, in order; when one fails, the others are called off and its error is raised."""
    found = _results([executor.submit(computed, graph.digest, None, arrays) for graph, arrays in calls])
    unknown = [k for k, results in enumerate(found) if results is None]
    told = [executor.submit(computed, calls[k][0].digest, calls[k][0].text, calls[k][1]) for k in unknown]
    known = dict(zip(unknown, _results(told), strict=True))
    return [known.get(k, results) for k, results in enumerate(found)]


def _results(futures: Sequence[Future[Any]]) -> list[Any]:
    try:
        return [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()
