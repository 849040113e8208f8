"""Figures of a simulated run as pictures: tasks under a roofline, buffers over time, measured against predicted.

Everything is asked for by attribute, as in ``viz.timeline``, so that any object with these attributes can be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from viz.common.elements import document, element, svg_or_error, tooltip, label, message_svg
from viz.common.style import PAGE, QUEUES

WIDTH, HEIGHT = 760.0, 470.0
LEFT, RIGHT, TOP, BOTTOM = 70.0, 24.0, 40.0, 46.0
ROOF_LABEL_WIDTH, LINE = 160.0, 13.0  # px beside the roofs for their names, and of one line of these
STRIP_HEIGHT = 74.0  # px of one buffer's strip
DOT_RADIUS = 4.0
COLOURS = {"GM": "#b3541e", "L2": "#128a69", "peak": "#7b61c4", "fitted": "#0a6ab4", "held out": "#b3541e"}
EARLIER_OPACITY = 0.35


class Axis(NamedTuple):
    """Values to px: the ends in values and in px, on a logarithmic or an even scale."""

    low: float
    high: float
    start: float
    end: float
    log: bool = True

    def at(self, value: float) -> float:
        """Where a value stands; what lies outside stands at the nearer end.

        >>> Axis(1, 100, 0, 200).at(10), Axis(0, 10, 0, 200, log=False).at(2.5)
        (100.0, 50.0)
        """
        low, high, here = (math.log10(v) if self.log else v for v in (self.low, self.high, self._clamp(value)))
        return self.start + (here - low) / ((high - low) or 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Powers of ten, or quarters."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            return [10.0**power for power in range(first, last + 1)]
        return [self.low + (self.high - self.low) * i / 4 for i in range(5)]

    def _clamp(self, value: float) -> float:
        return min(max(value, self.low), self.high)


class Dot(NamedTuple):
    """One point of a scatter: what it is, where, and its kind (a key of ``COLOURS``)."""

    name: str
    x: float
    y: float
    kind: str


# ---- roofline --------------------------------------------------------------------------------------


def roofline_svg(found: Any) -> str:
    """Tasks under both curves and the peaks of their units, log-log; fainter the tasks of the run before.

    ``found`` has ``title``, ``roofs`` (``name``, ``value``, ``unit`` "TB/s" or "TOps/s"), ``points`` and ``earlier``
    (each with ``row.name``, ``row.node``, ``curve``, ``intensity``, ``tops``, ``reachable``, ``peak``).
    Never raises: errors become a picture of text.
    """
    return svg_or_error(lambda: _roofline(found))


def _roofline(found: Any) -> str:
    points = [*found.points, *found.earlier]
    if not points:
        return message_svg("no roofline: no task computes anything")
    slanted = [roof for roof in found.roofs if roof.unit == "TB/s"]
    flat = [roof for roof in found.roofs if roof.unit != "TB/s"]
    x = _logarithmic(
        [p.intensity for p in points] + [roof.value / slanted[0].value for roof in flat], LEFT, WIDTH - ROOF_LABEL_WIDTH
    )
    y = _logarithmic([p.tops for p in points] + [roof.value for roof in flat], HEIGHT - BOTTOM, TOP)
    parts = [*_frame(x, y, found.title, "Ops/Byte", "TOps/s")]
    top, widest = max(roof.value for roof in flat), max(one.value for one in slanted)
    for roof in slanted:
        parts += _slanted(roof, x, y, top, above=roof.value == widest)
    flat.sort(key=lambda roof: -roof.value)
    for roof, height in zip(flat, spread([y.at(roof.value) for roof in flat], LINE), strict=True):
        parts += _flat(roof, x, y, widest, height)
    parts += [_point(p, x, y, EARLIER_OPACITY) for p in found.earlier] + [_point(p, x, y, 1.0) for p in found.points]
    return document(WIDTH, HEIGHT, parts)


def _slanted(roof: Any, x: Axis, y: Axis, top: float, above: bool) -> list[str]:
    """The line of a bandwidth, from the left edge (or the bottom) to the highest peak, its name along it."""
    first = max(x.low, y.low / roof.value)
    last = max(first, min(x.high, top / roof.value))
    colour = COLOURS[roof.name.split()[0]]
    ends = {"x1": x.at(first), "y1": y.at(first * roof.value), "x2": x.at(last), "y2": y.at(last * roof.value)}
    angle = math.degrees(math.atan2(ends["y2"] - ends["y1"], ends["x2"] - ends["x1"]))
    told = label(f"{roof.name} {roof.value:g} TB/s", 8, -6 if above else 14, PAGE.text, size=10)
    turned = f"translate({ends['x1']:.1f},{ends['y1']:.1f}) rotate({angle:.1f})"
    return [element("line", **ends, stroke=colour, stroke_width=1.5), element("g", told, transform=turned)]


def _flat(roof: Any, x: Axis, y: Axis, widest: float, beside: float) -> list[str]:
    """The line of a peak, from where the widest memory can feed it; its name stands ``beside``, at that height."""
    start, height = x.at(max(x.low, roof.value / widest)), y.at(roof.value)
    line = element("line", x1=start, y1=height, x2=x.end, y2=height, stroke=COLOURS["peak"], stroke_dasharray="4 3")
    points = f"{x.end:.1f},{height:.1f} {x.end + 10:.1f},{beside:.1f}"
    lead = element("polyline", points=points, fill="none", stroke=COLOURS["peak"])
    return [line, lead, label(f"{roof.name} {roof.value:,.0f}", x.end + 14, beside + 4, COLOURS["peak"], size=10)]


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Heights from the top down, moved down as little as keeps each at least ``gap`` below the one before.

    >>> spread([10, 12, 40], 8)
    [10, 18, 40]
    """
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + gap) if found else height)
    return found


