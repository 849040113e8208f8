"""The blocks of a page: key figures, tables, bars, drawings, text, files; plain data that renders itself as HTML.

All text is escaped. Lengths of bars are SVG attributes, so the page needs no inline styles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol
from urllib.parse import quote

from viz.common.elements import escape
from viz.common.motion import reduced_motion_style
from viz.output.render import svg

MAX_EXPANDED_LINES = 30  # lines of text or rows of a table; longer blocks are collapsed
MIN_BAR_PERCENT = 0.4  # width of the shortest visible bar


class Block(Protocol):
    """Anything that can be part of a section of a page."""

    def html(self) -> str:
        """The block as an HTML fragment, with all text escaped."""


@dataclass(frozen=True)
class Section:
    """A titled part of a page; ``lead`` is its introduction."""

    title: str
    blocks: Sequence[Block]
    lead: str = ""


@dataclass(frozen=True)
class Figures:
    """A row of key figures: (value, name, remark) each."""

    items: Sequence[tuple[object, str, str]]

    def html(self) -> str:
        """The figures as cards."""
        cards = "".join(
            f'<div class="figure"><b>{cell(value)}</b><span>{escape(name)}</span><small>{escape(remark)}</small></div>'
            for value, name, remark in self.items
        )
        return f'<div class="figures">{cards}</div>'


class Link(NamedTuple):
    """A table cell that links to a file in the page's folder; ``part`` is the URL's fragment, without "#"."""

    text: str
    name: str
    part: str = ""

    def html(self) -> str:
        """The link; ``./`` keeps a name from being parsed as a URL scheme."""
        fragment = f"#{quote(self.part, safe='=&,', errors='replace')}" if self.part else ""
        return f'<a href="./{escape(quote(self.name, errors="replace") + fragment)}">{escape(self.text)}</a>'


@dataclass(frozen=True)
class Table:
    """Columns and rows of text, numbers and ``Link``; ``bars`` names numeric columns that also show bars.

    A long table is collapsed under its caption.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""
    bars: Sequence[str] = ()

    def html(self) -> str:
        """The table, with numbers aligned right."""
        max_values = {self.columns.index(name): self._max_value(self.columns.index(name)) for name in self.bars}
        numeric = [any(_is_number(row[i]) for row in self.rows) for i in range(len(self.columns))]
        head = "".join(
            f'<th scope="col"{_number_class(number)}>{escape(name)}</th>'
            for name, number in zip(self.columns, numeric, strict=True)
        )
        body = "".join(
            "<tr>" + "".join(_td(value, max_values.get(i), numeric[i]) for i, value in enumerate(row)) + "</tr>"
            for row in self.rows
        )
        is_collapsed = len(self.rows) > MAX_EXPANDED_LINES
        caption = "" if is_collapsed or not self.caption else f"<caption>{escape(self.caption)}</caption>"
        table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        table = f'<div class="scroll" tabindex="0">{table}</div>'
        if not is_collapsed:
            return table
        summary = f"{escape(self.caption or 'table')} ({len(self.rows):,} rows)"
        return f"<details><summary>{summary}</summary>{table}</details>"

    def _max_value(self, column: int) -> float:
        return max((float(row[column]) for row in self.rows if _is_number(row[column])), default=0.0)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Bars:
    """Horizontal bars on one scale: (label, value, text after the bar, class) each.

    The class selects the colour: a queue ("M", "V", "MTE2" ...), or "a" and "b" for the two sides of a comparison.
    """

    rows: Sequence[tuple[str, float, str, str]]
    caption: str = ""

    def html(self) -> str:
        """The bars; the longest has the full width."""
        max_value = max((value for _, value, _, _ in self.rows), default=0.0)
        lines = "".join(
            f'<div class="barrow"><span>{escape(label)}</span>{bar(value, max_value, css_class)}'
            f"<b>{escape(text)}</b></div>"
            for label, value, text, css_class in self.rows
        )
        return f'<figure class="bars">{lines}{_figcaption(self.caption)}</figure>'


