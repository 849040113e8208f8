"""Pictures as bytes and files: ``dot`` on PATH, else the pygraphviz wheel, else (SVG only) our own drawing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import graphviz

from minigraph.autodiff.tape import Tape
from minigraph.errors import RenderError, did_you_mean
from minigraph.ir.reading import GraphReader
from minigraph.nn import Cell
from viz.backends import FORMATS, checked_format, graphviz_bytes
from viz.cells import cell_svg
from viz.diff import diff
from viz.dot import Picture, dot, scene_svg
from viz.elements import guarded
from viz.files import write_whole
from viz.miss import miss
from viz.tape import tape
from viz.timeline import timeline

_NO_RENDERER = "no Graphviz for '{}'; `pip install pygraphviz`, install Graphviz, or use format='svg'"


def render(source: Any, format: str = "svg") -> bytes:
    """The picture of a graph, a tape, ``viz.dot``'s result, a diff or DOT source, as SVG, PNG or PDF bytes.

    A PassRecord is drawn as what it changed, an explanation of a rule as where it came nearest; a simulator's report
    as its timeline and a Cell as its Parameters, SVG only. Raises ``RenderError`` for an unknown format, for source
    that is not DOT, and for PNG, PDF or bare DOT source when neither the ``dot`` program nor pygraphviz is installed.
    """
    wanted = checked_format(format)
    if wanted == "svg" and hasattr(source, "spans"):
        return timeline(source).encode()
    if wanted == "svg" and isinstance(source, Cell):
        return cell_svg(source).encode()
    picture = picture_of(source)
    if wanted == "svg" and isinstance(picture, Picture):
        return scene_svg(picture.scene).encode()
    drawn = graphviz_bytes(picture if isinstance(picture, str) else picture.source, wanted)
    if drawn is None:
        raise RenderError(_NO_RENDERER.format(wanted))
    return drawn


def svg(source: Any) -> str:
    """The picture as SVG text; never raises, so that displays can call it: errors become a picture of text.

    >>> svg(None).startswith("<svg")
    True
    """
    return guarded(lambda: render(source).decode())


def save(source: Any, path: str | os.PathLike[str]) -> Path:
    """Write the picture to a file, whole or not at all; the suffix is the format (svg, png, pdf, dot, gv).

    Returns the path. Raises ``RenderError`` as ``render`` does, before anything is written.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix in ("dot", "gv"):
        picture = picture_of(source)
        return write_whole(path, picture if isinstance(picture, str) else picture.source)
    if suffix not in FORMATS:
        near = did_you_mean(suffix, (*FORMATS, "dot", "gv"))
        raise RenderError(f"save: no format '{suffix}' for '{Path(path).name}'{near}")
    return write_whole(path, render(source, suffix))


def picture_of(source: Any) -> graphviz.Digraph | str:
    """What Graphviz draws for a source; raises ``RenderError`` when it is nothing that can be drawn."""
    if isinstance(source, GraphReader):
        return dot(source)
    if isinstance(source, Tape):
        return tape(source)
    if isinstance(source, str | graphviz.Digraph):
        return source
    if hasattr(source, "dot"):
        found: graphviz.Digraph = source.dot()
        return found
    if hasattr(source, "matched"):
        return miss(source)
    if getattr(source, "before", None) is not None and getattr(source, "after", None) is not None:
        return diff(source).dot()
    svg_only = hasattr(source, "spans") or isinstance(source, Cell)
    what = "drawn as SVG only; use format='svg'" if svg_only else "nothing to draw; pass a graph"
    raise RenderError(f"render: {type(source).__name__} is {what}")
