"""Pictures as bytes and files: ``dot`` on PATH, else the pygraphviz wheel, else our own drawing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphviz

from minigraph.core.autodiff.tape import Tape
from minigraph.core.errors import RenderError, did_you_mean
from minigraph.ir.reading import GraphReader
from minigraph.nn import Cell
from viz.common.backends import FORMATS, normalize_format, graphviz_bytes
from viz.common.elements import Svg, svg_or_error
from viz.common.files import write_atomically
from viz.drawing.cells import cell_svg
from viz.drawing.diff import diff
from viz.drawing.dot import Picture, dot, scene_svg
from viz.drawing.film import film
from viz.drawing.miss import miss
from viz.drawing.tape import tape
from viz.machine.animation import animation
from viz.machine.timeline import timeline
from viz.output.raster import gif_of, pdf_of, png_of

_NO_RENDERER = "no Graphviz for '{}'; `pip install pygraphviz`, install Graphviz, or use format='svg'"
ANIMATED = "gif"  # only save writes it


def render(source: Any, format: str = "svg") -> bytes:
    """The picture of a graph, a tape, ``viz.dot``'s result, a diff or DOT source, as SVG, PNG or PDF bytes.

    A PassRecord is drawn as what it changed, an explanation of a rule as where it came nearest, a simulator's report
    as its timeline, a Cell as its Parameters, and SVG text as itself; the last three become PNG, or the pixels of a
    PDF, with the extra ``pictures``. Raises ``RenderError`` for an unknown format, for source that is not DOT, and
    where what the format needs is not installed.
    """
    wanted = normalize_format(format)
    finished = _direct_svg(source)
    if finished is not None:
        return _CONVERTERS[wanted](finished)
    picture = picture_of(source)
    if wanted == "svg" and isinstance(picture, Picture):
        return scene_svg(picture.scene).encode()
    drawn = graphviz_bytes(picture if isinstance(picture, str) else picture.source, wanted)
    if drawn is None:
        raise RenderError(_NO_RENDERER.format(wanted))
    return drawn


_CONVERTERS: dict[str, Callable[[str], bytes]] = {"svg": str.encode, "png": png_of, "pdf": pdf_of}


def _direct_svg(source: Any) -> str | None:
    """The SVG text of what is drawn without Graphviz."""
    if hasattr(source, "spans"):
        return timeline(source)
    if isinstance(source, Cell):
        return cell_svg(source)
    return str(source) if isinstance(source, Svg) else None


def png(source: Any) -> bytes:
    """The picture as PNG; raises ``RenderError`` as ``render`` does."""
    return render(source, "png")


def pdf(source: Any) -> bytes:
    """The picture as PDF; raises ``RenderError`` as ``render`` does."""
    return render(source, "pdf")


def gif(source: Any, **options: Any) -> bytes:
    """A moving picture as GIF: of a simulator's report ``viz.animation``, of PassRecords ``viz.film``, of SVG itself.

    ``options`` are those of these. Needs the extra ``pictures``; raises ``RenderError`` without it.
    """
    if isinstance(source, Svg):
        return gif_of(source)
    return gif_of((animation if hasattr(source, "spans") else film)(source, **options))


def svg(source: Any) -> str:
    """The picture as SVG text; never raises, so that displays can call it: errors become a picture of text.

    >>> svg(None).startswith("<svg")
    True
    """
    return svg_or_error(lambda: render(source).decode())


def save(source: Any, path: str | os.PathLike[str]) -> Path:
    """Write the picture to a file, whole or not at all; the suffix is the format (svg, png, pdf, gif, dot, gv).

    Returns the path. Raises ``RenderError`` as ``render`` does, before anything is written.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix in ("dot", "gv"):
        picture = picture_of(source)
        return write_atomically(path, picture if isinstance(picture, str) else picture.source)
    if suffix == ANIMATED:
        return write_atomically(path, gif(source))
    if suffix not in FORMATS:
        near = did_you_mean(suffix, (*FORMATS, ANIMATED, "dot", "gv"))
        raise RenderError(f"save: no format '{suffix}' for '{Path(path).name}'{near}")
    return write_atomically(path, render(source, suffix))


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
    without = _direct_svg(source) is not None
    what = "drawn without Graphviz; use svg, png or pdf" if without else "nothing to draw; pass a graph"
    raise RenderError(f"render: {type(source).__name__} is {what}")
