"""Routes the arrows of a layout past boxes and the titles of groups, and finds free places for their labels.

Every level of a layout consists of rows. An arrow is straight where it passes a row, in a gap between boxes, and curved
between rows. It leaves a group through the rows below its tail, and enters one past its title and the rows above its
head. ``viz/explore/js/route.js`` does the same for frames that open and close.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from viz.drawing.layered import NODE_GAP, Point
from viz.drawing.layout import LINE_HEIGHT, ArrowKey, Layout, Row, common_level
from viz.drawing.scene import Scene

CLEARANCE = 8.0  # px between an arrow and a box that it passes, at least; less than half of the gap between boxes
LABEL_CHARACTER_WIDTH, LABEL_HEIGHT = 5.4, 9.0  # px
LABEL_SHARES = (0.5, 0.36, 0.64, 0.22, 0.78)  # of a curve, in order of preference


class Knot(NamedTuple):
    """A point of a route, px; ``is_beside``: the route comes to it straight, beside the boxes of a row."""

    x: float
    y: float
    is_beside: bool = False


def route_of(scene: Scene, layout: Layout, key: ArrowKey) -> list[Knot]:
    """The knots of an arrow; between them it is a curve that is vertical at both ends."""
    spots = layout.spots
    level, tails, heads = common_level(scene, key[0], key[1])
    first, last = layout.row_of[tails[-1]], layout.row_of[heads[-1]]
    down = first <= last
    tail, head = spots[key[0]], spots[key[1]]
    knots = [Knot(tail.center_x, tail.bottom if down else tail.top)]
    end = Knot(head.center_x, head.top if down else head.bottom)
    for item, outer in zip(tails, [*tails[1:], level], strict=True):
        own, rows = layout.row_of[item], layout.rows[outer]
        if down:
            _pass_row(knots, Row(spots[item].bottom, rows[own].bottom), knots[-1].x, down)
        if outer != level:
            for row in rows[own + 1 :] if down else rows[:own][::-1]:
                _pass_row(knots, row, knots[-1].x, down)
    between = layout.rows[level][first + 1 : last] if down else layout.rows[level][last + 1 : first][::-1]
    _pass_rows(knots, between, [x for x, _ in layout.bends.get(key, ())], end.x, down)
    for item, outer in reversed([*zip(heads, [*heads[1:], level], strict=True)]):
        own, rows = layout.row_of[item], layout.rows[outer]
        if outer != level:
            _pass_rows(knots, rows[:own] if down else rows[own + 1 :][::-1], layout.entries[key, outer], end.x, down)
        if not down:
            _pass_row(knots, Row(spots[item].bottom, rows[own].bottom), end.x, down)
    return [*knots, end]


def _pass_rows(knots: list[Knot], rows: list[Row], wanted: list[float], end: float, down: bool) -> None:
    """Pass rows at the x of the layout, else close to a straight line to the end."""
    x, count = knots[-1].x, len(rows)
    if len(wanted) != count:
        wanted = [x + (end - x) * (k + 1) / (count + 1) for k in range(count)]
    for row, at in zip(rows, wanted, strict=True):
        _pass_row(knots, row, at, down)


def _pass_row(knots: list[Knot], row: Row, wanted: float, down: bool) -> None:
    """Add the knots of a row, beside its boxes and close to the preferred x."""
    if row.top == row.bottom:
        return
    x = _free_x(row, wanted)
    near, far = (row.top, row.bottom) if down else (row.bottom, row.top)
    if knots[-1].is_beside and knots[-1].x == x:
        knots.pop()
    elif knots[-1][:2] != (x, near):
        knots.append(Knot(x, near))
    knots.append(Knot(x, far, True))


def _free_x(row: Row, wanted: float) -> float:
    for left, right in row.blocks:
        if left - CLEARANCE < wanted < right + CLEARANCE:
            return left - NODE_GAP / 2 if wanted - left < right - wanted else right + NODE_GAP / 2
    return wanted


class LabelPlaces:
    """The places of the labels of a picture that are taken."""

    def __init__(self) -> None:
        self.taken: dict[int, list[tuple[float, float, float]]] = {}  # by line of text: left, baseline and width, px

    def take(self, text: str, knots: list[Knot]) -> Point | None:
        """The left end of the baseline of a label next to a curve, which is then taken; ``None``: all are taken."""
        width = len(text) * LABEL_CHARACTER_WIDTH
        for left, base in _label_starts(knots):
            line = int(base // LINE_HEIGHT)
            near = [place for k in (line - 1, line, line + 1) for place in self.taken.get(k, ())]
            if not any(abs(y - base) < LABEL_HEIGHT and x < left + width and left < x + w for x, y, w in near):
                self.taken.setdefault(line, []).append((left, base, width))
                return left, base
        return None


def _label_starts(knots: list[Knot]) -> Iterator[Point]:
    for (x0, y0, _), (x1, y1, is_beside) in pairwise(knots):
        for share in () if is_beside else LABEL_SHARES:
            rest = 1 - share
            x = x0 * rest**2 * (1 + 2 * share) + x1 * share**2 * (3 - 2 * share)
            yield x + 5, y0 * rest**3 + 3 * share * rest * (y0 + y1) / 2 + y1 * share**3 + 3
