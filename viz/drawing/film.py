"""A pipeline of passes as a film: one picture per pass, all in one layout, so that nothing moves but what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from viz.common.elements import document, element, svg_or_error, label, message_svg
from viz.common.motion import Motion, reduced_motion_style
from viz.common.style import PAGE
from viz.drawing.diff import merge
from viz.drawing.layout import layout_of
from viz.drawing.scene import LIMIT, Scene, drawn_size, scene_of
from viz.drawing.svg import MARGIN, scene_elements

TOP = 48.0  # px above the picture, for what the pass is called


def film(records: Iterable[Any], *, seconds: float = 2.0, repeats: int = 0) -> str:
    """What every pass changed, one after the other, as moving SVG text; never raises: errors become a picture.

    ``records`` are those of a run with ``snapshots=True``; passes that changed nothing are left out. Every picture
    stays for ``seconds``; all of them run ``repeats`` times (0: for ever). Where nothing moves, the last is seen.
    """
    return svg_or_error(lambda: _draw(list(records), seconds, repeats))


def _draw(records: Sequence[Any], seconds: float, repeats: int) -> str:
    scenes = frames_of(records)
    if not scenes:
        return message_svg("no film: no pass changed anything, or none kept its graphs (snapshots=True)")
    layout = layout_of(union_of(scenes))
    wide = max(layout.width, *(7.0 * len(scene.title) for scene in scenes)) + 2 * MARGIN
    motion = Motion(seconds * len(scenes), repeats, "film")
    drawn = [_frame(scene, k, len(scenes), motion, layout, wide) for k, scene in enumerate(scenes)]
    whole = document(wide, layout.height + TOP + MARGIN, [reduced_motion_style(), *drawn])
    return whole.replace("<svg ", f'<svg id="{motion.name}" ', 1)


def frames_of(records: Sequence[Any]) -> list[Scene]:
    """The graph as it came, what each pass changed, and the graph as it was left; each with its title."""
    changed = [one for one in records if one.changed and one.before is not None and one.after is not None]
    if not changed:
        return []
    graphs = [changed[0].before, *(record.after for record in changed)]
    bodies = max(drawn_size(graph, LIMIT) for graph in graphs) <= LIMIT
    scenes = [scene_of(graph, bodies=bodies) for graph in graphs]
    found = [replace(scenes[0], title=f"{graphs[0].title} as captured: {len(graphs[0])} nodes")]
    for record, old, new in zip(changed, scenes, scenes[1:], strict=False):
        sizes = f"{len(record.before)} → {len(record.after)} nodes"
        found.append(replace(merge(old, new), title=f"{record.name}: {sizes}"))
    return [*found, replace(scenes[-1], title=f"{graphs[-1].title} after the passes: {len(graphs[-1])} nodes")]


def union_of(scenes: Sequence[Scene]) -> Scene:
    """Everything that any scene shows; boxes have room for a mark."""
    union = Scene()
    for scene in scenes:
        union.groups |= scene.groups
        union.arrows |= scene.arrows
        union.boxes |= {key: replace(box, status="rewired") for key, box in scene.boxes.items()}
    return union


def _frame(scene: Scene, place: int, count: int, motion: Motion, layout: Any, wide: float) -> str:
    """One picture, seen while it is its turn."""
    turns = [(0.0, place == 0), (place / count, True), ((place + 1) / count, False)][place == 0 :]
    if place == count - 1:
        turns.pop()
    values = ["visible" if seen else "hidden" for _, seen in turns]
    moving = motion.animate("visibility", values, [time for time, _ in turns]) if count > 1 else ""
    moved = element(
        "g", "\n".join(scene_elements(scene, layout)), transform=f"translate({(wide - layout.width) / 2:.1f},{TOP:.1f})"
    )
    title = label(scene.title, wide / 2, 26, PAGE.text, anchor="middle", size=13)
    last = place == count - 1
    return element("g", moving + title + moved, class_="frame last" if last else "frame",
                   visibility="visible" if last else "hidden")  # fmt: skip
