"""Graphviz (DOT) source of a graph, quoted so that user text never becomes markup.

Node ids come from counters, names appear only in labels and tooltips, labels are never HTML-like, and no link or image
attributes are written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import graphviz

from minigraph.ir.graph_reader import GraphReader
from viz.common.backends import RenderTimeoutError, graphviz_bytes
from viz.common.elements import svg_or_error
from viz.common.style import CHANGE_STYLES, EDGE, FONT, ORDER, PAGE, node_style
from viz.drawing.scene import MAX_DRAWN_BOXES, Arrow, Box, Group, Scene
from viz.drawing.summary import readable_scene
from viz.drawing.svg import svg_of

MAX_LABELED_BOXES = 150  # in larger graphs edges have xlabels, which makes the layout five times as fast
SVG_TIMEOUT_S = 5  # of Graphviz; the fallback, our own layout, takes less than a second
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_GRAPH = {
    "fontname": FONT, "fontsize": "13", "fontcolor": PAGE.text, "bgcolor": PAGE.fill, "labelloc": "t",
    "rankdir": "TB", "nodesep": "0.22", "ranksep": "0.34", "pad": "0.15",
}  # fmt: skip
_NODE = {"fontname": FONT, "fontsize": "11", "margin": "0.14,0.05", "height": "0.32", "width": "0.4"}
_EDGE = {
    "fontname": FONT, "fontsize": "9", "fontcolor": EDGE.text, "color": EDGE.line, "arrowsize": "0.6",
    "arrowhead": "vee", "penwidth": "0.9",
}  # fmt: skip


class Picture(graphviz.Digraph):
    """A ``graphviz.Digraph`` that notebooks display even without the Graphviz program."""

    scene: Scene

    def _repr_mimebundle_(self, include: object = None, exclude: object = None, **_: object) -> dict[str, str]:
        return {"image/svg+xml": svg_or_error(lambda: scene_svg(self.scene))}


def dot(
    graph: GraphReader,
    *,
    title: str | None = None,
    values: Mapping[int, object] | None = None,
    highlight: Collection[int] | None = None,
    limit: int = MAX_DRAWN_BOXES,
) -> Picture:
    """The graph as Graphviz source: operators with their types on the edges, fused bodies as clusters.

    Order edges are dashed and labelled with their kind; tooltips show the user's source line. ``values`` (node id ->
    number, array or text) are shown in the nodes, and ``highlight`` outlines nodes. A graph of more than ``limit``
    nodes is drawn as a summary. Never raises for a well-formed graph.
    """
    scene = readable_scene(graph, limit, values=values, highlight=highlight or ())
    scene.title = graph.title if title is None else title
    return dot_of(scene)


def dot_of(scene: Scene) -> Picture:
    """A scene as Graphviz source."""
    caption = quote_dot("\n".join(filter(None, (scene.title, scene.note))))
    picture = Picture(graph_attr={**_GRAPH, "label": caption}, node_attr=_NODE, edge_attr=_EDGE)
    picture.scene = scene
    children: dict[str, list[Box | Group]] = {}
    for part in scene.boxes_and_groups():
        children.setdefault(part.parent, []).append(part)
    _write_parts(picture, "", children, scene)
    label_attr = "label" if len(scene) <= MAX_LABELED_BOXES else "xlabel"
    for arrow in scene.arrows.values():
        picture.edge(arrow.tail, arrow.head, **{label_attr: quote_dot(f" {arrow.text} ")}, **_arrow_attrs(arrow))
    return picture


def scene_svg(scene: Scene) -> str:
    """The scene as SVG text, drawn by Graphviz if it is installed and fast enough, else by our own layout.

    Graphviz needs minutes for a deep graph of a few hundred nodes that all read one value.
    """
    try:
        is_small = len(scene) <= 2 * MAX_DRAWN_BOXES
        rendered = graphviz_bytes(dot_of(scene).source, "svg", SVG_TIMEOUT_S) if is_small else None
    except RenderTimeoutError:
        rendered = None
    return svg_of(scene) if rendered is None else _strip_prolog(rendered.decode())


def _strip_prolog(rendered: str) -> str:
    """Graphviz's SVG without prolog and comments, for embedding in a page."""
    return _COMMENT.sub("", rendered[rendered.index("<svg") :]).strip() + "\n"


