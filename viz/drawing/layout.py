"""Layout of a scene without Graphviz: each group is laid out separately, then placed as one box."""

from __future__ import annotations

from dataclasses import dataclass, field

from viz.drawing.layered import NODE_GAP, Point, layered_layout
from viz.drawing.scene import Box, Scene

CHARACTER_WIDTH = 6.4  # mean width of a character in boxes, px
LINE_HEIGHT = 15.0  # px
GROUP_PADDING = (12.0, 24.0, 12.0)  # padding of a group, px: sides, top (title), bottom

ArrowKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Spot:
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


@dataclass
class Layout:
    """Rectangles of boxes and groups by key, bend points of arrows, and the total size, px."""

    spots: dict[str, Spot] = field(default_factory=dict)
    bends: dict[ArrowKey, list[Point]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


@dataclass
class _Level:
    """The direct content of one group, laid out together; arrows connect its items."""

    items: list[str] = field(default_factory=list)
    arrows: dict[ArrowKey, tuple[str, str]] = field(default_factory=dict)
    inner: Layout = field(default_factory=Layout)


def layout_of(scene: Scene) -> Layout:
    """Positions of everything in the scene; accepts any arrows, cycles included."""
    levels = _levels(scene)
    for key in _deepest_first(scene):
        levels[key].inner = _lay_out(scene, levels, levels[key])
    whole = Layout(width=levels[""].inner.width, height=levels[""].inner.height)
    pending = [("", 0.0, 0.0)]
    for key, left, top in pending:
        for item, spot in levels[key].inner.spots.items():
            whole.spots[item] = Spot(spot.left + left, spot.top + top, spot.width, spot.height)
            if item in scene.groups:
                pending.append((item, spot.left + left + GROUP_PADDING[0], spot.top + top + GROUP_PADDING[1]))
        for arrow, bends in levels[key].inner.bends.items():
            whole.bends[arrow] = [(x + left, y + top) for x, y in bends]
    return whole


def box_size(box: Box) -> Point:
    """Width and height of a box for its text, px."""
    letters = max(map(len, box.lines)) + (2 if box.status else 0)
    return max(36.0, letters * CHARACTER_WIDTH + 20), len(box.lines) * LINE_HEIGHT + 10


def _levels(scene: Scene) -> dict[str, _Level]:
    levels = {key: _Level() for key in ("", *scene.groups)}
    for part in scene.parts():
        levels[part.parent].items.append(part.key)
    for key, arrow in scene.arrows.items():
        tails, heads = _chain(scene, arrow.tail), _chain(scene, arrow.head)
        while len(tails) > 1 and len(heads) > 1 and tails[-2] == heads[-2]:
            tails.pop()
            heads.pop()
        levels[tails[-1]].arrows[key] = tails[-2], heads[-2]
    return levels


def _chain(scene: Scene, key: str) -> list[str]:
    """A box, its enclosing groups from the inside out, and "" for the picture."""
    chain, part = [key], scene.boxes[key].parent
    while part:
        chain.append(part)
        part = scene.groups[part].parent
    return [*chain, ""]


def _deepest_first(scene: Scene) -> list[str]:
    depth = {"": 0}
    for key, group in scene.groups.items():  # outer groups come before inner ones
        depth[key] = depth[group.parent] + 1
    return sorted(depth, key=lambda key: -depth[key])


def _lay_out(scene: Scene, levels: dict[str, _Level], level: _Level) -> Layout:
    number = {item: i for i, item in enumerate(level.items)}
    sizes = [_size(scene, levels, item) for item in level.items]
    placed = layered_layout(sizes, [(number[tail], number[head]) for tail, head in level.arrows.values()])
    layout = Layout(width=placed.width, height=placed.height)
    for item, i in number.items():
        width, height = sizes[i]
        layout.spots[item] = Spot(placed.x[i] - width / 2, placed.y[i], width, height)
    layout.bends = dict(zip(level.arrows, placed.bends, strict=True))
    return layout


def _size(scene: Scene, levels: dict[str, _Level], item: str) -> Point:
    if item in scene.boxes:
        return box_size(scene.boxes[item])
    inner = levels[item].inner
    title = len(scene.groups[item].title) * CHARACTER_WIDTH + NODE_GAP
    return max(inner.width, title) + 2 * GROUP_PADDING[0], inner.height + GROUP_PADDING[1] + GROUP_PADDING[2]