@dataclass(frozen=True)
class Sliders:
    """What-if sliders: (label, values, results, unit) each; ``initial`` has the index of each slider's first value.

    Without JavaScript, the result of that value is shown.
    """

    rows: Sequence[tuple[str, Sequence[float], Sequence[float], str]]
    initial: Sequence[int]
    caption: str = ""

    def html(self) -> str:
        """One line per slider."""
        lines = "".join(_slider(*row, position) for row, position in zip(self.rows, self.initial, strict=True))
        return f'<figure class="bars">{lines}{_figcaption(self.caption)}</figure>'


@dataclass(frozen=True)
class Drawing:
    """A picture of anything that ``viz.svg`` draws (graph, diff, report), or SVG text from this package."""

    source: object
    caption: str = ""

    def html(self) -> str:
        """The picture, inline."""
        drawing = self.source if isinstance(self.source, str) else svg(self.source)
        drawing = drawing.replace(reduced_motion_style(), "")  # the page's policy allows only its own style sheet
        return f'<figure><div class="picture" tabindex="0">{drawing}</div>{_figcaption(self.caption)}</figure>'


@dataclass(frozen=True)
class Text:
    """Source code or terminal output, in a monospaced font; long text is collapsed under its caption."""

    text: str
    caption: str = ""

    def html(self) -> str:
        """The text, collapsed if it is long."""
        pre = f'<pre tabindex="0">{escape(self.text)}</pre>'
        if self.text.count("\n") <= MAX_EXPANDED_LINES:
            return f"<figure>{_figcaption(self.caption)}{pre}</figure>"
        lines = self.text.count("\n") + 1
        return f"<details><summary>{escape(self.caption or 'text')} ({lines:,} lines)</summary>{pre}</details>"


@dataclass(frozen=True)
class Note:
    """A paragraph."""

    text: str

    def html(self) -> str:
        """The paragraph."""
        return f"<p>{escape(self.text)}</p>"


@dataclass(frozen=True)
class Files:
    """Files in the page's folder: (name, description) each."""

    items: Sequence[tuple[str, str]] = field(default_factory=tuple)

    def html(self) -> str:
        """The names as links."""
        items = "".join(f"<li>{Link(name, name).html()} {escape(text)}</li>" for name, text in self.items)
        return f'<ul class="files">{items}</ul>'


def cell(value: object) -> str:
    """A value as HTML text: integers with thousands separators, other numbers with four digits.

    >>> cell(12345), cell(0.123456), cell("<b>"), cell(None)
    ('12,345', '0.1235', '&lt;b&gt;', '')
    """
    if value is None:
        return ""
    if isinstance(value, Link):
        return value.html()
    if _is_number(value):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return escape(value)


def bar(value: float, max_value: float, css_class: str = "a") -> str:
    """A bar as inline SVG; ``max_value`` has the full width. ``css_class`` as in ``Bars``."""
    share = 0.0 if max_value <= 0 else min(max(value / max_value, 0.0), 1.0)
    width = 100 * share if share == 0 else max(100 * share, MIN_BAR_PERCENT)
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="q-{escape(css_class)}" width="{width:.2f}" height="8"/></svg>'
    )


def _slider(label: str, values: Sequence[float], results: Sequence[float], unit: str, position: int) -> str:
    texts = [f"{value:g} → {result:,.2f} {unit}" for value, result in zip(values, results, strict=True)]
    name = escape(label)
    return (
        f'<div class="barrow"><span>{name}</span><input type="range" min="0" max="{len(texts) - 1}" value="{position}" '
        f'aria-label="{name}" data-results="{escape("|".join(texts))}"><b>{escape(texts[position])}</b></div>'
    )


def _td(value: object, max_value: float | None, numeric: bool) -> str:
    value_bar = bar(float(value), max_value) if max_value and _is_number(value) else ""  # type: ignore[arg-type]
    return f"<td{_number_class(numeric)}>{value_bar}{cell(value)}</td>"


def _number_class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _figcaption(text: str) -> str:
    return f"<figcaption>{escape(text)}</figcaption>" if text else ""