def _point(point: Any, x: Axis, y: Axis, strength: float) -> str:
    share = point.tops / point.reachable
    told = f"%{point.row.node} {point.row.name}: {point.tops:.3g} TOps/s at {point.intensity:.3g} Ops/Byte, "
    told += f"{share:.1%} of what {point.curve} lets it reach"
    colour = COLOURS[point.curve.split()[0]]
    return _dot(x.at(point.intensity), y.at(point.tops), colour, told, strength)


# ---- memory ----------------------------------------------------------------------------------------


def occupancy_svg(found: Sequence[Any], mhz: float | None = None, chip: str = "") -> str:
    """Each buffer as a strip: bytes taken over time, its capacity the full height.

    Each has ``buffer``, ``core``, ``capacity``, ``peak``, ``mean`` and ``levels`` (``at`` in cycles, ``bytes``);
    the axis counts microseconds where the clock ``mhz`` is known; ``chip`` is what the title names. Never raises.
    """
    return svg_or_error(lambda: _occupancy(found, mhz, chip))


def _occupancy(found: Sequence[Any], mhz: float | None, chip: str) -> str:
    end = max((one.levels[-1].at for one in found if one.levels), default=0)
    if not end:
        return message_svg("no buffers over time: nothing ran")
    scale = mhz or 1.0
    x = Axis(0.0, end / scale, LEFT, WIDTH - RIGHT, log=False)
    parts = [part for place, one in enumerate(found) for part in _strip(one, TOP + place * STRIP_HEIGHT, x, scale)]
    bottom = TOP + len(found) * STRIP_HEIGHT
    title = label("bytes taken of each buffer" + f" on {chip}" * bool(chip), LEFT, 22, PAGE.text, size=13)
    return document(WIDTH, bottom + 30, [title, *parts, *_ticks_below(x, bottom - 10, "µs" if mhz else "cycles")])


