"""SVG text as pixels: PNG, PDF and moving GIF, where the extra ``pictures`` (resvg and Pillow) is installed.

A moving SVG is stopped at a moment by giving every animated attribute the value it has then.
"""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ET
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from minigraph.core.errors import RenderError

try:  # an extra
    import resvg_py
    from PIL import Image
except ImportError:
    resvg_py = Image = None

SVG = "http://www.w3.org/2000/svg"
ZOOM = 2.0  # pixels per px of an SVG, in PNG and PDF
MAX_SIDE_PIXELS = 12_000  # pixels of a side
MAX_GIF_FRAMES = 240  # of a GIF at most
ANIMATE = f"{{{SVG}}}animate"

ET.register_namespace("", SVG)


def png_of(svg: str, zoom: float = ZOOM) -> bytes:
    """An SVG as PNG; raises ``RenderError`` when the extra is not installed, or for text that is not SVG."""
    if resvg_py is None:
        raise RenderError("no renderer for pixels of this picture; `pip install 'minigraph[pictures]'`, or use SVG")
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_limited_zoom(svg, zoom), background="#ffffff"))
    except ValueError as error:
        raise RenderError(f"png: {error}; check the SVG") from None


def pdf_of(svg: str) -> bytes:
    """An SVG as a PDF page that holds its pixels; raises as ``png_of`` does."""
    return _encode(_image(png_of(svg)).convert("RGB"), "PDF", resolution=72 * ZOOM)


def gif_of(svg: str, *, per_second: float = 8.0, repeats: int = 0) -> bytes:
    """A moving SVG as a GIF that runs ``repeats`` times (0: for ever); raises as ``png_of`` does.

    One that does not move is one frame. Equal frames after each other are one frame that lasts longer.
    """
    moving = AnimatedSvg(svg)
    shares = moving.frame_times(per_second)
    lasting = [after - share for share, after in pairwise([*shares, 1.0])]
    shown: list[tuple[str, float]] = []
    for share, part in zip(shares, lasting, strict=True):
        text = moving.frame_at(share)
        if shown and shown[-1][0] == text:
            part += shown.pop()[1]
        shown.append((text, part))
    pictures = [_image(png_of(text, 1.0)).convert("RGB").quantize(128) for text, _ in shown]
    times = [max(20, round(1e3 * moving.seconds * part)) for _, part in shown]
    return _encode(
        pictures[0], "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=repeats, optimize=True
    )


class AnimatedSvg:
    """A moving SVG that can be stopped: ``seconds`` is how long one run takes, 0 when nothing moves."""

    def __init__(self, svg: str) -> None:
        self.root = ET.fromstring(svg)
        self.motions: list[tuple[ET.Element, dict[str, str]]] = []
        for parent in list(self.root.iter()):
            for motion in parent.findall(ANIMATE):
                self.motions.append((parent, motion.attrib))
                parent.remove(motion)
        self.seconds = max((float(motion["dur"].rstrip("s")) for _, motion in self.motions), default=0.0)

    def frame_times(self, per_second: float) -> list[float]:
        """When to look, as parts of the run: where something jumps, or often when something glides."""
        if all(motion.get("calcMode") == "discrete" for _, motion in self.motions):
            jumps = {float(time) for _, motion in self.motions for time in motion["keyTimes"].split(";")}
            return sorted(jumps | {0.0})[:MAX_GIF_FRAMES]
        count = min(max(1, round(self.seconds * per_second)), MAX_GIF_FRAMES)
        return [k / count for k in range(count)]

    def frame_at(self, share: float) -> str:
        """The SVG as it is when a part of its run (0 to 1) is over."""
        for parent, motion in self.motions:
            parent.set(motion["attributeName"], _value_at(motion, share))
        return ET.tostring(self.root, encoding="unicode")


def _value_at(motion: dict[str, str], share: float) -> str:
    """The value of an animated attribute: the last one reached, or between two of them."""
    values = motion["values"].split(";")
    times = list(map(float, motion["keyTimes"].split(";")))
    place = max(0, bisect_right(times, share) - 1)
    if motion.get("calcMode") == "discrete" or place + 1 >= len(values):
        return values[min(place, len(values) - 1)]
    (t0, t1), (v0, v1) = times[place : place + 2], map(float, values[place : place + 2])
    return f"{v0 + (v1 - v0) * (share - t0) / (t1 - t0):.2f}"


def _limited_zoom(svg: str, zoom: float) -> float:
    """The zoom, or less where a side would become too long."""
    return min(zoom, MAX_SIDE_PIXELS / max([1.0, *_sides(svg)]))


def _sides(svg: str) -> Iterator[float]:
    head = re.match(r"\s*<svg [^>]*>", svg)
    for found in re.findall(r' (?:width|height)="([\d.]+)', head[0] if head else ""):
        if math.isfinite(float(found)):
            yield float(found)


def _image(png: bytes) -> Any:
    return Image.open(io.BytesIO(png))


def _encode(image: Any, format: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format, **options)
    return stream.getvalue()
