"""Routes the edges of a layered layout around boxes and the titles of groups, and places their labels.

Every level of a layout consists of rows. An arrow crosses a row on a vertical segment in a gap between boxes; between
rows it is a cubic Bézier curve. It leaves a group through the rows below its tail, and enters one past the title of the
group and the rows above its head. ``viz/explore/js/route.js`` does the same for frames that expand and collapse.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from viz.drawing.layered import NODE_GAP, Point
from viz.drawing.layout import LINE_HEIGHT, ArrowKey, Layout, Row, common_level
from viz.drawing.scene import Scene

CLEARANCE = 8.0  # minimum distance in px between an arrow and a box that it passes; less than half of ``NODE_GAP``
LABEL_CHARACTER_WIDTH, LABEL_HEIGHT = 5.4, 9.0  # px
LABEL_POSITIONS = (0.5, 0.36, 0.64, 0.22, 0.78)  # parameters of the curve (0: start, 1: end), in order of preference


class Knot(NamedTuple):
    """A point of a route, px; ``is_straight``: the segment that ends here is vertical and crosses a row."""

    x: float
    y: float
    is_straight: bool = False


def route_of(scene: Scene, layout: Layout, key: ArrowKey) -> list[Knot]:
    """The knots of an arrow; each curve between two knots is vertical at both ends."""
    areas = layout.areas
    level, tails, heads = common_level(scene, key[0], key[1])
    first, last = layout.row_of[tails[-1]], layout.row_of[heads[-1]]
    is_downward = first <= last
    tail, head = areas[key[0]], areas[key[1]]
    knots = [Knot(tail.center_x, tail.bottom if is_downward else tail.top)]
    end = Knot(head.center_x, head.top if is_downward else head.bottom)
    for item, outer in zip(tails, [*tails[1:], level], strict=True):
        position, rows = layout.row_of[item], layout.rows[outer]
        if is_downward:
            _pass_row(knots, Row(areas[item].bottom, rows[position].bottom), knots[-1].x, is_downward)
        if outer != level:
            for row in rows[position + 1 :] if is_downward else rows[:position][::-1]:
                _pass_row(knots, row, knots[-1].x, is_downward)
    rows_between = layout.rows[level][first + 1 : last] if is_downward else layout.rows[level][last + 1 : first][::-1]
    _pass_rows(knots, rows_between, [x for x, _ in layout.bends.get(key, ())], end.x, is_downward)
    for item, outer in reversed([*zip(heads, [*heads[1:], level], strict=True)]):
        position, rows = layout.row_of[item], layout.rows[outer]
        if outer != level:
            rows_above = rows[:position] if is_downward else rows[position + 1 :][::-1]
            _pass_rows(knots, rows_above, layout.entries[key, outer], end.x, is_downward)
        if not is_downward:
            _pass_row(knots, Row(areas[item].bottom, rows[position].bottom), end.x, is_downward)
    return [*knots, end]


def _pass_rows(knots: list[Knot], rows: list[Row], target_xs: list[float], end_x: float, is_downward: bool) -> None:
    """Cross rows at the layout's bend points, or without these, close to a straight line to the end."""
    x, count = knots[-1].x, len(rows)
    if len(target_xs) != count:
        target_xs = [x + (end_x - x) * (k + 1) / (count + 1) for k in range(count)]
    for row, target_x in zip(rows, target_xs, strict=True):
        _pass_row(knots, row, target_x, is_downward)


def _pass_row(knots: list[Knot], row: Row, target_x: float, is_downward: bool) -> None:
    """Cross a row in a gap between its boxes, as close to ``target_x`` as possible."""
    if row.top == row.bottom:
        return
    x = _clear_x(row, target_x)
    entry_y, exit_y = (row.top, row.bottom) if is_downward else (row.bottom, row.top)
    if knots[-1].is_straight and knots[-1].x == x:
        knots.pop()
    elif knots[-1][:2] != (x, entry_y):
        knots.append(Knot(x, entry_y))
    knots.append(Knot(x, exit_y, True))


def _clear_x(row: Row, target_x: float) -> float:
    for left, right in row.extents:
        if left - CLEARANCE < target_x < right + CLEARANCE:
            return left - NODE_GAP / 2 if target_x - left < right - target_x else right + NODE_GAP / 2
    return target_x


class LabelPlacer:
    """Places the labels of one picture so that they do not overlap."""

    def __init__(self) -> None:
        self.occupied: dict[int, list[tuple[float, float, float]]] = {}  # by line of text: left, baseline and width, px

    def place(self, text: str, knots: list[Knot]) -> Point | None:
        """Reserve space for a label next to a curve: the left end of its baseline (px), or ``None`` without space."""
        width = len(text) * LABEL_CHARACTER_WIDTH
        for left, base in _label_starts(knots):
            line = int(base // LINE_HEIGHT)
            nearby = [label for k in (line - 1, line, line + 1) for label in self.occupied.get(k, ())]
            if not any(abs(y - base) < LABEL_HEIGHT and x < left + width and left < x + w for x, y, w in nearby):
                self.occupied.setdefault(line, []).append((left, base, width))
                return left, base
        return None


def _label_starts(knots: list[Knot]) -> Iterator[Point]:
    for (x0, y0, _), (x1, y1, is_straight) in pairwise(knots):
        for t in () if is_straight else LABEL_POSITIONS:
            s = 1 - t
            x = x0 * s**2 * (1 + 2 * t) + x1 * t**2 * (3 - 2 * t)
            yield x + 5, y0 * s**3 + 3 * t * s * (y0 + y1) / 2 + y1 * t**3 + 3
