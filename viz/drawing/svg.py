"""Draws a scene as SVG in pure Python, for systems without Graphviz.

The CSS classes are the same as in Graphviz's output for our DOT source, so both share one style sheet.
"""

from __future__ import annotations

from itertools import pairwise

from viz.common.elements import document, element, escape, label, rectangle, tooltip
from viz.common.style import CHANGE_STYLES, EDGE, ORDER, PAGE, ChangeStyle, ColorSet, node_style
from viz.drawing.layered import Point
from viz.drawing.layout import LINE_HEIGHT, Layout, Rectangle, layout_of
from viz.drawing.routes import Knot, LabelPlacer, route_of
from viz.drawing.scene import Arrow, Box, Group, Scene

MARGIN = 16.0  # px
CAPTION_LINE_HEIGHT = 18.0  # px
CHARACTER_WIDTH = 7.0  # px of a caption, on average
MIN_WIDTH = 40.0  # px of the content


def svg_of(scene: Scene) -> str:
    """The scene as one SVG document, laid out by ``viz.drawing.layout``."""
    layout = layout_of(scene)
    captions = [line for line in (scene.title, scene.note) if line]
    top = MARGIN + CAPTION_LINE_HEIGHT * len(captions)
    width = max(layout.width, *(CHARACTER_WIDTH * len(line) for line in captions), MIN_WIDTH) + 2 * MARGIN
    transform = f"translate({(width - layout.width) / 2:.1f},{top:.1f})"
    picture = element("g", "\n".join(scene_elements(scene, layout)), transform=transform)
    return document(width, layout.height + top + MARGIN, [*_captions(captions, width), picture])


def scene_elements(scene: Scene, layout: Layout) -> list[str]:
    """The SVG elements of a scene; the layout may come from a larger scene."""
    placer = LabelPlacer()
    return [
        *(_group(group, layout.areas[key], layout.titles[key]) for key, group in scene.groups.items()),
        *(_arrow(arrow, route_of(scene, layout, key), placer) for key, arrow in scene.arrows.items()),
        *(_box(box, layout.areas[key]) for key, box in scene.boxes.items()),
    ]


def shape(kind: str, area: Rectangle, colors: ColorSet, **pen: object) -> str:
    """The outline of a box, for the shapes of ``style.NODE_STYLES``."""
    x, y, w, h = area.left, area.top, area.width, area.height
    if kind == "cylinder":
        half_ellipse = f"a{w / 2:.1f},4 0 0"
        body = f"M{x:.1f},{y + 4:.1f} {half_ellipse} 1 {w:.1f},0 v{h - 8:.1f} {half_ellipse} 1 {-w:.1f},0 z"
        lid = f"M{x:.1f},{y + 4:.1f} {half_ellipse} 0 {w:.1f},0"
        return "".join(element("path", d=d, fill=colors.fill, stroke=colors.line, **pen) for d in (body, lid))
    radius = {"ellipse": h / 2, "rounded": 7.0}.get(kind, 1.0)
    return rectangle(x, y, w, h, colors, rx=radius, **pen)


def _captions(captions: list[str], width: float) -> list[str]:
    return [
        label(line, width / 2, 18 + 17 * i, PAGE.text, anchor="middle", size=11 if i else 13)
        for i, line in enumerate(captions)
    ]


def _box(box: Box, area: Rectangle) -> str:
    base, change = node_style(box.kind), CHANGE_STYLES.get(box.status)
    colors = change.light if change else base.light
    first = area.top + area.height / 2 - LINE_HEIGHT * (len(box.lines) - 1) / 2 + 4
    lines = (_glyph(change) + box.lines[0], *box.lines[1:])
    texts = [
        label(line, area.center_x, first + LINE_HEIGHT * i, colors.text, anchor="middle")
        for i, line in enumerate(lines)
    ]
    stroke_width = 2.6 if box.highlighted else 2 if change else 1.1
    pen = {"stroke_width": stroke_width, "stroke_dasharray": change.dash if change else ""}
    outline = shape(base.shape, area, colors, **pen)
    classes = _classes("node", f"k-{box.kind}", box.status)
    return element("g", tooltip(box.tooltip) + outline + "".join(texts), class_=classes)


def _group(group: Group, area: Rectangle, title: Rectangle) -> str:
    base, change = node_style(group.kind), CHANGE_STYLES.get(group.status)
    colors = base.light._replace(line=(change.light if change else base.light).line)
    pen = {"stroke_width": 2 if change else 1, "stroke_dasharray": change.dash if change else ""}
    text = label(_glyph(change) + group.title, title.center_x, title.top + 11, colors.line, anchor="middle", size=10)
    content = tooltip(group.tooltip) + shape("rounded", area, colors, **pen) + text
    return element("g", content, class_=_classes("cluster", f"k-{group.kind}", group.status))


def _arrow(arrow: Arrow, knots: list[Knot], placer: LabelPlacer) -> str:
    change, is_data = CHANGE_STYLES.get(arrow.status), arrow.kind == "data"
    colors = change.light if change else EDGE if is_data else ORDER
    dash = "4,3" if not is_data else change.dash if change else ""
    line = element(
        "path",
        d=_curve(knots),
        fill="none",
        stroke=colors.line,
        stroke_width=1.8 if change else 1,
        stroke_dasharray=dash,
    )
    content = line + _arrow_head(knots, colors) + _arrow_label(arrow.text, placer.place(arrow.text, knots), colors)
    return element("g", content, class_=_classes("edge", "" if is_data else "order", arrow.status))


def _curve(knots: list[Knot]) -> str:
    """A smooth path through the knots, vertical at each of them."""
    curves = (
        f"C{x0:.1f},{(y0 + y1) / 2:.1f} {x1:.1f},{(y0 + y1) / 2:.1f} {x1:.1f},{y1:.1f}"
        for (x0, y0, _), (x1, y1, _) in pairwise(knots)
    )
    return f"M{knots[0].x:.1f},{knots[0].y:.1f}{''.join(curves)}"


def _arrow_head(knots: list[Knot], colors: ColorSet) -> str:
    x, y, _ = knots[-1]
    back = y - 6 if y >= knots[-2].y else y + 6
    return element("polygon", points=f"{x - 3:.1f},{back:.1f} {x:.1f},{y:.1f} {x + 3:.1f},{back:.1f}", fill=colors.line)


def _arrow_label(text: str, position: Point | None, colors: ColorSet) -> str:
    """The label at its position; a tooltip if there is none."""
    if not text or position is None:
        return tooltip(text)
    return element("text", escape(text), class_="halo", x=position[0], y=position[1], font_size=9, fill=colors.text)


def _glyph(change: ChangeStyle | None) -> str:
    return f"{change.glyph} " if change else ""


def _classes(*names: str) -> str:
    return " ".join(filter(None, names))
