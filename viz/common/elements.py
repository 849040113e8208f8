"""SVG text out of elements: the only place where markup is written and where text is made safe for it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable

from viz.common.style import FONT, PAGE, Shade

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold


class Svg(str):
    """SVG text that a notebook shows as the picture it is; everywhere else it is a text."""

    def _repr_svg_(self) -> str:
        return str(self)

    def _mime_(self) -> tuple[str, str]:
        """For marimo, which takes a text for a text unless it is told otherwise."""
        return "image/svg+xml", str(self)


def escape_markup(text: object) -> str:
    """Text for SVG and HTML, in content and in attributes; characters XML cannot hold become spaces.

    >>> escape_markup('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(_UNFIT.sub(" ", str(text)), quote=True)


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """One element around ready-made content; ``_`` in attribute names stands for ``-``, empty ones are left out.

    >>> element("rect", x=1.5, width=20, stroke_dasharray="", class_="lane")
    '<rect x="1.5" width="20" class="lane"/>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def label(text: object, x: float, y: float, fill: str, *, anchor: str = "", size: float | None = None) -> str:
    """A line of text; ``anchor`` "middle" or "end" says which part of it stands at ``x``."""
    return element("text", escape_markup(text), x=x, y=y, text_anchor=anchor, font_size=size, fill=fill)


def rectangle(left: float, top: float, width: float, height: float, shade: Shade, **attributes: object) -> str:
    """A rectangle in a shade's colours."""
    paint = {"fill": shade.fill, "stroke": shade.line, **attributes}
    return element("rect", x=left, y=top, width=width, height=height, **paint)


def tooltip(text: str) -> str:
    """What hovering over the surrounding group shows."""
    return element("title", escape_markup(text)) if text else ""


def document(width: float, height: float, parts: Iterable[str]) -> str:
    """An SVG document of the given size (px) on the page colour, around ready-made elements."""
    wide, high = f"{width:.0f}", f"{height:.0f}"
    paper = element("polygon", points=f"0,0 {wide},0 {wide},{high} 0,{high}", fill=PAGE.fill)
    graph = element("g", "\n".join((paper, *parts)), class_="graph")
    return element(
        "svg", graph, xmlns="http://www.w3.org/2000/svg", width=wide, height=high, viewBox=f"0 0 {wide} {high}",
        font_family=FONT, font_size=11,
    ) + "\n"  # fmt: skip


def message_svg(text: str) -> str:
    """A picture that only says something: what a display shows where a drawing failed or is empty."""
    lines = [line[:160] for line in str(text).splitlines()[:6]] or [""]
    rows = [label(line, 12, 24 + 16 * i, PAGE.text) for i, line in enumerate(lines)]
    return document(max(map(len, lines)) * 6.5 + 24, 16 * len(lines) + 20, rows)


def svg_or_error(draw: Callable[[], str]) -> Svg:
    """What ``draw`` returns, or a picture of its error: a display never raises."""
    try:
        return Svg(draw())
    except Exception as error:
        return Svg(message_svg(f"no picture: {type(error).__name__}\n{error}"))


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape_markup(value)
