"""The style table: colours, shapes and glyphs of every kind of node, edge and change, for light and dark themes.

Colour is never the only cue: shapes differ between kinds, and each change has its own glyph and line style. The change
colours are blue, vermillion and amber of the Okabe-Ito palette, which are distinguishable with the common colour-vision
deficiencies (red and green are not).
"""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.op import Op

FONT = "Helvetica,Arial,sans-serif"


class ColorSet(NamedTuple):
    """Fill, outline and text colour for one theme, as ``#rrggbb``."""

    fill: str
    line: str
    text: str


class NodeStyle(NamedTuple):
    """The style of one kind of node: shape ("box", "rounded", "ellipse", "cylinder"), colours, meaning."""

    shape: str
    light: ColorSet
    dark: ColorSet
    meaning: str


class ChangeStyle(NamedTuple):
    """The style of one kind of change: a glyph, a dash pattern ("" = solid) and colours."""

    glyph: str
    dash: str
    light: ColorSet
    dark: ColorSet


def _node_style(shape: str, light: str, dark: str, meaning: str) -> NodeStyle:
    return NodeStyle(shape, ColorSet(*light.split()), ColorSet(*dark.split()), meaning)


def _change_style(glyph: str, dash: str, light: str, dark: str) -> ChangeStyle:
    return ChangeStyle(glyph, dash, ColorSet(*light.split()), ColorSet(*dark.split()))


NODE_STYLES: dict[str, NodeStyle] = {
    "cube": _node_style("box", "#e6ddf8 #5b3fa8 #24163f", "#3a2d5c #b9a4f0 #efe9ff", "matrix product, cube unit"),
    "vector": _node_style("rounded", "#d6f0e5 #0a7a5c #0b2e24", "#173f34 #5fcfab #e2f7ef", "elementwise, vector unit"),
    "scalar": _node_style("rounded", "#f2eadb #86683a #33270f", "#3f3523 #d6b983 #f8efdd", "scalar unit"),
    "move": _node_style("box", "#e2e7ef #5b6b82 #1c2530", "#2c3644 #9fb2cc #e8eef6", "copies memory"),
    "view": _node_style("rounded", "#ffffff #94a0b2 #2a3442", "#1b222c #76859b #d6deea", "no cost: no copy"),
    "effect": _node_style("box", "#fbe3ef #b01c6e #4a0a2d", "#4a1f38 #f08cc0 #fde8f3", "side effect, ordered"),
    "depend": _node_style("ellipse", "#ffffff #b01c6e #4a0a2d", "#241620 #f08cc0 #fde8f3", "first operand, ordered"),
    "input": _node_style(
        "ellipse", "#ffffff #1f2a37 #111827", "#10161f #d5deea #eef3fa", "an argument of the function"
    ),
    "parameter": _node_style("cylinder", "#fff3c9 #9a7400 #3a2c00", "#463a12 #e8c75a #fff4cf", "a Parameter's value"),
    "const": _node_style("ellipse", "#f1f3f6 #9aa5b3 #3a4452", "#232b36 #75829a #cfd7e3", "known at capture"),
    "output": _node_style("ellipse", "#1f2a37 #1f2a37 #ffffff", "#d5deea #d5deea #10161f", "result of the graph"),
    "fused": _node_style(
        "rounded", "#f7fbf9 #0a7a5c #0b2e24", "#13241f #5fcfab #e2f7ef", "several operators in one kernel"
    ),
    "region": _node_style("box", "#f7f8fa #5b6b82 #1c2530", "#1a212b #9fb2cc #e8eef6", "operator with body graphs"),
}

CHANGE_STYLES: dict[str, ChangeStyle] = {
    "added": _change_style("+", "", "#dcedfa #0072b2 #00304c", "#0d3550 #56b4e9 #e3f3fd"),
    "removed": _change_style("−", "5,3", "#fde6d8 #c75000 #5c2800", "#4d2408 #ff9a52 #ffeadd"),
    "rewired": _change_style("~", "", "#fff2cf #e69f00 #4a3300", "#4a3808 #f0b93a #fff3d3"),
    "matched": _change_style("✓", "", "#94dfbd #00603f #00261a", "#0b5c41 #46c79d #e6fbf2"),
    "mismatched": _change_style("✗", "", "#fbdadf #a8002a #5c0015", "#4d0f1c #ff7a90 #ffe3e8"),
}

ORDER = ColorSet("none", "#b01c6e", "#b01c6e")
EDGE = ColorSet("none", "#5d6878", "#5d6878")
PAGE = ColorSet("#ffffff", "#d9dee6", "#18202b")
WAIT = ColorSet("#dfe4ea", "#b3bcc8", "#4a5463")

# Page, edges and waits, for light and dark themes.
NEUTRAL = {"page": PAGE, "edge": EDGE, "order": ORDER, "wait": WAIT}
NEUTRAL_DARK = {
    "page": ColorSet("#12171f", "#2f3946", "#e4eaf2"),
    "edge": ColorSet("none", "#95a3b8", "#a9b6c9"),
    "order": ColorSet("none", "#f08cc0", "#f08cc0"),
    "wait": ColorSet("#2a333f", "#4b5869", "#a9b6c9"),
}

