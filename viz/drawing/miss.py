"""Where a rule came nearest: what fitted in green, what did not in red, and what is around both."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

from minigraph.core.errors import RenderError
from minigraph.ir.reading import producer
from viz.drawing.diff import cut
from viz.drawing.dot import Picture, dot_of
from viz.drawing.scene import LIMIT, Scene, scene_of

MAX_UNCROPPED_BOXES = 24  # so many boxes are drawn all; of more, only what is marked and beside it
WIDTH = 72  # characters of a line of the reason


def miss(explanation: Any, *, limit: int = LIMIT) -> Picture:
    """The drawing of what ``passes.explain_match`` found: matched nodes, and the value at which a test failed.

    Raises ``RenderError`` for an explanation made without a graph.
    """
    return dot_of(miss_scene(explanation, limit))


def miss_scene(explanation: Any, limit: int = LIMIT) -> Scene:
    """The same as a scene: boxes of status "matched" and "missed", and why in the note."""
    graph = explanation.graph
    if graph is None:
        raise RenderError(f"miss: the explanation of '{explanation.rule}' holds no graph; take explain_match's own")
    scene = scene_of(graph, bodies=False)
    failed = None if explanation.at is None else producer(explanation.at)
    marks = dict.fromkeys(explanation.matched, "matched") | ({} if failed is None else {failed: "missed"})
    for node, status in marks.items():
        scene.boxes[f"n{node}"] = replace(scene.boxes[f"n{node}"], status=status)
    small = cut(scene, limit) if len(scene) > MAX_UNCROPPED_BOXES else scene
    verb = "does not apply" if explanation.test else "applies"
    small.title = f"{explanation.rule} {verb} at %{explanation.node}"
    small.note = "\n".join(filter(None, (*textwrap.wrap(explanation.reason, WIDTH), small.note)))
    return small
