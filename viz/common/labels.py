"""Short texts for pictures: node labels, tooltips, values."""

from __future__ import annotations

import numpy as np

from minigraph.core.scope_guard import reraise_handler_error
from minigraph.ir.graph_reader import GraphReader
from minigraph.ir.text import node_text


def node_label(graph: GraphReader, node: int) -> str:
    """The operator's label for these attributes; its name if the label function fails."""
    op = graph.op(node)
    try:
        return truncate(op.label_of(graph.attrs(node)))
    except Exception as error:
        reraise_handler_error(error)
        return truncate(op.name)


def node_tooltip(graph: GraphReader, node: int, path: str = "") -> str:
    """The tooltip of a node: its text, the user's source lines, and its provenance."""
    lines = [truncate(node_text(graph, node, path).partition("  # ")[0], 120)]
    lines += [f"{loc}  {truncate(loc.text, 80)}" for loc in graph.loc(node)[:4]]
    prov = graph.prov(node)
    if prov.sources:
        lines.append(f"created by {prov.by} from " + ", ".join(f"%{n}" for n in prov.sources[:8]))
    return "\n".join(lines)


def truncate(text: str, width: int = 44) -> str:
    """The text on one line, truncated to ``width`` characters.

    >>> truncate("a very long label", 8)
    'a very …'
    """
    line = " ".join(str(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def value_lines(value: object) -> tuple[str, ...]:
    """A value as at most four lines.

    >>> value_lines(np.array([1.0, 2.5]))
    ('[1.  2.5]',)
    """
    if isinstance(value, np.ndarray | np.generic):
        value = np.array2string(np.asarray(value), precision=4, threshold=6, edgeitems=2)
    lines = [truncate(line) for line in str(value).splitlines()]
    return tuple(lines if len(lines) <= 4 else [*lines[:3], "…"])


def operator_count(body: GraphReader) -> int:
    """The number of nodes of a body that compute something."""
    return sum(not body.op(node).is_leaf for node in body)
