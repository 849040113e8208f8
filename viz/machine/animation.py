"""Animates a simulated core: its data path, with active queues lit, above a timeline that fills up.

The picture is one SVG with SMIL animation, which needs no script and works in pages, notebooks and READMEs. Without
animation (print, PNG) it shows the whole timeline. A click restarts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from viz.common.elements import document, element, label, message_svg, rectangle, svg_or_error, tooltip
from viz.common.motion import Motion, reduced_motion_style
from viz.common.style import PAGE, QUEUES, WAIT
from viz.machine.timeline import LEFT, RIGHT, TIMELINE_WIDTH, Bar, busy_cycles, core_of, is_for_node, timeline

if TYPE_CHECKING:
    from minigraph.npu.report import Report
    from minigraph.npu.report_rows import TimelineSpan

PATH_HEIGHT = 96.0  # px above the timeline, for the data path
BOX_HEIGHT, BOX_WIDTH = 34.0, 76.0  # px of a memory or queue
BOX_CENTER_Y, LABEL_Y, SHARE_Y = 44, 48, 76  # px from the top: boxes, baselines of names and of busy shares
AXIS_TOP, AXIS_BOTTOM = 56, 36  # px of the timeline above and below its tracks
MAX_FRAMES = 200  # keyframes of an indicator; shorter gaps are merged
IDLE_OPACITY = 0.18  # of an indicator whose queue is idle

# Memories and the queues between them, named as in the vendor's documents.
DATA_PATHS = (
    ("M", ("GM · L2", "MTE2", "L1", "MTE1", "L0A · L0B", "M", "L0C", "FIXP", "GM · L2")),
    ("V", ("GM · L2", "MTE2", "UB", "V", "UB", "MTE3", "GM · L2")),
)


def animation(
    report: Report, *, core: str | None = None, node: int | None = None, seconds: float = 8.0, repeats: int = 0,
    width: float = TIMELINE_WIDTH,
) -> str:  # fmt: skip
    """One core as animated SVG text; errors become a picture of text.

    ``report`` is as for ``viz.timeline``. ``core`` ("aic", "aiv"; default: the busier one) and ``node`` select one core
    and one operator; the start of a task, when no data moves, is omitted. The animation takes ``seconds`` and runs
    ``repeats`` times (0: forever).
    """
    return svg_or_error(lambda: _draw(report, core, node, Motion(seconds, repeats, "again"), width))


def _draw(report: Report, core: str | None, node: int | None, motion: Motion, width: float) -> str:
    spans = [span for span in report.spans if is_for_node(span, node) and span.queue != "S"]
    shown_core = core or _busiest_core(spans)
    spans = [span for span in spans if core_of(span) == shown_core]
    if not spans:
        return message_svg(
            f"nothing to animate: no spans of {'any node' if node is None else f'%{node}'} on {shown_core}"
        )
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    lower = timeline(_window(report, spans, shown_core, first, last), width=width)
    height = float(re.search(r' height="([\d.]+)"', lower)[1])  # type: ignore[index]
    parts = [
        reduced_motion_style(),
        *_data_path(spans, first, last, motion, width),
        re.sub(r"^<svg ", f'<svg y="{PATH_HEIGHT:.0f}" ', lower.strip()),
        *_cover(height, motion, width),
    ]
    svg = document(width, PATH_HEIGHT + height, parts)
    return svg.replace("<svg ", f'<svg id="{motion.element_id}" ', 1)


def _busiest_core(spans: Iterable[Any]) -> str:
    busy: dict[str, float] = {}
    for span in spans:
        busy[core_of(span)] = busy.get(core_of(span), 0.0) + span.end - span.start
    return max(busy, key=busy.__getitem__, default="")


def _window(report: Report, spans: Sequence[Any], core: str, first: float, last: float) -> Any:
    """A report of these spans only, with times relative to the first cycle."""

    def shift(span: TimelineSpan, **fields: object) -> Any:
        return SimpleNamespace(core=core, start=span.start - first, end=span.end - first, **fields)

    shifted_spans = [
        shift(s, queue=s.queue, name=s.name, wait=min(getattr(s, "wait", 0) or 0, s.start - first),
              bound_by=getattr(s, "bound_by", ""))
        for s in spans
    ]  # fmt: skip
    skips = [
        shift(skip, times=skip.times)
        for skip in getattr(report, "skips", ())
        if core_of(skip) == core and first <= skip.start and skip.end <= last
    ]
    title = f"{getattr(report, 'title', '')} · {core}".strip(" ·")
    clock_fields = {name: getattr(report, name, None) for name in ("chip", "label", "mhz")}
    return SimpleNamespace(spans=shifted_spans, skips=skips, title=title, **clock_fields)


# ---- the data path ---------------------------------------------------------------------------------


def _data_path(spans: Sequence[Any], first: float, last: float, motion: Motion, width: float) -> Iterable[str]:
    """Memories and queues in a row; each queue is an indicator that is lit while the queue is busy."""
    bars: dict[str, list[Bar]] = {}
    for span in spans:
        bars.setdefault(str(span.queue), []).append(Bar(float(span.start), float(span.end), str(span.name)))
    names = data_path(bars)
    step = (width - LEFT - RIGHT) / max(len(names) - 1, 1)
    for position, name in enumerate(names):
        x = LEFT + position * step
        if position:
            yield _arrow(x - step + BOX_WIDTH / 2 + 3, x - BOX_WIDTH / 2 - 3)
        yield from _indicator(name, x, bars[name], (first, last), motion) if name in bars else [_memory_box(name, x)]


def data_path(queues: Iterable[str]) -> tuple[str, ...]:
    """The memories and queues, in order, of a core with these queues.

    >>> data_path(["V", "MTE2", "MTE3"])[:3], data_path(["MTE2"])
    (('GM · L2', 'MTE2', 'UB'), ('MTE2',))
    """
    present = list(dict.fromkeys(queues))
    for unit, path in DATA_PATHS:
        if unit in present:
            return path
    return tuple(queue for queue in QUEUES if queue in present)


def _memory_box(name: str, x: float) -> str:
    box = rectangle(x - BOX_WIDTH / 2, BOX_CENTER_Y - BOX_HEIGHT / 2, BOX_WIDTH, BOX_HEIGHT, WAIT, rx=3)
    return element("g", box + label(name, x, LABEL_Y, WAIT.text, anchor="middle"), class_="wait")


def _indicator(name: str, x: float, bars: Sequence[Bar], window: tuple[float, float], motion: Motion) -> list[str]:
    colors, (first, last) = QUEUES.get(name, WAIT), window
    share = busy_cycles(bars) / max(last - first, 1.0)
    times, lit = indicator_frames(bars, first, last)
    opacity = motion.animate("opacity", [1 if is_lit else IDLE_OPACITY for is_lit in lit], times)
    corner = {"x": x - BOX_WIDTH / 2, "y": BOX_CENTER_Y - BOX_HEIGHT / 2}
    area = {**corner, "width": BOX_WIDTH, "height": BOX_HEIGHT, "rx": 12.0}
    frame = element("rect", fill="none", stroke=colors.line, stroke_width=1.5, **area)
    glow = element("rect", opacity, fill=colors.fill, class_="glow", **area)
    lit_name = element("g", label(name, x, LABEL_Y, colors.text, anchor="middle") + opacity, class_="glow")
    return [
        element("g", frame + glow),
        label(name, x, LABEL_Y, PAGE.text, anchor="middle"),
        label(f"{share:.0%}", x, SHARE_Y, PAGE.text, anchor="middle"),
        element("g", tooltip(f"{name} is busy {share:.0%} of the time") + lit_name),
    ]


def indicator_frames(bars: Sequence[Bar], first: float, last: float) -> tuple[list[float], list[bool]]:
    """The times at which an indicator changes, as fractions of the window, and whether it is lit from then on.

    >>> indicator_frames([Bar(0, 50, "a"), Bar(75, 100, "b")], 0, 100)
    ([0.0, 0.5, 0.75], [True, False, True])
    """
    length, min_gap = max(last - first, 1.0), 1.0 / MAX_FRAMES
    times, lit, reached = [0.0], [False], 0.0
    for bar in sorted(bars):
        start, end = (bar.start - first) / length, (bar.end - first) / length
        if start - reached > min_gap or (len(times) == 1 and start > 0):
            times, lit = [*times, start], [*lit, True]
        elif not lit[-1] and times[-1] > 0:
            times.pop()
            lit.pop()
        elif len(times) == 1:
            lit = [True]
        reached = max(reached, end)
        if reached < 1.0:
            times, lit = [*times, reached], [*lit, False]
    return times, lit


def _arrow(start: float, end: float) -> str:
    path = f"M{start:.1f},{BOX_CENTER_Y}H{end:.1f}m-6,-4l6,4l-6,4"
    return element("path", class_="edge", d=path, fill="none", stroke=PAGE.text, stroke_width=1.2, opacity=0.6)


# ---- the timeline ----------------------------------------------------------------------------------


def _cover(height: float, motion: Motion, width: float) -> list[str]:
    """A cover over future events that shrinks with time, and the line at its edge."""
    top, right, plot_width = PATH_HEIGHT + AXIS_TOP, width - RIGHT, width - LEFT - RIGHT
    cover_height = height - AXIS_TOP - AXIS_BOTTOM
    glide = partial(motion.animate, times=[0, 1], mode="linear")
    cover = element(
        "rect", glide("x", [LEFT, right]) + glide("width", [plot_width, 0]),
        x=right, y=top, width=0.0, height=cover_height, fill=PAGE.fill, opacity=0.85, class_="cover",
    )  # fmt: skip
    line = element(
        "line", glide("x1", [LEFT, right]) + glide("x2", [LEFT, right]),
        x1=right, y1=top, x2=right, y2=top + cover_height, stroke=PAGE.text, stroke_width=1.5, class_="playhead",
    )  # fmt: skip
    return [cover, line]
