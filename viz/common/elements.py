"""Builds SVG elements; the only module that writes SVG markup and escapes text for it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable

from minigraph.core.scope_guard import reraise_handler_error
from viz.common.style import FONT, PAGE, ColorSet

_INVALID_CHARACTERS = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # characters that XML 1.0 forbids


class Svg(str):
    """SVG text that notebooks display as a picture; otherwise an ordinary string."""

    def _repr_svg_(self) -> str:
        return str(self)

    def _mime_(self) -> tuple[str, str]:
        """The MIME type for marimo, which would show a plain string as text."""
        return "image/svg+xml", str(self)


def escape(text: object) -> str:
    """Text escaped for SVG and HTML content and attributes; characters that XML forbids become spaces.

    >>> escape('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(_INVALID_CHARACTERS.sub(" ", str(text)), quote=True)


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """One element around existing markup; ``_`` in attribute names becomes ``-``, empty attributes are omitted.

    >>> element("rect", x=1.5, width=20, stroke_dasharray="", class_="track")
    '<rect x="1.5" width="20" class="track"/>'
    """
    markup = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute_text(value)}"'
        for name, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{tag}{markup}>{content}</{tag}>" if content else f"<{tag}{markup}/>"


def label(text: object, x: float, y: float, fill: str, *, anchor: str = "", size: float | None = None) -> str:
    """A line of text; ``anchor`` "middle" or "end" aligns that part of it to ``x``."""
    return element("text", escape(text), x=x, y=y, text_anchor=anchor, font_size=size, fill=fill)


def rectangle(left: float, top: float, width: float, height: float, colors: ColorSet, **attributes: object) -> str:
    """A rectangle (px) with the fill and outline colours of ``colors``."""
    presentation = {"fill": colors.fill, "stroke": colors.line, **attributes}
    return element("rect", x=left, y=top, width=width, height=height, **presentation)


def tooltip(text: str) -> str:
    """The tooltip of the surrounding group, as a ``<title>`` element."""
    return element("title", escape(text)) if text else ""


def document(width: float, height: float, parts: Iterable[str]) -> str:
    """An SVG document of the given size (px) with the page background, around existing elements."""
    w, h = f"{width:.0f}", f"{height:.0f}"
    background = element("polygon", points=f"0,0 {w},0 {w},{h} 0,{h}", fill=PAGE.fill)
    graph = element("g", "\n".join((background, *parts)), class_="graph")
    return element(
        "svg", graph, xmlns="http://www.w3.org/2000/svg", width=w, height=h, viewBox=f"0 0 {w} {h}",
        font_family=FONT, font_size=11,
    ) + "\n"  # fmt: skip


def message_svg(text: str) -> str:
    """A picture that contains only a message, for drawings that failed or are empty."""
    lines = [line[:160] for line in str(text).splitlines()[:6]] or [""]
    rows = [label(line, 12, 24 + 16 * i, PAGE.text) for i, line in enumerate(lines)]
    return document(max(map(len, lines)) * 6.5 + 24, 16 * len(lines) + 20, rows)


def svg_or_error(draw: Callable[[], str]) -> Svg:
    """The result of ``draw``, or a picture with its error message, because displays must never raise."""
    try:
        return Svg(draw())
    except Exception as error:
        reraise_handler_error(error)
        return Svg(message_svg(f"cannot draw this picture: {type(error).__name__}\n{error}"))


def _attribute_text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(value)
