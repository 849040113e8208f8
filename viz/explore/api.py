"""``viz.explorer``: a function, its tape, its graph and every rewrite of it as one page to look around in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from minigraph.capture.trace import trace
from minigraph.context import get_context, resolve
from minigraph.errors import RenderError
from minigraph.ir.graph import Graph
from viz.explore.film import Film
from viz.explore.html import explorer_html
from viz.explore.pack import Json, Run, Tables, packed
from viz.explore.rewrites import steps_of
from viz.explore.source import source_of
from viz.files import write_whole
from viz.style import LOOKS


@dataclass
class Explorer:
    """A page to look around in: ``save`` it, or let a notebook show it."""

    title: str
    data: Json = field(repr=False)

    def html(self) -> str:
        """The whole page as text: one file that needs nothing else."""
        return explorer_html(self.title, self.data)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, whole or not at all, and return its path."""
        return write_whole(path, self.html())

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html())}" title="{escape(self.title)}" '
            'sandbox="allow-scripts allow-downloads" width="100%" height="720"></iframe>'
        )


def explorer(source: Any, *args: Any, pipeline: Any = None, **kwargs: Any) -> Explorer:
    """Everything about one function called with these arguments; or about a graph.

    ``pipeline`` is what optimises it (``None``: the context's). Raises ``RenderError`` for a source that is neither,
    and what capturing raises.
    """
    graph = _captured(source, args, kwargs)
    tables = Tables()
    runs = [packed(filmed(graph, pipeline), tables)]
    looks = {kind: look.shape for kind, look in LOOKS.items()} | {"scope": "rounded"}
    data = {"title": graph.title, "runs": runs, "source": source_of(tables), "looks": looks, **tables.packed()}
    return Explorer(graph.title, data)


def filmed(graph: Graph, pipeline: Any = None, name: str = "graph") -> Run:
    """A run of the pipeline over a copy of the graph, with every rewrite."""
    chosen = get_context("pipeline") if pipeline is None else pipeline
    twin = graph.clone()
    film = twin.journal = Film(twin)
    passes = resolve(get_context("pass_manager"))(chosen)
    records = passes.run(twin, snapshots=True) if passes.passes else []  # a graph that is broken can be looked at
    return Run(name, "graph", film, steps_of(film, records), records)


def _captured(source: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Graph:
    if isinstance(source, Graph):
        return source
    if hasattr(source, "graph"):
        found: Graph = source.graph(*args, pipeline=(), **kwargs)
        return found
    if not callable(source):
        raise RenderError(f"explorer: {type(source).__name__} is neither a function nor a graph; pass one of them")
    return trace(source, *args, **kwargs)
