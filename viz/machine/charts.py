"""Charts of simulated runs: rooflines, buffer occupancy over time, measured against predicted values.

All inputs are read by attribute, as in ``viz.timeline``, so that any object with these attributes can be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from viz.common.elements import document, element, label, message_svg, svg_or_error, tooltip
from viz.common.style import PAGE, QUEUES

if TYPE_CHECKING:
    from minigraph.npu.reports.memory import Occupancy
    from minigraph.npu.reports.roofline import Roof, Roofline, RooflinePoint

CHART_WIDTH, CHART_HEIGHT = 760.0, 470.0  # px
LEFT, RIGHT, TOP, BOTTOM = 70.0, 32.0, 40.0, 46.0  # margins, px
ROOF_LABEL_WIDTH, LABEL_HEIGHT = 160.0, 13.0  # px for the labels of peaks, and the height of one label
STRIP_HEIGHT = 74.0  # px per buffer
DOT_RADIUS = 4.0  # px
COLORS = {"GM": "#b3541e", "L2": "#128a69", "peak": "#7b61c4", "fitted": "#0a6ab4", "held out": "#b3541e"}
EARLIER_OPACITY = 0.35  # of the points of the earlier run


class Axis(NamedTuple):
    """Maps values to px on a logarithmic or linear scale: the ends in values and in px."""

    low: float
    high: float
    start: float
    end: float
    log: bool = True

    def px(self, value: float) -> float:
        """The position of a value, clamped to the ends of the axis.

        >>> Axis(1, 100, 0, 200).px(10), Axis(0, 10, 0, 200, log=False).px(2.5)
        (100.0, 50.0)
        """
        clamped = min(max(value, self.low), self.high)
        low, high, position_on_scale = (math.log10(v) if self.log else v for v in (self.low, self.high, clamped))
        return self.start + (position_on_scale - low) / ((high - low) or 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Powers of ten, or quarters of a linear axis."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            return [10.0**power for power in range(first, last + 1)]
        return [self.low + (self.high - self.low) * i / 4 for i in range(5)]


class ScatterPoint(NamedTuple):
    """One point of a scatter plot: name, coordinates, and kind (a key of ``COLORS``)."""

    name: str
    x: float
    y: float
    kind: str


# ---- roofline --------------------------------------------------------------------------------------


def roofline_svg(roofline: Roofline) -> str:
    """A log-log roofline chart: one point per task, bandwidths and peaks; points of the earlier run are faint.

    ``roofline`` has ``title``, ``roofs`` (``name``, ``value``, ``unit`` "TB/s" or "TOps/s"), ``points`` and ``earlier``
    (each with ``row.name``, ``row.node``, ``roof``, ``intensity``, ``tops``, ``attainable``, ``peak``).
    Never raises: errors become a picture of text.
    """
    return svg_or_error(lambda: _draw_roofline(roofline))


def _draw_roofline(roofline: Roofline) -> str:
    points = [*roofline.points, *roofline.earlier]
    if not points:
        return message_svg("no roofline: no task computes anything")
    slanted = [roof for roof in roofline.roofs if roof.unit == "TB/s"]
    flat = [roof for roof in roofline.roofs if roof.unit != "TB/s"]
    x = _logarithmic(
        [p.intensity for p in points] + [roof.value / slanted[0].value for roof in flat],
        LEFT,
        CHART_WIDTH - ROOF_LABEL_WIDTH,
    )
    y = _logarithmic([p.tops for p in points] + [roof.value for roof in flat], CHART_HEIGHT - BOTTOM, TOP)
    parts = [*_frame(x, y, roofline.title, "Ops/Byte", "TOps/s")]
    top, widest = max(roof.value for roof in flat), max(roof.value for roof in slanted)
    for roof in slanted:
        parts += _bandwidth_roof(roof, x, y, top, above=roof.value == widest)
    flat.sort(key=lambda roof: -roof.value)
    for roof, height in zip(flat, separate_labels([y.px(roof.value) for roof in flat], LABEL_HEIGHT), strict=True):
        parts += _peak_roof(roof, x, y, widest, height)
    parts += [_point(p, x, y, EARLIER_OPACITY) for p in roofline.earlier]
    parts += [_point(p, x, y, 1.0) for p in roofline.points]
    return document(CHART_WIDTH, CHART_HEIGHT, parts)


def _bandwidth_roof(roof: Roof, x: Axis, y: Axis, top: float, above: bool) -> list[str]:
    """The line of a bandwidth, from the left or bottom edge to the highest peak, with its name along it."""
    first = max(x.low, y.low / roof.value)
    last = max(first, min(x.high, top / roof.value))
    color = COLORS[roof.name.split()[0]]
    ends = {"x1": x.px(first), "y1": y.px(first * roof.value), "x2": x.px(last), "y2": y.px(last * roof.value)}
    angle = math.degrees(math.atan2(ends["y2"] - ends["y1"], ends["x2"] - ends["x1"]))
    name = label(f"{roof.name} {roof.value:g} TB/s", 8, -6 if above else 14, PAGE.text, size=10)
    transform = f"translate({ends['x1']:.1f},{ends['y1']:.1f}) rotate({angle:.1f})"
    return [element("line", **ends, stroke=color, stroke_width=1.5), element("g", name, transform=transform)]


def _peak_roof(roof: Roof, x: Axis, y: Axis, widest: float, label_y: float) -> list[str]:
    """The line of a peak, from its ridge point with the highest bandwidth; its name is at height ``label_y``."""
    start, height = x.px(max(x.low, roof.value / widest)), y.px(roof.value)
    line = element("line", x1=start, y1=height, x2=x.end, y2=height, stroke=COLORS["peak"], stroke_dasharray="4 3")
    points = f"{x.end:.1f},{height:.1f} {x.end + 10:.1f},{label_y:.1f}"
    leader = element("polyline", points=points, fill="none", stroke=COLORS["peak"])
    return [line, leader, label(f"{roof.name} {roof.value:,.0f}", x.end + 14, label_y + 4, COLORS["peak"], size=10)]


def separate_labels(heights: Sequence[float], gap: float) -> list[float]:
    """Ascending heights, moved down just enough that each is at least ``gap`` below the previous one.

    >>> separate_labels([10, 12, 40], 8)
    [10, 18, 40]
    """
    result: list[float] = []
    for height in heights:
        result.append(max(height, result[-1] + gap) if result else height)
    return result


def _point(point: RooflinePoint, x: Axis, y: Axis, opacity: float) -> str:
    share = point.tops / point.attainable
    text = f"%{point.row.node} {point.row.name}: {point.tops:.3g} TOps/s at {point.intensity:.3g} Ops/Byte, "
    text += f"{share:.1%} of the {point.roof} roofline"
    color = COLORS[point.roof.split()[0]]
    return _dot(x.px(point.intensity), y.px(point.tops), color, text, opacity)


# ---- memory ----------------------------------------------------------------------------------------


def occupancy_svg(occupancies: Sequence[object], mhz: float | None = None, chip: str = "") -> str:
    """One strip per buffer: occupied bytes over time; the full height is the capacity.

    Each occupancy has ``buffer``, ``core``, ``capacity``, ``peak``, ``mean`` and ``levels`` (``at`` in cycles,
    ``bytes``). The axis is in microseconds if the clock ``mhz`` is known; the title names the ``chip``. Never raises.
    """
    return svg_or_error(lambda: _draw_occupancies(occupancies, mhz, chip))


def _draw_occupancies(occupancies: Sequence[Any], mhz: float | None, chip: str) -> str:
    end = max((usage.levels[-1].at for usage in occupancies if usage.levels), default=0)
    if not end:
        return message_svg("no buffer occupancy: nothing ran")
    scale = mhz or 1.0
    x = Axis(0.0, end / scale, LEFT, CHART_WIDTH - RIGHT, log=False)
    parts = [part for i, usage in enumerate(occupancies) for part in _strip(usage, TOP + i * STRIP_HEIGHT, x, scale)]
    bottom = TOP + len(occupancies) * STRIP_HEIGHT
    title = label("Buffer occupancy" + f" on {chip}" * bool(chip), LEFT, 22, PAGE.text, size=13)
    return document(CHART_WIDTH, bottom + 30, [title, *parts, *_ticks_below(x, bottom - 10, "µs" if mhz else "cycles")])


def _strip(occupancy: Occupancy, top: float, x: Axis, scale: float) -> list[str]:
    height, buffer, capacity = STRIP_HEIGHT - 22, occupancy.buffer, occupancy.capacity
    y, peak = Axis(0.0, capacity, top + height, top, log=False), f"peak {occupancy.peak / capacity:.0%}"
    color = QUEUES["MTE2" if buffer in ("L1", "L2", "UB") else "M"].line
    path = f"M{x.start:.1f},{y.start:.1f}"
    for level in occupancy.levels:
        path += f"H{x.px(level.at / scale):.1f}V{y.px(level.bytes):.1f}"
    path += f"V{y.start:.1f}Z"
    text = f"{buffer} of {occupancy.core}: {peak}, mean {occupancy.mean / capacity:.0%}"
    return [
        element("rect", x=x.start, y=top, width=x.end - x.start, height=height, fill="none", stroke=PAGE.line),
        element("path", tooltip(text), d=path, fill=color, stroke="none", opacity=0.8),
        label(buffer, x.start - 8, top + 14, PAGE.text, anchor="end"),
        label(occupancy.core, x.start - 8, top + 28, PAGE.text, anchor="end", size=9),
        label(f"{capacity / 1024:,.0f} KiB, {peak}", x.end, top - 3, PAGE.text,
              anchor="end", size=9),
    ]  # fmt: skip


# ---- scatter ---------------------------------------------------------------------------------------


def scatter_svg(points: Sequence[ScatterPoint], title: str, x_label: str, y_label: str, band: float = 0.0) -> str:
    """A scatter plot on two logarithmic axes with the same range, and the line where both are equal; never raises.

    ``band`` adds two lines at that relative distance.
    """
    return svg_or_error(lambda: _draw_scatter(points, title, x_label, y_label, band))


def _draw_scatter(points: Sequence[ScatterPoint], title: str, x_label: str, y_label: str, band: float) -> str:
    if not points:
        return message_svg("no points")
    values = [value for dot in points for value in (dot.x, dot.y)]
    x, y = _logarithmic(values, LEFT, CHART_WIDTH - RIGHT), _logarithmic(values, CHART_HEIGHT - BOTTOM, TOP)
    parts = [*_frame(x, y, title, x_label, y_label)]
    for ratio in sorted({1.0, 1 + band, 1 - band}):
        first, last = max(x.low, x.low / ratio), min(x.high, x.high / ratio)  # where the line is inside of the axes
        ends = {"x1": x.px(first), "y1": y.px(first * ratio), "x2": x.px(last), "y2": y.px(last * ratio)}
        parts.append(element("line", **ends, stroke=PAGE.text, stroke_dasharray="2 3" * (ratio != 1), opacity=0.6))
    for dot in points:
        text = f"{dot.name}: {dot.x:,.4g} measured, {dot.y:,.4g} predicted ({dot.y / dot.x - 1:+.1%}), {dot.kind}"
        parts.append(_dot(x.px(dot.x), y.px(dot.y), COLORS[dot.kind], text))
    kinds = dict.fromkeys(dot.kind for dot in points)
    parts += [label(kind, x.start + 12, TOP + 18 + 15 * i, COLORS[kind]) for i, kind in enumerate(kinds)]
    return document(CHART_WIDTH, CHART_HEIGHT, parts)


# ---- axes ------------------------------------------------------------------------------------------


def _logarithmic(values: Iterable[float], start: float, end: float) -> Axis:
    """An axis from the power of ten below the smallest positive value to the one above the largest."""
    positive = [value for value in values if value > 0]
    low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    return Axis(10.0**low, 10.0 ** max(high, low + 1), start, end)


def _frame(x: Axis, y: Axis, title: str, x_label: str, y_label: str) -> Iterable[str]:
    yield label(title, LEFT, 22, PAGE.text, size=13)
    for value in y.ticks():
        height = y.px(value)
        yield element("line", x1=x.start, y1=height, x2=x.end, y2=height, stroke=PAGE.line)
        yield label(_tick_text(value), x.start - 6, height + 4, PAGE.text, anchor="end", size=9)
    yield label(y_label, x.start - 6, TOP - 10, PAGE.text, anchor="end", size=10)
    yield from _ticks_below(x, y.start, x_label)


def _ticks_below(x: Axis, height: float, unit: str) -> Iterable[str]:
    for value in x.ticks():
        position = x.px(value)
        yield element("line", x1=position, y1=height, x2=position, y2=height + 4, stroke=PAGE.text)
        yield label(_tick_text(value), position, height + 16, PAGE.text, anchor="middle", size=9)
    yield label(unit, (x.start + x.end) / 2, height + 32, PAGE.text, anchor="middle", size=10)


def _tick_text(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _dot(x: float, y: float, color: str, text: str, opacity: float = 1.0) -> str:
    return element("circle", tooltip(text), cx=x, cy=y, r=DOT_RADIUS, fill=color, opacity=opacity)
