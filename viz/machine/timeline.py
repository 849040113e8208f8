"""Draws simulated time: one track per instruction queue, one bar per instruction, separate bars for waits.

A report is any object with ``spans``. Each span has ``queue``, ``name``, ``start`` and ``end`` in cycles, and may have
``wait`` (cycles that its queue was stalled before it), ``bound_by`` (the cause), ``core`` and ``node`` (its operator).
``skips`` (``start``, ``end``, ``times``) are steady-state loop iterations that were extrapolated, not simulated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from viz.common.elements import document, element, label, message_svg, rectangle, svg_or_error, tooltip
from viz.common.labels import truncate
from viz.common.style import PAGE, QUEUES, WAIT, ColorSet

if TYPE_CHECKING:
    from minigraph.npu.report import Report
    from minigraph.npu.report_rows import TimelineSpan

TIMELINE_WIDTH = 1080.0  # px
LEFT, RIGHT, TOP = 92.0, 54.0, 62.0  # margins, px
ROW_HEIGHT, TRACK_GAP = 17.0, 9.0  # px: height of a row, space between tracks
MAX_ROWS = 4  # of one track, for overlapping transfers; further ones share the last row
OPERATORS = "operators"


class Bar(NamedTuple):
    """One bar: start and end in cycles, text, whether it is a wait, and its cause."""

    start: float
    end: float
    name: str
    wait: bool = False
    cause: str = ""


class Track(NamedTuple):
    """The bars of one queue of one core, in rows without overlaps; ``busy`` excludes waits."""

    core: str
    queue: str
    rows: list[list[Bar]]
    busy: float


class Scale(NamedTuple):
    """Maps cycles to px: the first and last cycle drawn, and px per cycle."""

    first: float
    last: float
    pixels: float

    def x(self, cycle: float) -> float:
        """The position of a cycle."""
        return LEFT + (cycle - self.first) * self.pixels


def timeline(report: Report, *, core: str | None = None, node: int | None = None, width: float = TIMELINE_WIDTH) -> str:
    """The report's spans as SVG text; errors become a picture of text.

    ``core`` and ``node`` select one core ("aic") and one operator, drawn at full width. The lower axis is in cycles,
    the upper one in microseconds if the report has a clock (``mhz``).
    """
    return svg_or_error(lambda: _draw(report, core, node, width))


def tracks_of(spans: Iterable[Any]) -> list[Track]:
    """The spans by core and queue, queues in the order of ``style.QUEUES``, after a track of operators."""
    queues: dict[tuple[str, str], list[Bar]] = {}
    nodes: dict[str, list[Bar]] = {}
    for span in spans:
        queues.setdefault((core_of(span), str(span.queue)), []).extend(bars_of(span))
        if getattr(span, "node", None) is not None:
            nodes.setdefault(str(span.node), []).append(bars_of(span)[-1])
    tasks = [Bar(min(b.start for b in bars), max(b.end for b in bars), name) for name, bars in nodes.items()]
    operators = [Track("", OPERATORS, pack_rows(tasks), busy_cycles(tasks))] if tasks else []
    rank = {queue: position for position, queue in enumerate(QUEUES)}
    order = sorted(queues, key=lambda key: (key[0], rank.get(key[1], len(rank)), key[1]))
    return operators + [Track(*key, pack_rows(queues[key]), busy_cycles(queues[key])) for key in order]


def bars_of(span: TimelineSpan) -> list[Bar]:
    """The bars of one span: the wait before it, if any, and the span itself."""
    cause, start = str(getattr(span, "bound_by", "") or ""), float(span.start)
    waited = float(getattr(span, "wait", 0) or 0)
    before = [Bar(start - waited, start, "WAIT_FLAG", True, f"waiting for: {cause}")] if waited else []
    return [*before, Bar(start, float(span.end), str(span.name), False, f"bound by: {cause}" if cause else "")]


def pack_rows(bars: Sequence[Bar]) -> list[list[Bar]]:
    """The bars in the fewest rows without overlaps, at most ``MAX_ROWS`` (interval partitioning).

    >>> [len(row) for row in pack_rows([Bar(0, 4, "a"), Bar(2, 6, "b"), Bar(4, 5, "c")])]
    [2, 1]
    """
    rows: list[list[Bar]] = []
    for bar in sorted(bars):
        free = next((row for row in rows if row[-1].end <= bar.start), None)
        if free is None and len(rows) < MAX_ROWS:
            rows.append([bar])
        else:
            (rows[-1] if free is None else free).append(bar)
    return rows


def busy_cycles(bars: Sequence[Bar]) -> float:
    """Cycles in which at least one bar is busy, without waits.

    >>> busy_cycles([Bar(0, 4, "a"), Bar(2, 6, "b"), Bar(6, 9, "WAIT", wait=True)])
    6.0
    """
    total, reached = 0.0, -math.inf
    for bar in sorted(bar for bar in bars if not bar.wait):
        total += max(0.0, bar.end - max(bar.start, reached))
        reached = max(reached, bar.end)
    return total


def nice_step(length: float, ticks: int = 8) -> float:
    """A step of 1, 2 or 5 times a power of ten that gives about ``ticks`` ticks.

    >>> nice_step(950), nice_step(0.8)
    (100.0, 0.1)
    """
    target = length / ticks if length > 0 else 1.0
    power = 10.0 ** math.floor(math.log10(target))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= target * 0.75))


def tick_text(value: float, step: float) -> str:
    """The label of a tick: without exponent, with as many decimals as ``step`` requires.

    >>> tick_text(3e6, 1e6), tick_text(0.30000000000000004, 0.1)
    ('3,000,000', '0.3')
    """
    return f"{value:,.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


# ---- drawing ---------------------------------------------------------------------------------------


def _draw(report: Report, core: str | None, node: int | None, width: float) -> str:
    spans = [span for span in report.spans if core in (None, core_of(span)) and is_for_node(span, node)]
    if not spans:
        return message_svg(_empty_message(report, core, node))
    tracks = tracks_of(spans)
    bars = [bar for track in tracks for row in track.rows for bar in row]
    first, last = (min(bar.start for bar in bars) if node is not None else 0.0), max(bar.end for bar in bars)
    scale = Scale(first, last, (width - LEFT - RIGHT) / max(last - first, 1.0))
    skips = [skip for skip in getattr(report, "skips", ())
             if core in (None, core_of(skip)) and skip.end > scale.first and skip.start < scale.last]  # fmt: skip
    parts: list[str] = []
    extents: dict[str, tuple[float, float]] = {}
    y = TOP
    for track in tracks:
        bottom = y + ROW_HEIGHT * len(track.rows)
        parts += _track(track, y, scale, _share(report, track, scale, node is None, bool(skips)))
        extents[track.core] = extents.get(track.core, (y, y))[0], bottom
        y = bottom + TRACK_GAP
    parts += [_skip(skip, *extents[core_of(skip)], scale) for skip in skips if core_of(skip) in extents]
    mhz = getattr(report, "mhz", None)
    ticks = _axis(scale, y, 1.0, "cycles", below=True) + (_axis(scale, y, 1.0 / mhz, "µs", below=False) if mhz else [])
    return document(width, y + 40, [_title(report, core, scale, mhz), *ticks, *parts])


def core_of(span: TimelineSpan) -> str:
    """The core of a span, "" if it has none."""
    return str(getattr(span, "core", ""))


def is_for_node(span: TimelineSpan, node: int | None) -> bool:
    """Whether a span belongs to a node (any, for ``None``), which reports give as a number or as ``"%3 matmul"``."""
    return node is None or str(getattr(span, "node", "")).split(" ")[0].lstrip("%") == str(node)


def _empty_message(report: Report, core: str | None, node: int | None) -> str:
    if not report.spans:
        return "no simulated time: the report has no spans"
    cores = ", ".join(sorted({core_of(span) for span in report.spans}))
    return f"no spans of {f'%{node}' if node is not None else 'any operator'} on core {core or 'any'}; cores: {cores}"


def _title(report: Report, core: str | None, scale: Scale, mhz: float | None) -> str:
    cycles = scale.last - scale.first
    chip = str(getattr(report, "label", "") or getattr(getattr(report, "chip", None), "label", ""))
    parts = [str(getattr(report, "title", "")), chip, f"core {core}" if core else "", f"{cycles:,.0f} cycles"]
    parts += [f"{cycles / mhz:,.2f} µs at {mhz:,.0f} MHz"] if mhz else []
    return label(" · ".join(filter(None, parts)), LEFT, 22, PAGE.text, size=13)


def _share(report: Report, track: Track, scale: Scale, is_complete: bool, skipped: bool) -> str:
    """The utilisation of a track: from the report's totals, else from its bars, if none are skipped."""
    totals = getattr(report, "queues", {}).get((track.core, track.queue)) if is_complete else None
    if totals is not None:
        return f"{totals.busy / max(report.cycles, 1):.0%}"
    share = "" if skipped else f"{track.busy / max(scale.last - scale.first, 1.0):.0%}"
    return "" if track.queue == OPERATORS else share


