"""A scene as SVG text with nothing but Python: the picture that is always there.

The classes are those Graphviz writes for our DOT, so one style sheet serves both. Every text goes through
``escaped``; nothing in the file links, loads or runs.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise

from viz.layered import Point
from viz.layout import LINE, Layout, Spot, layout_of
from viz.scene import Arrow, Box, Group, Scene
from viz.style import EDGE, FONT, MARKS, ORDER, PAGE, Shade, look_of

MARGIN = 16.0
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold


def escaped(text: object) -> str:
    """Text for SVG and HTML, in content and in attributes; characters XML cannot hold become spaces.

    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(_UNFIT.sub(" ", str(text)), quote=True)


def svg_of(scene: Scene) -> str:
    """The scene as one SVG document, laid out by ``viz.layout``."""
    layout = layout_of(scene)
    captions = [line for line in (scene.title, scene.note) if line]
    top = MARGIN + 18.0 * len(captions)
    width = max(layout.width, *(7.0 * len(line) for line in captions), 40.0) + 2 * MARGIN
    height = layout.height + top + MARGIN
    shares = _text_places(scene)
    parts = [
        *_captions(captions, width),
        f'<g transform="translate({(width - layout.width) / 2:.1f},{top:.1f})">',
        *(_group(group, layout.spots[key]) for key, group in scene.groups.items()),
        *(_arrow(arrow, layout, key, shares[key]) for key, arrow in scene.arrows.items()),
        *(_box(box, layout.spots[key]) for key, box in scene.boxes.items()),
        "</g>",
    ]
    return document(width, height, parts)


