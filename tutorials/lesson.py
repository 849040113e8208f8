"""What every lesson uses: showing its picture, and saying what an answer still lacks."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import viz
from minigraph.ir.graph import Graph

FOLDER = Path(tempfile.gettempdir()) / "minigraph-lessons"


class NotYet(Exception):
    """The answer to an exercise is missing or wrong; the text says what, and at which node."""


def show(picture: object, name: str) -> None:
    """Show a graph, a diff or SVG text: inside a notebook at once, elsewhere as ``name.svg`` in ``FOLDER``."""
    text = picture if isinstance(picture, str) else viz.svg(picture)
    notebook = sys.modules.get("IPython")
    if notebook is not None and notebook.get_ipython() is not None:
        notebook.display.display(notebook.display.SVG(text))
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / f"{name}.svg"
    file.write_text(text, encoding="utf-8")
    print(f"picture: {file}")


def named(graph: Graph, node: int) -> str:
    """A node in words: ``%3 = matmul (net.py:7)``."""
    loc = graph.loc(node)
    return f"%{node} = {graph.op(node).label_of(graph.attrs(node))}" + (f" ({loc[0]})" if loc else "")


def listed(graph: Graph, nodes: object) -> str:
    """Several nodes in words, the first three of them."""
    chosen = sorted(nodes)  # type: ignore[call-overload]
    rest = f" and {len(chosen) - 3} more" if len(chosen) > 3 else ""
    return ", ".join(named(graph, node) for node in chosen[:3]) + rest
