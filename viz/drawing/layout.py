"""Layout of a scene without Graphviz: each group is laid out separately, then placed as one box."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from viz.drawing.layered import BEND_WIDTH, Point, layered_layout
from viz.drawing.scene import Box, Scene

CHARACTER_WIDTH = 6.4  # mean width of a character in boxes, px
LINE_HEIGHT = 15.0  # px
GROUP_PADDING = (12.0, 6.0, 12.0)  # padding of a group, px: sides, top, bottom

ArrowKey = tuple[str, str, str]  # tail, head, kind


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle: left, top, width, height in px."""

    left: float
    top: float
    width: float
    height: float

    @property
    def center_x(self) -> float:
        """The x of its centre."""
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.top + self.height

    def translate(self, dx: float, dy: float) -> Rectangle:
        """The rectangle moved ``dx`` px to the right and ``dy`` px down."""
        return Rectangle(self.left + dx, self.top + dy, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a level: top and bottom, and ``extents``, the left and right edge of each item in it, px."""

    top: float
    bottom: float
    extents: tuple[tuple[float, float], ...] = ()


@dataclass
class Layout:
    """Rectangles of boxes and groups by key, bend points of arrows, and the total size, px.

    ``areas`` are the rectangles of boxes and groups, ``rows`` the rows by level ("": the picture, else a group, whose
    title is in its first row), and ``row_of`` the index of the row of a box or group. ``entries`` are the x coordinates
    of an arrow that enters a group in the first rows of that group, by arrow and group.
    """

    areas: dict[str, Rectangle] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    row_of: dict[str, int] = field(default_factory=dict)
    titles: dict[str, Rectangle] = field(default_factory=dict)
    entries: dict[tuple[ArrowKey, str], list[float]] = field(default_factory=dict)
    bends: dict[ArrowKey, list[Point]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


@dataclass
class _Level:
    """The direct content of one group, laid out together; ``arrows`` connect its items, ``entries`` enter it."""

    title: str = ""
    items: list[str] = field(default_factory=list)
    arrows: dict[ArrowKey, tuple[str, str]] = field(default_factory=dict)
    entries: dict[ArrowKey, str] = field(default_factory=dict)
    inner: Layout = field(default_factory=Layout)


def layout_of(scene: Scene) -> Layout:
    """Positions of everything in the scene; accepts any arrows, cycles included."""
    levels = _levels(scene)
    for key in _deepest_first(scene):
        levels[key].inner = _lay_out(scene, levels, key)
    layout = Layout(width=levels[""].inner.width, height=levels[""].inner.height)
    pending = [("", 0.0, 0.0)]
    for key, left, top in pending:
        inner = levels[key].inner
        for item, area in inner.areas.items():
            layout.areas[item] = area.translate(left, top)
            if item in scene.groups:
                pending.append((item, area.left + left + GROUP_PADDING[0], area.top + top + GROUP_PADDING[1]))
        layout.titles |= {group: area.translate(left, top) for group, area in inner.titles.items()}
        for arrow, bends in inner.bends.items():
            layout.bends[arrow] = [(x + left, y + top) for x, y in bends]
        for entry, xs in inner.entries.items():
            layout.entries[entry] = [x + left for x in xs]
        _add_rows(layout, key, levels[key].items)
    return layout


def _add_rows(layout: Layout, level: str, items: list[str]) -> None:
    """Add the rows of a level whose items are placed."""
    areas = [layout.titles[level]] if level else []
    areas += [layout.areas[item] for item in items]
    row_index = {top: k for k, top in enumerate(sorted({area.top for area in areas}))}
    rows: list[list[Rectangle]] = [[] for _ in row_index]
    for area in areas:
        rows[row_index[area.top]].append(area)
    layout.rows[level] = [
        Row(row[0].top, max(area.bottom for area in row), tuple((area.left, area.left + area.width) for area in row))
        for row in rows
    ]
    layout.row_of |= {item: row_index[layout.areas[item].top] for item in items}


def box_size(box: Box) -> Point:
    """Width and height of a box for its text, px."""
    characters = max(map(len, box.lines)) + (2 if box.status else 0)
    return max(36.0, characters * CHARACTER_WIDTH + 20), len(box.lines) * LINE_HEIGHT + 10


def _levels(scene: Scene) -> dict[str, _Level]:
    levels = {"": _Level()} | {key: _Level(group.title) for key, group in scene.groups.items()}
    for part in scene.boxes_and_groups():
        levels[part.parent].items.append(part.key)
    for key, arrow in scene.arrows.items():
        level, tails, heads = common_level(scene, arrow.tail, arrow.head)
        levels[level].arrows[key] = tails[-1], heads[-1]
        for item, group in pairwise(heads):
            levels[group].entries[key] = item
    return levels


def common_level(scene: Scene, tail: str, head: str) -> tuple[str, list[str], list[str]]:
    """The innermost common group of two boxes ("": the picture), and the keys of each box and its groups within it."""
    tails, heads = [tail, *scene.groups_around(tail)], [head, *scene.groups_around(head)]
    level = ""
    while len(tails) > 1 and len(heads) > 1 and tails[-1] == heads[-1]:
        level = tails.pop()
        heads.pop()
    return level, tails, heads


def _deepest_first(scene: Scene) -> list[str]:
    depth = {"": 0}
    for key, group in scene.groups.items():  # outer groups come before inner ones
        depth[key] = depth[group.parent] + 1
    return sorted(depth, key=lambda key: -depth[key])


def _lay_out(scene: Scene, levels: dict[str, _Level], key: str) -> Layout:
    """Place the items of a level; the title of a group and the arrows that enter it are in a row above them."""
    level = levels[key]
    count, heads = len(level.items), {head for _, head in level.arrows.values()}
    index = {item: i for i, item in enumerate(level.items)}
    sizes = [_size(scene, levels, item) for item in level.items]
    edges = [(index[tail], index[head]) for tail, head in level.arrows.values()]
    if key:
        sizes += [((len(level.title) + 2) * CHARACTER_WIDTH, LINE_HEIGHT), *[(BEND_WIDTH, 0.0)] * len(level.entries)]
        edges += [(count + 1 + k, index[item]) for k, item in enumerate(level.entries.values())]
        edges += [(count, index[item]) for item in level.items if item not in heads]
    placed = layered_layout(sizes, edges, top=range(count, len(sizes)))
    areas = [
        Rectangle(x - width / 2, y, width, height)
        for x, y, (width, height) in zip(placed.x, placed.y, sizes, strict=True)
    ]
    layout = Layout(dict(zip(level.items, areas, strict=False)), width=placed.width, height=placed.height)
    layout.bends = dict(zip(level.arrows, placed.bends, strict=False))
    if key:
        layout.titles[key] = areas[count]
        bends = placed.bends[len(level.arrows) :]
        layout.entries = {
            (arrow, key): [areas[count + 1 + k].center_x, *(x for x, _ in bends[k])]
            for k, arrow in enumerate(level.entries)
        }
    return layout


def _size(scene: Scene, levels: dict[str, _Level], item: str) -> Point:
    if item in scene.boxes:
        return box_size(scene.boxes[item])
    inner = levels[item].inner
    return inner.width + 2 * GROUP_PADDING[0], inner.height + GROUP_PADDING[1] + GROUP_PADDING[2]