def document(width: float, height: float, parts: Iterable[str]) -> str:
    """An SVG document of the given size (px) on the page colour, around ready-made elements."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    corners = f"0,0 {width:.0f},0 {width:.0f},{height:.0f} 0,{height:.0f}"
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{escaped(FONT)}" font-size="11">',
        f'<g class="graph"><polygon points="{corners}" fill="{PAGE.fill}"/>',
        *parts,
        "</g></svg>\n",
    ))  # fmt: skip


def message_svg(text: str) -> str:
    """A picture that only says something: what a display shows where a drawing failed or is empty."""
    lines = str(text).splitlines()[:6] or [""]
    rows = [
        f'<text x="12" y="{24 + 16 * i}" fill="{PAGE.text}">{escaped(line[:160])}</text>'
        for i, line in enumerate(lines)
    ]
    return document(max(map(len, lines)) * 6.5 + 24, 16 * len(lines) + 20, rows)


def guarded(draw: Callable[[], str]) -> str:
    """What ``draw`` returns, or a picture of its error: a display never raises."""
    try:
        return draw()
    except Exception as error:
        return message_svg(f"no picture: {type(error).__name__}\n{error}")


def shape(kind: str, spot: Spot, shade: Shade, extra: str = "") -> str:
    """The outline of a box: one SVG element for the shapes of ``style.LOOKS``."""
    paint = f'fill="{shade.fill}" stroke="{shade.line}"{extra}'
    x, y, w, h = spot.left, spot.top, spot.width, spot.height
    if kind == "ellipse":
        return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{h / 2:.1f}" {paint}/>'
    if kind == "cylinder":
        half, rim = w / 2, 4.0
        body = (
            f"M{x:.1f},{y + rim:.1f} a{half:.1f},{rim} 0 0 1 {w:.1f},0 v{h - 2 * rim:.1f} "
            f"a{half:.1f},{rim} 0 0 1 {-w:.1f},0 z"
        )
        lid = f"M{x:.1f},{y + rim:.1f} a{half:.1f},{rim} 0 0 0 {w:.1f},0"
        return f'<path d="{body}" {paint}/><path d="{lid}" {paint}/>'
    radius = 7 if kind == "rounded" else 1
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{radius}" {paint}/>'


def _captions(captions: list[str], width: float) -> list[str]:
    return [
        f'<text x="{width / 2:.1f}" y="{18 + 17 * i}" text-anchor="middle" font-size="{13 if not i else 11}" '
        f'fill="{PAGE.text}">{escaped(line)}</text>'
        for i, line in enumerate(captions)
    ]


def _text_places(scene: Scene) -> dict[tuple[str, str, str], float]:
    """How far along each arrow its text stands: near the end that it does not share with others."""
    fan = Counter(arrow.tail for arrow in scene.arrows.values())
    return {
        key: 0.85 if arrow.kind != "data" else 0.62 if fan[arrow.tail] > 1 else 0.38
        for key, arrow in scene.arrows.items()
    }


def _box(box: Box, spot: Spot) -> str:
    look, mark = look_of(box.kind), MARKS.get(box.status)
    shade = mark.light if mark else look.light
    extra = f' stroke-width="{2.6 if box.strong else 2 if mark else 1.1}"' + _dash(mark.dash if mark else "")
    glyph = f"{mark.glyph} " if mark else ""
    first = spot.top + spot.height / 2 - LINE * (len(box.lines) - 1) / 2 + 4
    texts = [
        f'<text x="{spot.middle:.1f}" y="{first + LINE * i:.1f}" text-anchor="middle" fill="{shade.text}">'
        f"{glyph if not i else ''}{escaped(line)}</text>"
        for i, line in enumerate(box.lines)
    ]
    outline = shape(look.shape, spot, shade, extra)
    return f'<g class="{_classes("node", f"k-{box.kind}", box.status)}">{_tip(box.tip)}{outline}{"".join(texts)}</g>'


def _group(group: Group, spot: Spot) -> str:
    look, mark = look_of(group.kind), MARKS.get(group.status)
    line = (mark.light if mark else look.light).line
    shade = Shade(look.light.fill, line, look.light.text)
    extra = f' stroke-width="{2 if mark else 1}"' + _dash(mark.dash if mark else "")
    glyph = f"{mark.glyph} " if mark else ""
    text = (
        f'<text x="{spot.left + 9:.1f}" y="{spot.top + 16:.1f}" font-size="10" fill="{line}">'
        f"{glyph}{escaped(group.title)}</text>"
    )
    outline = shape("rounded", spot, shade, extra)
    return f'<g class="{_classes("cluster", f"k-{group.kind}", group.status)}">{_tip(group.tip)}{outline}{text}</g>'


def _arrow(arrow: Arrow, layout: Layout, key: tuple[str, str, str], share: float) -> str:
    points = _route(layout.spots[arrow.tail], layout.spots[arrow.head], layout.bends.get(key, []))
    mark, plain = MARKS.get(arrow.status), arrow.kind == "data"
    shade = mark.light if mark else EDGE if plain else ORDER
    dash = "4,3" if not plain else mark.dash if mark else ""
    curve = "".join(
        f"C{x0:.1f},{(y0 + y1) / 2:.1f} {x1:.1f},{(y0 + y1) / 2:.1f} {x1:.1f},{y1:.1f}"
        for (x0, y0), (x1, y1) in pairwise(points)
    )
    (x, y), way = points[-1], 1 if points[-1][1] >= points[-2][1] else -1
    tip = f"{x - 3:.1f},{y - 6 * way:.1f} {x:.1f},{y:.1f} {x + 3:.1f},{y - 6 * way:.1f}"
    return (
        f'<g class="{_classes("edge", "" if plain else "order", arrow.status)}">'
        f'<path d="M{points[0][0]:.1f},{points[0][1]:.1f}{curve}" fill="none" stroke="{shade.line}" '
        f'stroke-width="{1.8 if mark else 1}"{_dash(dash)}/><polygon points="{tip}" fill="{shade.line}"/>'
        f'<g fill="{shade.text}" stroke="none">{_arrow_text(arrow, points, share)}</g></g>'
    )


def _route(tail: Spot, head: Spot, bends: list[Point]) -> list[Point]:
    down = tail.bottom <= head.top
    start = tail.middle, tail.bottom if down else tail.top
    end = head.middle, head.top if down else head.bottom
    return [start, *bends, end]


def _arrow_text(arrow: Arrow, points: list[Point], share: float) -> str:
    """The text beside the curve, ``share`` of the way to the first bend, with a rim that keeps it legible."""
    if not arrow.text:
        return ""
    (x0, y0), (x1, y1) = points[:2]
    x, y = x0 + (x1 - x0) * (3 - 2 * share) * share**2, y0 + (y1 - y0) * share + 3
    return f'<text class="rim" x="{x + 5:.1f}" y="{y:.1f}" font-size="9">{escaped(arrow.text)}</text>'


def _dash(pattern: str) -> str:
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def _classes(*names: str) -> str:
    return " ".join(filter(None, names))


def _tip(text: str) -> str:
    return f"<title>{escaped(text)}</title>" if text else ""
