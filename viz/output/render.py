"""Renders pictures to bytes and files: by ``dot`` on PATH, else the pygraphviz wheel, else our own drawing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphviz

from minigraph.core.autodiff.tape import Tape
from minigraph.core.errors import RenderError, did_you_mean
from minigraph.core.files import write_atomically
from minigraph.ir.graph_reader import GraphReader
from minigraph.nn import Cell
from viz.common.backends import FORMATS, graphviz_bytes, normalize_format
from viz.common.elements import Svg, svg_or_error
from viz.common.style import with_dark_mode
from viz.drawing.cells import cell_svg
from viz.drawing.diff import diff
from viz.drawing.dot import Picture, dot, scene_svg
from viz.drawing.partial_match import partial_match
from viz.drawing.pass_animation import pass_animation
from viz.drawing.tape import tape
from viz.machine.animation import animation
from viz.machine.landscape import landscape_svg
from viz.machine.timeline import timeline
from viz.output.raster import gif_of, pdf_of, png_of

_NO_RENDERER = (
    "format '{}' needs Graphviz, which is not installed; install it, or `pip install pygraphviz`, or use format='svg'"
)
ANIMATED_FORMAT = "gif"  # a suffix for ``save``, no format of ``render``


def render(source: object, format: str = "svg") -> bytes:
    """The picture of a graph, a tape, the result of ``viz.dot``, a diff or DOT source, as SVG, PNG or PDF bytes.

    A PassRecord is drawn as a diff, an explanation of a rule as its best partial match, a simulator's report as its
    timeline, a tuning as its landscape, a Cell as its Parameters, and SVG text as itself; PNG and PDF of the last four
    need the extra ``pictures``. Raises ``RenderError`` for an unknown format, for invalid DOT source, and if the
    format's renderer is not installed.
    """
    format = normalize_format(format)
    svg_text = _svg_without_graphviz(source)
    if svg_text is not None:
        return _CONVERTERS[format](svg_text)
    picture = picture_of(source)
    if format == "svg" and isinstance(picture, Picture):
        return scene_svg(picture.scene).encode()
    rendered = graphviz_bytes(picture if isinstance(picture, str) else picture.source, format)
    if rendered is None:
        raise RenderError(_NO_RENDERER.format(format))
    return rendered


_CONVERTERS: dict[str, Callable[[str], bytes]] = {"svg": str.encode, "png": png_of, "pdf": pdf_of}


def _svg_without_graphviz(source: Any) -> str | None:
    """The SVG text of a source that is drawn without Graphviz, else ``None``."""
    if hasattr(source, "spans"):
        return timeline(source)
    if hasattr(source, "landscape"):
        return landscape_svg(source)
    if isinstance(source, Cell):
        return cell_svg(source)
    return str(source) if isinstance(source, Svg) else None


def png(source: object) -> bytes:
    """The picture as PNG; raises ``RenderError`` as ``render`` does."""
    return render(source, "png")


def pdf(source: object) -> bytes:
    """The picture as PDF; raises ``RenderError`` as ``render`` does."""
    return render(source, "pdf")


def gif(source: Any, **options: Any) -> bytes:
    """An animated GIF of a simulator's report (``viz.animation``), pass records (``pass_animation``) or SVG text.

    ``options`` are passed to these functions. Needs the extra ``pictures``; raises ``RenderError`` without it.
    """
    if isinstance(source, Svg):
        return gif_of(source)
    return gif_of((animation if hasattr(source, "spans") else pass_animation)(source, **options))


def svg(source: object) -> str:
    """The picture as SVG text; errors become a picture of text, so that displays never raise.

    >>> svg(None).startswith("<svg")
    True
    """
    return svg_or_error(lambda: render(source).decode())


def save(source: object, path: str | os.PathLike[str]) -> Path:
    """Write the picture to a file atomically; the suffix is the format (svg, png, pdf, gif, dot, gv).

    An SVG file has dark colours, too, for readers whose system prefers them. Returns the path. Raises ``RenderError``
    as ``render`` does, before anything is written.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix in ("dot", "gv"):
        picture = picture_of(source)
        return write_atomically(path, picture if isinstance(picture, str) else picture.source)
    if suffix == ANIMATED_FORMAT:
        return write_atomically(path, gif(source))
    if suffix not in FORMATS:
        suggestion = did_you_mean(suffix, (*FORMATS, ANIMATED_FORMAT, "dot", "gv"))
        raise RenderError(f"save: no format '{suffix}' for '{Path(path).name}'{suggestion}")
    picture = render(source, suffix)
    return write_atomically(path, with_dark_mode(picture.decode()) if suffix == "svg" else picture)


def picture_of(source: object) -> graphviz.Digraph | str:
    """The Graphviz picture of a source; raises ``RenderError`` if it cannot be drawn by Graphviz."""
    if isinstance(source, GraphReader):
        return dot(source)
    if isinstance(source, Tape):
        return tape(source)
    if isinstance(source, str | graphviz.Digraph):
        return source
    if hasattr(source, "dot"):
        picture: graphviz.Digraph = source.dot()
        return picture
    if hasattr(source, "matched"):
        return partial_match(source)
    if getattr(source, "before", None) is not None and getattr(source, "after", None) is not None:
        return diff(source).dot()
    has_svg = _svg_without_graphviz(source) is not None
    reason = "is drawn without Graphviz; use svg, png or pdf" if has_svg else "cannot be drawn; pass a graph"
    raise RenderError(f"render: {type(source).__name__} {reason}")