def quote_dot(text: str) -> Any:
    """Text as a literal DOT label: Graphviz markup, escapes and entities are escaped.

    >>> str(quote_dot("<b> a\\\\n & b"))
    '<b> a\\\\\\\\n &amp; b'
    """
    lines = [_escape_line(line) for line in str(text).split("\n")]
    return graphviz.nohtml("\\n".join(lines))


def _escape_line(line: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in line)
    return printable.replace("\\", "\\\\").replace("&", "&amp;")


def _write_parts(picture: graphviz.Digraph, parent: str, children: dict[str, list[Box | Group]], scene: Scene) -> None:
    for part in children.get(parent, ()):
        if isinstance(part, Box):
            picture.node(part.key, **_box_attrs(part))
        else:
            with picture.subgraph(name=f"cluster_{part.key}", graph_attr=_group_attrs(part)) as cluster:
                _write_title(cluster, part, children.get(part.key, ()), scene)
                _write_parts(cluster, part.key, children, scene)  # at most scene.MAX_EXPANDED_DEPTH deep


def _write_title(cluster: graphviz.Digraph, group: Group, parts: Iterable[Box | Group], scene: Scene) -> None:
    """Write the title of a cluster as a node above its other nodes: Graphviz routes edges around nodes, not labels."""
    title = f"{group.key}title"
    cluster.node(title, **_title_attrs(group))
    heads = {arrow.head for arrow in scene.arrows.values() if group.key in scene.groups_around(arrow.tail)}
    for part in parts:
        top = f"{part.key}title" if isinstance(part, Group) else part.key
        if top not in heads:
            cluster.edge(title, top, style="invis", weight="0")


def _box_attrs(box: Box) -> dict[str, Any]:
    base, change = node_style(box.kind), CHANGE_STYLES.get(box.status)
    colors = change.light if change else base.light
    title = f"{change.glyph} {box.lines[0]}" if change else box.lines[0]
    style = "filled,rounded" if base.shape == "rounded" else "filled"
    return {
        "label": quote_dot("\n".join((title, *box.lines[1:]))), "tooltip": quote_dot(box.tooltip or title),
        "shape": "box" if base.shape == "rounded" else base.shape,
        "style": f"{style},dashed" if change and change.dash else style, "class": f"k-{box.kind} {box.status}".strip(),
        "fillcolor": colors.fill, "color": colors.line, "fontcolor": colors.text,
        "penwidth": "2.6" if box.highlighted else "2" if change else "1.1",
    }  # fmt: skip


def _group_attrs(group: Group) -> dict[str, Any]:
    base, change = node_style(group.kind), CHANGE_STYLES.get(group.status)
    return {
        "label": "", "tooltip": quote_dot(group.tooltip or group.title),
        "class": f"k-{group.kind} {group.status}".strip(),
        "style": "filled,rounded,dashed" if change and change.dash else "filled,rounded",
        "fillcolor": base.light.fill, "color": (change.light if change else base.light).line,
        "penwidth": "2" if change else "1", "margin": "10",
    }  # fmt: skip


def _title_attrs(group: Group) -> dict[str, Any]:
    base, change = node_style(group.kind), CHANGE_STYLES.get(group.status)
    return {
        "label": quote_dot(f"{change.glyph} {group.title}" if change else group.title),
        "tooltip": quote_dot(group.tooltip or group.title), "class": f"k-{group.kind} {group.status}".strip(),
        "shape": "plaintext", "fontcolor": (change.light if change else base.light).text, "fontsize": "10",
        "height": "0", "width": "0", "margin": "0.02,0",
    }  # fmt: skip


def _arrow_attrs(arrow: Arrow) -> dict[str, Any]:
    change, is_data = CHANGE_STYLES.get(arrow.status), arrow.kind == "data"
    colors = change.light if change else EDGE if is_data else ORDER
    style = "dashed" if not is_data or (change and change.dash) else "solid"
    return {
        "style": style, "color": colors.line, "fontcolor": colors.line,
        "class": f"{'' if is_data else 'order'} {arrow.status}".strip(), "tooltip": quote_dot(arrow.text or arrow.kind),
        "penwidth": "1.8" if change else "0.9" if is_data else "1.2",
    }  # fmt: skip
