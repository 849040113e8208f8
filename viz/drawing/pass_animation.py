"""Animates a pipeline: one frame per pass, in one layout, so that only changed parts move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from viz.common.elements import document, element, label, message_svg, svg_or_error
from viz.common.motion import Motion, reduced_motion_style
from viz.common.style import PAGE
from viz.drawing.diff import merge
from viz.drawing.layout import Layout, layout_of
from viz.drawing.scene import MAX_DRAWN_BOXES, Scene, box_count, scene_of
from viz.drawing.svg import MARGIN, scene_elements

TITLE_HEIGHT = 48.0  # px
TITLE_CHARACTER_WIDTH = 7.0  # px, of an average character


def pass_animation(records: Iterable[object], *, seconds: float = 2.0, repeats: int = 0) -> str:
    """The changes of every pass, one after the other, as animated SVG text; errors become a picture of text.

    ``records`` come from a run with ``snapshots=True``; passes that changed nothing are omitted. Each frame is shown
    for ``seconds``; the animation runs ``repeats`` times (0: forever). Without animation the last frame is shown.
    """
    return svg_or_error(lambda: _draw(list(records), seconds, repeats))


def _draw(records: Sequence[object], seconds: float, repeats: int) -> str:
    scenes = frames_of(records)
    if not scenes:
        return message_svg("no animation: no pass changed anything, or the records hold no graphs (snapshots=True)")
    layout = layout_of(union_of(scenes))
    width = max(layout.width, *(TITLE_CHARACTER_WIDTH * len(scene.title) for scene in scenes)) + 2 * MARGIN
    motion = Motion(seconds * len(scenes), repeats, "pass_animation")
    frames = [_frame(scene, k, len(scenes), motion, layout, width) for k, scene in enumerate(scenes)]
    svg = document(width, layout.height + TITLE_HEIGHT + MARGIN, [reduced_motion_style(), *frames])
    return svg.replace("<svg ", f'<svg id="{motion.element_id}" ', 1)


def frames_of(records: Sequence[Any]) -> list[Scene]:
    """One scene for the captured graph, for the changes of each pass, and for the final graph, each with its title."""
    changes = [record for record in records if record.changed and not (record.before is None or record.after is None)]
    if not changes:
        return []
    graphs = [changes[0].before, *(record.after for record in changes)]
    bodies = max(box_count(graph, MAX_DRAWN_BOXES) for graph in graphs) <= MAX_DRAWN_BOXES
    scenes = [scene_of(graph, bodies=bodies) for graph in graphs]
    frames = [replace(scenes[0], title=f"{graphs[0].title} as captured: {len(graphs[0])} nodes")]
    for record, before, after in zip(changes, scenes, scenes[1:], strict=False):
        sizes = f"{len(record.before)} → {len(record.after)} nodes"
        frames.append(replace(merge(before, after), title=f"{record.name}: {sizes}"))
    return [*frames, replace(scenes[-1], title=f"{graphs[-1].title} after the passes: {len(graphs[-1])} nodes")]


def union_of(scenes: Sequence[Scene]) -> Scene:
    """The union of all scenes, for a common layout; all boxes are as large as those with a change mark."""
    union = Scene()
    for scene in scenes:
        union.groups |= scene.groups
        union.arrows |= scene.arrows
        union.boxes |= {key: replace(box, status="rewired") for key, box in scene.boxes.items()}
    return union


def _frame(scene: Scene, index: int, count: int, motion: Motion, layout: Layout, width: float) -> str:
    """One frame of the animation, visible only during its share of the run."""
    keyframes = [(0.0, index == 0), (index / count, True), ((index + 1) / count, False)][index == 0 :]
    if index == count - 1:
        keyframes.pop()
    values = ["visible" if is_visible else "hidden" for _, is_visible in keyframes]
    animation = motion.animate("visibility", values, [time for time, _ in keyframes]) if count > 1 else ""
    transform = f"translate({(width - layout.width) / 2:.1f},{TITLE_HEIGHT:.1f})"
    picture = element("g", "\n".join(scene_elements(scene, layout)), transform=transform)
    title = label(scene.title, width / 2, 26, PAGE.text, anchor="middle", size=13)
    last = index == count - 1
    return element("g", animation + title + picture, class_="frame last" if last else "frame",
                   visibility="visible" if last else "hidden")  # fmt: skip