# Queues of the timeline: cube and vector in the hue of their nodes, transfers in blue.
QUEUES: dict[str, ColorSet] = {
    "M": ColorSet("#7352cc", "#4c3394", "#ffffff"),
    "V": ColorSet("#12805f", "#0a5c44", "#ffffff"),
    "S": ColorSet("#8f6d33", "#68501f", "#ffffff"),
    "MTE1": ColorSet("#5aa2d8", "#2f6f9f", "#0b2233"),
    "MTE2": ColorSet("#2b7bba", "#17527f", "#ffffff"),
    "MTE3": ColorSet("#7f93ad", "#536781", "#ffffff"),
    "FIXP": ColorSet("#c2559b", "#8a2f6a", "#ffffff"),
    "host": ColorSet("#8f6d33", "#68501f", "#ffffff"),
    "device": ColorSet("#7352cc", "#4c3394", "#ffffff"),
}


def kind_of(op: Op) -> str:
    """The key of ``NODE_STYLES`` for nodes of this operator.

    >>> from minigraph.ir.structural_ops import CONST, FUSED
    >>> kind_of(CONST), kind_of(FUSED)
    ('const', 'fused')
    """
    if op.role in NODE_STYLES:
        return op.role
    if op.writes:
        return "effect"
    if op.family in NODE_STYLES:
        return op.family
    return "view" if op.unit == "none" else op.unit if op.unit in NODE_STYLES else "vector"


def node_style(kind: str) -> NodeStyle:
    """The style of a kind; unknown kinds are drawn like vector operators."""
    return NODE_STYLES.get(kind, NODE_STYLES["vector"])


def picture_css() -> str:
    """CSS for pictures in a page: colours per class for both themes, and the three views of a diff.

    ``.before`` hides added elements and ``.after`` hides removed ones, without changing the layout.
    """
    dark = "\n".join(_rules(dark=True))
    return "\n".join([*_rules(dark=False), *_VIEWS, "@media (prefers-color-scheme: dark) {", dark, "}"])


def with_dark_mode(svg: str) -> str:
    """An SVG file's text with dark colours for readers whose system prefers them.

    For files that stand alone: a page has its own style sheet, and would apply a picture's to all of its pictures.
    Other programs' pictures, such as Graphviz's of DOT source, stay as they are.

    >>> with_dark_mode("<svg></svg>")[:36]
    '<svg class="picture"><style>@media ('
    """
    if not svg.startswith("<svg"):
        return svg
    head, end, rest = svg.partition(">")
    rules = "".join(_rules(dark=True)).replace("&", "&amp;").replace("<", "&lt;")
    style = f"<style>@media (prefers-color-scheme: dark) {{{rules}}}</style>"
    head = head.replace("<svg", '<svg class="picture"', 1)
    return f"{head}{end}{style}{rest}"


_VIEWS = (
    ".picture .halo { paint-order: stroke; stroke: Canvas; stroke-width: 3px; stroke-linejoin: round; }",
    ".picture.before .added, .picture.after .removed { visibility: hidden; }",
)
_SHAPES = ("path", "polygon", "ellipse", "rect")


def _rules(dark: bool) -> list[str]:
    style = NEUTRAL_DARK if dark else NEUTRAL
    page = style["page"]
    rules = [
        f".picture .graph > polygon {{ fill: {page.fill}; stroke: none; }}",
        f".picture .graph > text {{ fill: {page.text}; }}",
        f".picture .track {{ fill: {page.line}; }}",
        f".picture :is(.grid, [stroke='{PAGE.line}']) {{ stroke: {page.line}; }}",
        f".picture text[fill='{PAGE.text}'] {{ fill: {page.text}; }}",
        *_box_rules(".picture .q-operators", style["wait"]),
        f".picture .cover {{ fill: {page.fill}; }}",
        f".picture [stroke='{PAGE.text}'] {{ stroke: {page.text}; }}",
        *_box_rules(".picture .wait", style["wait"]),
        *_box_rules(".picture .skip", style["wait"]),
        *_edge_rules(".picture .edge", style["edge"]),
        *_edge_rules(".picture .edge.order", style["order"]),
    ]
    for kind, base in NODE_STYLES.items():
        rules += _box_rules(f".picture .k-{kind}", base.dark if dark else base.light)
    for status, change in CHANGE_STYLES.items():
        colors = change.dark if dark else change.light
        changes = f".picture:not(.before):not(.after) .{status}"
        rules += _box_rules(f"{changes}.node", colors) + _edge_rules(f"{changes}.edge", colors)
        rules.append(f"{changes}.cluster :is({', '.join(_SHAPES)}) {{ stroke: {colors.line}; }}")
    return rules


def _box_rules(where: str, colors: ColorSet) -> list[str]:
    shapes = f"{where} :is({', '.join(_SHAPES)}, polyline)"
    return [f"{shapes} {{ fill: {colors.fill}; stroke: {colors.line}; }}", f"{where} text {{ fill: {colors.text}; }}"]


def _edge_rules(where: str, colors: ColorSet) -> list[str]:
    return [
        f"{where} path {{ fill: none; stroke: {colors.line}; }}",
        f"{where} polygon {{ fill: {colors.line}; stroke: {colors.line}; }}",
        f"{where} text {{ fill: {colors.text}; }}",
    ]
