"""Draws the best partial match of a rule: matched nodes in green, the mismatch in red, and their neighbours."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

from minigraph.core.errors import RenderError
from minigraph.ir.graph_reader import producer
from viz.drawing.diff import crop_scene
from viz.drawing.dot import Picture, dot_of
from viz.drawing.scene import MAX_DRAWN_BOXES, Scene, scene_of

MAX_UNCROPPED_BOXES = 24  # larger scenes are reduced to marked boxes and neighbours
REASON_WIDTH = 72  # characters per line of the reason


def partial_match(explanation: object, *, limit: int = MAX_DRAWN_BOXES) -> Picture:
    """The result of ``passes.explain_match`` as a picture: matched nodes, and the value at which a test failed.

    Raises ``RenderError`` for an explanation without a graph.
    """
    return dot_of(partial_match_scene(explanation, limit))


def partial_match_scene(explanation: Any, limit: int = MAX_DRAWN_BOXES) -> Scene:
    """The scene of ``partial_match``: boxes of status "matched" and "mismatched", with the reason in the note."""
    graph = explanation.graph
    if graph is None:
        raise RenderError(f"partial_match: the explanation of '{explanation.rule}' has no graph; use explain_match")
    scene = scene_of(graph, bodies=False)
    failed = None if explanation.at is None else producer(explanation.at)
    marks = dict.fromkeys(explanation.matched, "matched") | ({} if failed is None else {failed: "mismatched"})
    for node, status in marks.items():
        scene.boxes[f"n{node}"] = replace(scene.boxes[f"n{node}"], status=status)
    cropped = crop_scene(scene, limit) if len(scene) > MAX_UNCROPPED_BOXES else scene
    verb = "does not apply" if explanation.test else "applies"
    cropped.title = f"{explanation.rule} {verb} at %{explanation.node}"
    cropped.note = "\n".join(filter(None, (*textwrap.wrap(explanation.reason, REASON_WIDTH), cropped.note)))
    return cropped