def _track(track: Track, y: float, scale: Scale, share: str) -> list[str]:
    height, extent = ROW_HEIGHT * len(track.rows), (scale.last - scale.first) * scale.pixels
    middle, name = y + height / 2 + 4, f"{track.core} {track.queue}".strip()
    parts = [
        element("rect", class_="track", x=LEFT, y=y, width=extent, height=height, fill=PAGE.line, fill_opacity=0.35),
        label(name, LEFT - 8, middle, PAGE.text, anchor="end"),
        label(share, LEFT + extent + 6, middle, PAGE.text),
    ]
    for number, row in enumerate(track.rows):
        parts += [_bars(bars, y + ROW_HEIGHT * number, scale, track.queue) for bars in merge_bars(row, scale.pixels)]
    return parts


def _skip(skip: Any, top: float, bottom: float, scale: Scale) -> str:
    """A band over a core's tracks for identical iterations that were extrapolated."""
    x, extent = scale.x(skip.start), max((skip.end - skip.start) * scale.pixels, 0.6)
    count = f"×{skip.times:,} more"
    text = (
        label(count, x + extent / 2, (top + bottom) / 2, PAGE.text, anchor="middle") if extent > 8 * len(count) else ""
    )
    band = rectangle(x, top, extent, bottom - top, WAIT, fill_opacity=0.6, stroke_dasharray="4,3")
    hover = tooltip(f"{skip.times:,} identical iterations, extrapolated")
    return element("g", hover + band + text, class_="skip")


