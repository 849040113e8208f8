"""What a pass did: both graphs in one picture, laid out once, with added, removed and rewired parts marked.

Node ids survive passes, so equal ids are the same node. Because both graphs share one layout, showing only
the old or only the new one (classes ``before`` and ``after``, see ``style.picture_css``) moves nothing.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from minigraph.core.errors import RenderError
from minigraph.ir.reading import GraphReader
from minigraph.ir.text import to_text
from viz.common.elements import svg_or_error
from viz.drawing.align import align
from viz.drawing.dot import Picture, dot_of, scene_svg
from viz.drawing.scene import LIMIT, Arrow, Box, Group, Scene, drawn_size, scene_of

LINES = 4000  # a longer text is compared line by line without looking for moved blocks


@dataclass(frozen=True)
class Diff:
    """Two graphs compared; shows itself in a notebook.

    ``added``, ``removed`` and ``rewired`` hold node ids; ``rewired`` nodes stayed, with other operands or
    another order. ``scene`` is the merged picture to be.
    """

    title: str
    before: GraphReader
    after: GraphReader
    scene: Scene
    added: tuple[int, ...]
    removed: tuple[int, ...]
    rewired: tuple[int, ...]

    @property
    def changed(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.removed or self.rewired) or self.before.outs != self.after.outs

    def summary(self) -> str:
        """One line: how many nodes came, went and were rewired."""
        counts = ((self.added, "added"), (self.removed, "removed"), (self.rewired, "rewired"))
        return ", ".join(f"{len(nodes)} {what}" for nodes, what in counts if nodes) or "nothing changed"

    def dot(self) -> Picture:
        """The merged picture as Graphviz source."""
        return dot_of(self.scene)

    def svg(self) -> str:
        """The merged picture as SVG text."""
        return scene_svg(self.scene)

    def text(self) -> str:
        """The texts of both graphs as a unified diff; empty when they are equal."""
        old, new = (to_text(graph, literals=False).splitlines() for graph in (self.before, self.after))
        return "\n".join(text_diff(old, new, f"before {self.title}", f"after {self.title}"))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, str]:
        return {"text/plain": f"{self.title}: {self.summary()}", "image/svg+xml": svg_or_error(self.svg)}


def diff(before: Any, after: GraphReader | None = None, *, title: str = "", limit: int = LIMIT, by: str = "id") -> Diff:
    """Compare two graphs, ``diff(before, after)``, or the two of one PassRecord, ``diff(record)``.

    Two states of one graph are compared by node id; two that were captured apart ``by="structure"``. More than
    ``limit`` boxes are cut to the changes and their neighbours. Raises ``RenderError`` for a record made without
    graphs, and for another ``by``.
    """
    if by not in ("id", "structure"):
        raise RenderError(f"diff: no comparison by {by!r}; by='id', or by='structure'")
    if after is None:
        before, after, title = before.before, before.after, title or before.name
    if before is None or after is None:
        raise RenderError(f"diff: the record of '{title}' holds no graphs; ask for them with snapshots=True")
    if by == "structure":
        after = align(after, before)
    bodies = max(drawn_size(before, limit), drawn_size(after, limit)) <= limit
    merged = merge(scene_of(before, bodies=bodies), scene_of(after, bodies=bodies))
    name = title or after.title
    found = Diff(name, before, after, merged, *changed_nodes(before, after))
    merged.title = f"{name}: {found.summary()}"
    return found if len(merged) <= limit else replace(found, scene=cut(merged, limit))


def changed_nodes(before: GraphReader, after: GraphReader) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The ids of added, of removed and of rewired nodes; equal ids are the same node."""
    old, new = set(before), set(after)
    rewired = tuple(node for node in sorted(old & new) if _wiring(before, node) != _wiring(after, node))
    return tuple(sorted(new - old)), tuple(sorted(old - new)), rewired


def merge(before: Scene, after: Scene) -> Scene:
    """Both scenes in one; every part carries its status, "" where nothing changed."""
    merged = Scene(after.title, after.note)
    merged.groups = _with_status(before.groups, after.groups)
    merged.arrows = _with_status(before.arrows, after.arrows)
    touched = {arrow.head for arrow in merged.arrows.values() if arrow.status}
    merged.boxes = _with_status(before.boxes, after.boxes, touched)
    return merged


def cut(scene: Scene, limit: int) -> Scene:
    """The changed boxes and their direct neighbours, at most ``limit`` of them; ``note`` says what is hidden."""
    changed = [key for key, box in scene.boxes.items() if box.status]
    near = [end for arrow in scene.arrows.values() for end in _changed_ends(scene, arrow)]
    kept = {*changed, *near}
    if len(kept) > limit:
        kept = set(changed[:limit])
    small = Scene(scene.title)
    small.boxes = {key: box for key, box in scene.boxes.items() if key in kept}
    small.arrows = {key: arrow for key, arrow in scene.arrows.items() if {arrow.tail, arrow.head} <= kept}
    small.groups = _enclosing_groups(scene, small.boxes.values())
    hidden = len(scene) - len(small)
    undrawn = sum(key not in kept for key in changed)
    which = f"{undrawn:,} of them changed" if undrawn else "all unchanged"
    small.note = f"{hidden:,} boxes are not drawn, {which}"
    return small


def text_diff(old: list[str], new: list[str], old_name: str, new_name: str) -> Iterator[str]:
    """Unified diff lines; for very long texts only the lines that are in one of them, unaligned."""
    if len(old) + len(new) <= LINES:
        yield from difflib.unified_diff(old, new, old_name, new_name, n=2, lineterm="")
        return
    yield from (f"--- {old_name}", f"+++ {new_name}")
    yield from (f"-{line}" for line in _surplus(old, new))
    yield from (f"+{line}" for line in _surplus(new, old))


def _surplus(lines: list[str], others: list[str]) -> Iterator[str]:
    """The lines that come more often than among the others, as often as they do."""
    extra = Counter(lines)
    extra.subtract(others)
    for line in lines:
        if extra[line] > 0:
            extra[line] -= 1
            yield line


def _wiring(graph: GraphReader, node: int) -> Any:
    return graph.ins(node), [(other, graph.order_kind(other, node)) for other in graph.before(node)]


def _with_status(before: dict[Any, Any], after: dict[Any, Any], touched: Collection[Any] = ()) -> dict[Any, Any]:
    """The parts of both, each with its status; ``touched`` are the keys of those that are rewired."""
    found = {}
    for key, part in (before | after).items():
        stays = "rewired" if key in touched else ""
        found[key] = replace(part, status="removed" if key not in after else "added" if key not in before else stays)
    return found


def _changed_ends(scene: Scene, arrow: Arrow) -> tuple[str, ...]:
    """Both ends of an arrow that touches a change."""
    ends = arrow.tail, arrow.head
    return ends if arrow.status or any(scene.boxes[end].status for end in ends) else ()


def _enclosing_groups(scene: Scene, boxes: Iterable[Box]) -> dict[str, Group]:
    wanted: set[str] = set()
    for box in boxes:
        parent = box.parent
        while parent and parent not in wanted:
            wanted.add(parent)
            parent = scene.groups[parent].parent
    return {key: group for key, group in scene.groups.items() if key in wanted}