def _strip(one: Any, top: float, x: Axis, scale: float) -> list[str]:
    height = STRIP_HEIGHT - 22
    y = Axis(0.0, one.capacity, top + height, top, log=False)
    colour = QUEUES["MTE2" if one.buffer in ("L1", "L2", "UB") else "M"].line
    path = f"M{x.start:.1f},{y.start:.1f}"
    for level in one.levels:
        path += f"H{x.at(level.at / scale):.1f}V{y.at(level.bytes):.1f}"
    path += f"V{y.start:.1f}Z"
    told = f"{one.buffer} of {one.core}: peak {one.peak / one.capacity:.0%}, mean {one.mean / one.capacity:.0%}"
    return [
        element("rect", x=x.start, y=top, width=x.end - x.start, height=height, fill="none", stroke=PAGE.line),
        element("path", tooltip(told), d=path, fill=colour, stroke="none", opacity=0.8),
        label(one.buffer, x.start - 8, top + 14, PAGE.text, anchor="end"),
        label(one.core, x.start - 8, top + 28, PAGE.text, anchor="end", size=9),
        label(f"{one.capacity / 1024:,.0f} KiB, peak {one.peak / one.capacity:.0%}", x.end, top - 3, PAGE.text,
              anchor="end", size=9),
    ]  # fmt: skip


# ---- scatter ---------------------------------------------------------------------------------------


def scatter_svg(dots: Sequence[Dot], title: str, across: str, up: str, band: float = 0.0) -> str:
    """Points on two logarithmic axes of equal values around the line where both are equal; never raises.

    ``band`` draws two more lines, so much above and below.
    """
    return svg_or_error(lambda: _scatter(dots, title, across, up, band))


def _scatter(dots: Sequence[Dot], title: str, across: str, up: str, band: float) -> str:
    if not dots:
        return message_svg("no points")
    values = [value for dot in dots for value in (dot.x, dot.y)]
    x, y = _logarithmic(values, LEFT, WIDTH - RIGHT), _logarithmic(values, HEIGHT - BOTTOM, TOP)
    parts = [*_frame(x, y, title, across, up)]
    for part in sorted({0.0, band, -band}):
        ends = {"x1": x.at(x.low), "y1": y.at(x.low * (1 + part)), "x2": x.at(x.high), "y2": y.at(x.high * (1 + part))}
        parts.append(element("line", **ends, stroke=PAGE.text, stroke_dasharray="2 3" if part else "", opacity=0.6))
    for dot in dots:
        told = f"{dot.name}: {dot.x:,.4g} measured, {dot.y:,.4g} predicted ({dot.y / dot.x - 1:+.1%}), {dot.kind}"
        parts.append(_dot(x.at(dot.x), y.at(dot.y), COLOURS[dot.kind], told))
    kinds = dict.fromkeys(dot.kind for dot in dots)
    parts += [label(kind, x.start + 12, TOP + 18 + 15 * i, COLOURS[kind]) for i, kind in enumerate(kinds)]
    return document(WIDTH, HEIGHT, parts)


# ---- axes ------------------------------------------------------------------------------------------


def _logarithmic(values: Iterable[float], start: float, end: float) -> Axis:
    """An axis from the power of ten below the smallest value to the one above the largest."""
    kept = [value for value in values if value > 0]
    low, high = math.floor(math.log10(min(kept))), math.ceil(math.log10(max(kept)))
    return Axis(10.0**low, 10.0 ** max(high, low + 1), start, end)


def _frame(x: Axis, y: Axis, title: str, across: str, up: str) -> Iterable[str]:
    yield label(title, LEFT, 22, PAGE.text, size=13)
    for value in y.ticks():
        height = y.at(value)
        yield element("line", x1=x.start, y1=height, x2=x.end, y2=height, stroke=PAGE.line)
        yield label(_tick_text(value), x.start - 6, height + 4, PAGE.text, anchor="end", size=9)
    yield label(up, x.start - 6, TOP - 10, PAGE.text, anchor="end", size=10)
    yield from _ticks_below(x, y.start, across)


def _ticks_below(x: Axis, height: float, what: str) -> Iterable[str]:
    for value in x.ticks():
        place = x.at(value)
        yield element("line", x1=place, y1=height, x2=place, y2=height + 4, stroke=PAGE.text)
        yield label(_tick_text(value), place, height + 16, PAGE.text, anchor="middle", size=9)
    yield label(what, (x.start + x.end) / 2, height + 32, PAGE.text, anchor="middle", size=10)


def _tick_text(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _dot(x: float, y: float, colour: str, told: str, strength: float = 1.0) -> str:
    return element("circle", tooltip(told), cx=x, cy=y, r=DOT_RADIUS, fill=colour, opacity=strength)