def merge_bars(row: Sequence[Bar], pixels: float) -> list[list[Bar]]:
    """Group neighbouring bars within 1.5 px, so that a picture never has more bars than pixels."""
    groups: list[list[Bar]] = []
    for bar in row:
        last = groups[-1] if groups else None
        is_mergeable = last is not None and (bar.end - last[0].start) * pixels < 1.5 and bar.wait == last[0].wait
        if last is not None and is_mergeable:
            last.append(bar)
        else:
            groups.append([bar])
    return groups


def _bars(bars: list[Bar], y: float, scale: Scale, queue: str) -> str:
    first, end = bars[0], max(bar.end for bar in bars)
    colors = WAIT if first.wait else QUEUES.get(queue, WAIT)
    x, extent = scale.x(first.start), max((end - first.start) * scale.pixels, 0.6)
    name = first.name if len(bars) == 1 else f"{len(bars)} instructions, first {first.name}"
    lines = [name, f"cycles {first.start:,.0f} to {end:,.0f} ({end - first.start:,.0f})", first.cause]
    block = rectangle(x, y + 1.5, extent, ROW_HEIGHT - 3, colors, stroke_width=0.6 if extent > 3 else 0)
    text = _bar_label(first.name, x, y, extent, colors) if len(bars) == 1 else ""
    content = tooltip("\n".join(filter(None, lines))) + block + text
    return element("g", content, class_="span wait" if first.wait else f"span q-{queue}")


def _bar_label(name: str, x: float, y: float, extent: float, colors: ColorSet) -> str:
    max_characters = int((extent - 4) / 6.3)
    if not name or max_characters < min(len(name), 7):
        return ""
    return label(
        truncate(name, max_characters), x + extent / 2, y + ROW_HEIGHT / 2 + 3.3, colors.text, anchor="middle", size=9.5
    )


def _axis(scale: Scale, bottom: float, unit: float, name: str, *, below: bool) -> list[str]:
    """Ticks and labels in multiples of ``unit`` per cycle; the ticks of the lower axis are the grid."""
    step = nice_step((scale.last - scale.first) * unit)
    y = bottom + 12 if below else TOP - 12
    parts = [label(name, LEFT - 16, y, PAGE.text, anchor="end", size=10)]
    for i in range(math.ceil(scale.first * unit / step - 1e-9), int(scale.last * unit / step + 1e-9) + 1):
        x = scale.x(i * step / unit)
        parts.append(label(tick_text(i * step, step), x, y, PAGE.text, anchor="middle", size=10))
        first, last = (TOP, bottom - 2) if below else (TOP - 9, TOP - 3)
        parts.append(element("path", class_="grid", d=f"M{x:.1f},{first:.1f}V{last:.1f}", stroke=PAGE.line))
    return parts
