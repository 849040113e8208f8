"""The difference of two graphs in one picture, with added, removed and rewired parts marked.

Passes keep node ids, so equal ids are the same node. Both graphs share one layout, so that showing only the old or only
the new graph (classes ``before`` and ``after``, see ``style.picture_css``) does not move anything.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from minigraph.core.errors import RenderError
from minigraph.ir.graph_reader import GraphReader, Ref
from minigraph.ir.text import to_text
from viz.common.elements import svg_or_error
from viz.drawing.align import align
from viz.drawing.dot import Picture, dot_of, scene_svg
from viz.drawing.scene import MAX_DRAWN_BOXES, Arrow, Box, Group, Scene, box_count, scene_of

MAX_DIFF_LINES = 4000  # longer texts are compared as multisets of lines


@dataclass(frozen=True)
class Diff:
    """The difference of two graphs; notebooks display it.

    ``added``, ``removed`` and ``rewired`` hold node ids; ``rewired`` nodes have changed operands or order edges.
    ``scene`` is the merged scene.
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
        """Whether the graphs differ."""
        return bool(self.added or self.removed or self.rewired) or self.before.outs != self.after.outs

    def summary(self) -> str:
        """One line: the numbers of added, removed and rewired nodes."""
        counts = ((self.added, "added"), (self.removed, "removed"), (self.rewired, "rewired"))
        return ", ".join(f"{len(nodes)} {status}" for nodes, status in counts if nodes) or "nothing changed"

    def dot(self) -> Picture:
        """The merged picture as Graphviz source."""
        return dot_of(self.scene)

    def svg(self) -> str:
        """The merged picture as SVG text."""
        return scene_svg(self.scene)

    def text(self) -> str:
        """A unified diff of the graph texts; empty if they are equal."""
        old, new = (to_text(graph, literals=False).splitlines() for graph in (self.before, self.after))
        return "\n".join(text_diff(old, new, f"before {self.title}", f"after {self.title}"))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None, **_: object) -> dict[str, str]:
        return {"text/plain": f"{self.title}: {self.summary()}", "image/svg+xml": svg_or_error(self.svg)}


class Diffs(tuple[Diff, ...]):
    """The differences of three or more graphs, each to the one before it; notebooks display one picture per step."""

    __slots__ = ()

    @property
    def changed(self) -> bool:
        """Whether any graph differs from the one before it."""
        return any(change.changed for change in self)

    def summary(self) -> str:
        """One line per difference: its title, and the numbers of added, removed and rewired nodes."""
        return "\n".join(f"{change.title}: {change.summary()}" for change in self)

    def text(self) -> str:
        """The unified diffs of the graph texts, one after the other."""
        return "\n".join(filter(None, (change.text() for change in self)))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None, **_: object) -> dict[str, str]:
        pictures = "".join(f"<div>{svg_or_error(change.svg)}</div>" for change in self)
        return {"text/plain": self.summary(), "text/html": pictures}


@overload
def diff(
    before: Any, after: GraphReader | None = None, /, *, title: str = "", limit: int = MAX_DRAWN_BOXES, by: str = "id"
) -> Diff: ...


@overload
def diff(*graphs: GraphReader, title: str = "", limit: int = MAX_DRAWN_BOXES, by: str = "id") -> Diffs: ...


def diff(*graphs: Any, title: str = "", limit: int = MAX_DRAWN_BOXES, by: str = "id") -> Diff | Diffs:
    """Compare two graphs, ``diff(before, after)``, the graphs of a PassRecord, ``diff(record)``, or a chain of graphs.

    Of three or more graphs each is compared with the one before it, in a tuple of differences. States of one graph are
    compared by node id, separately captured graphs with ``by="structure"``. A picture of more than ``limit`` boxes is
    reduced to the changes and their neighbours. Raises ``RenderError`` for anything but graphs, a record without
    graphs, and for any other ``by``.

    >>> import minigraph as ms
    >>> programs = lambda x: x + 1.0, lambda x: x * 2.0 + 1.0, lambda x: x * 2.0
    >>> print(diff(*(ms.trace(fn, ms.Tensor([1.0])) for fn in programs), by="structure").summary())
    step 1: 2 added, 1 rewired
    step 2: 2 removed
    """
    if by not in ("id", "structure"):
        raise RenderError(f"diff: no comparison by {by!r}; use by='id' or by='structure'")
    if len(graphs) == 1 and hasattr(graphs[0], "before") and not isinstance(graphs[0], GraphReader):
        record = graphs[0]
        graphs, title = (record.before, record.after), title or record.name
        if None in graphs:
            raise RenderError(f"diff: the record of '{title}' has no snapshots; run the pipeline with snapshots=True")
    if strange := [type(graph).__name__ for graph in graphs if not isinstance(graph, GraphReader)]:
        raise RenderError(f"diff: {strange[0]} is not a graph; pass graphs, such as those of trace(fn, *args)")
    if len(graphs) < 2:
        raise RenderError(f"diff: {len(graphs)} graphs cannot be compared; pass two or more, or the record of a pass")
    if len(graphs) == 2:
        return _difference(*graphs, title or graphs[1].title, limit, by)
    changes: list[Diff] = []
    for number, after in enumerate(graphs[1:], 1):
        before = changes[-1].after if changes else graphs[0]
        changes.append(_difference(before, after, f"{title or 'step'} {number}", limit, by))
    return Diffs(changes)


def _difference(before: GraphReader, after: GraphReader, title: str, limit: int, by: str) -> Diff:
    if by == "structure":
        after = align(after, before)
    bodies = max(box_count(before, limit), box_count(after, limit)) <= limit
    merged = merge(scene_of(before, bodies=bodies), scene_of(after, bodies=bodies))
    change = Diff(title, before, after, merged, *changed_nodes(before, after))
    merged.title = f"{title}: {change.summary()}"
    return change if len(merged) <= limit else replace(change, scene=crop_scene(merged, limit))


def changed_nodes(before: GraphReader, after: GraphReader) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The ids of added, removed and rewired nodes; equal ids are the same node."""
    old, new = set(before), set(after)
    rewired = tuple(node for node in sorted(old & new) if _edges_of(before, node) != _edges_of(after, node))
    return tuple(sorted(new - old)), tuple(sorted(old - new)), rewired


def merge(before: Scene, after: Scene) -> Scene:
    """Both scenes in one; every part has its status, "" if unchanged."""
    merged = Scene(after.title, after.note)
    merged.groups = _set_status(before.groups, after.groups)
    merged.arrows = _set_status(before.arrows, after.arrows)
    rewired_keys = {arrow.head for arrow in merged.arrows.values() if arrow.status}
    merged.boxes = _set_status(before.boxes, after.boxes, rewired_keys)
    return merged


def crop_scene(scene: Scene, limit: int) -> Scene:
    """The changed boxes and their direct neighbours, at most ``limit``; ``note`` counts the omitted ones."""
    changed = [key for key, box in scene.boxes.items() if box.status]
    neighbors = [end for arrow in scene.arrows.values() for end in _changed_ends(scene, arrow)]
    drawn_nodes = {*changed, *neighbors}
    if len(drawn_nodes) > limit:
        drawn_nodes = set(changed[:limit])
    cropped = Scene(scene.title)
    cropped.boxes = {key: box for key, box in scene.boxes.items() if key in drawn_nodes}
    cropped.arrows = {key: arrow for key, arrow in scene.arrows.items() if {arrow.tail, arrow.head} <= drawn_nodes}
    cropped.groups = _enclosing_groups(scene, cropped.boxes.values())
    hidden = len(scene) - len(cropped)
    hidden_changes = sum(key not in drawn_nodes for key in changed)
    changes = f"{hidden_changes:,} of them changed" if hidden_changes else "all unchanged"
    cropped.note = f"{hidden:,} boxes omitted, {changes}"
    return cropped


def text_diff(old: list[str], new: list[str], old_name: str, new_name: str) -> Iterator[str]:
    """Unified diff lines; for very long texts only the lines that are in one text, without context."""
    if len(old) + len(new) <= MAX_DIFF_LINES:
        yield from difflib.unified_diff(old, new, old_name, new_name, n=2, lineterm="")
        return
    yield from (f"--- {old_name}", f"+++ {new_name}")
    yield from (f"-{line}" for line in _surplus(old, new))
    yield from (f"+{line}" for line in _surplus(new, old))


def _surplus(lines: list[str], baseline: list[str]) -> Iterator[str]:
    """The lines that occur more often than in ``baseline``, repeated accordingly."""
    extra = Counter(lines)
    extra.subtract(baseline)
    for line in lines:
        if extra[line] > 0:
            extra[line] -= 1
            yield line


def _edges_of(graph: GraphReader, node: int) -> tuple[Sequence[Ref], list[tuple[int, str]]]:
    return graph.ins(node), [(other, graph.order_kind(other, node)) for other in graph.before(node)]


def _set_status(before: dict[Any, Any], after: dict[Any, Any], touched: Collection[object] = ()) -> dict[Any, Any]:
    """The parts of both scenes with their status; ``touched`` are the keys of rewired parts."""
    parts = {}
    for key, part in (before | after).items():
        status = "rewired" if key in touched else ""
        parts[key] = replace(part, status="removed" if key not in after else "added" if key not in before else status)
    return parts


def _changed_ends(scene: Scene, arrow: Arrow) -> tuple[str, ...]:
    """Both ends of an arrow if the arrow or one of its ends changed, else nothing."""
    ends = arrow.tail, arrow.head
    return ends if arrow.status or any(scene.boxes[end].status for end in ends) else ()


def _enclosing_groups(scene: Scene, boxes: Iterable[Box]) -> dict[str, Group]:
    ancestors: set[str] = set()
    for box in boxes:
        parent = box.parent
        while parent and parent not in ancestors:
            ancestors.add(parent)
            parent = scene.groups[parent].parent
    return {key: group for key, group in scene.groups.items() if key in ancestors}
