"""Rasterises SVG text to PNG, PDF and animated GIF; needs the extra ``pictures`` (resvg and Pillow).

A frame of an animated SVG is the SVG with every animated attribute set to its value at that time.
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

try:  # of the extra ``pictures``
    import resvg_py
    from PIL import Image
except ImportError:
    resvg_py = Image = None

SVG_NAMESPACE = "http://www.w3.org/2000/svg"
ZOOM = 2.0  # image pixels per CSS pixel of the SVG, in PNG and PDF
MAX_SIDE_PIXELS = 12_000  # width and height of an image
MAX_GIF_FRAMES = 240
GIF_COLORS = 128
MIN_GIF_FRAME_MS = 20  # viewers show frames of less than 20 ms more slowly
ANIMATE = f"{{{SVG_NAMESPACE}}}animate"

ET.register_namespace("", SVG_NAMESPACE)


def png_of(svg: str, zoom: float = ZOOM) -> bytes:
    """An SVG as PNG; raises ``RenderError`` if the extra is not installed, or for invalid SVG."""
    if resvg_py is None:
        raise RenderError("no PNG renderer for this picture; `pip install 'minigraph[pictures]'`, or use SVG")
    try:
        zoom = min(zoom, MAX_SIDE_PIXELS / max([1.0, *_sides(svg)]))
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, background="#ffffff"))
    except ValueError as error:
        raise RenderError(f"png: {error}; check the SVG") from None


def pdf_of(svg: str) -> bytes:
    """An SVG as a rasterised PDF page; raises as ``png_of`` does."""
    return _encode(_image(png_of(svg)).convert("RGB"), "PDF", resolution=72 * ZOOM)


def gif_of(svg: str, *, frames_per_second: float = 8.0, repeats: int = 0) -> bytes:
    """An animated SVG as a GIF that runs ``repeats`` times (0: forever); raises as ``png_of`` does.

    A static SVG becomes one frame. Consecutive equal frames are merged.
    """
    animated = AnimatedSvg(svg)
    times = animated.frame_times(frames_per_second)
    durations = [after - time for time, after in pairwise([*times, 1.0])]
    frames: list[tuple[str, float]] = []
    for time, duration in zip(times, durations, strict=True):
        text = animated.frame_at(time)
        if frames and frames[-1][0] == text:
            duration += frames.pop()[1]
        frames.append((text, duration))
    pictures = [_image(png_of(text, 1.0)).convert("RGB").quantize(GIF_COLORS) for text, _ in frames]
    milliseconds = [max(MIN_GIF_FRAME_MS, round(1e3 * animated.seconds * duration)) for _, duration in frames]
    options = {"append_images": pictures[1:], "duration": milliseconds, "loop": repeats}
    return _encode(pictures[0], "GIF", save_all=True, optimize=True, **options)


class AnimatedSvg:
    """An SVG with SMIL animation; ``seconds`` is the duration of one run, 0 for a static SVG."""

    def __init__(self, svg: str) -> None:
        self.root = ET.fromstring(svg)
        self.animations: list[tuple[ET.Element, dict[str, str]]] = []
        for parent in list(self.root.iter()):
            for animation in parent.findall(ANIMATE):
                self.animations.append((parent, animation.attrib))
                parent.remove(animation)
        self.seconds = max((float(animation["dur"].rstrip("s")) for _, animation in self.animations), default=0.0)

    def frame_times(self, frames_per_second: float) -> list[float]:
        """Frame times, as fractions of a run: at the changes of a discrete animation, else at a fixed rate."""
        if all(animation.get("calcMode") == "discrete" for _, animation in self.animations):
            changes = {float(time) for _, animation in self.animations for time in animation["keyTimes"].split(";")}
            return sorted(changes | {0.0})[:MAX_GIF_FRAMES]
        count = min(max(1, round(self.seconds * frames_per_second)), MAX_GIF_FRAMES)
        return [k / count for k in range(count)]

    def frame_at(self, time: float) -> str:
        """The SVG without animation, as it looks at a time, a fraction (0 to 1) of a run."""
        for parent, animation in self.animations:
            parent.set(animation["attributeName"], _value_at(animation, time))
        return ET.tostring(self.root, encoding="unicode")


def _value_at(animation: dict[str, str], time: float) -> str:
    """The value of an animated attribute: that of the last keyframe, or interpolated linearly to the next one."""
    values = animation["values"].split(";")
    times = list(map(float, animation["keyTimes"].split(";")))
    index = max(0, bisect_right(times, time) - 1)
    if animation.get("calcMode") == "discrete" or index + 1 >= len(values):
        return values[min(index, len(values) - 1)]
    (t0, t1), (v0, v1) = times[index : index + 2], map(float, values[index : index + 2])
    return f"{v0 + (v1 - v0) * (time - t0) / (t1 - t0):.2f}"


def _sides(svg: str) -> Iterator[float]:
    """Width and height of an SVG in CSS pixels, as far as its root element states them."""
    head = re.match(r"\s*<svg [^>]*>", svg)
    for side in re.findall(r' (?:width|height)="([\d.]+)', head[0] if head else ""):
        if math.isfinite(float(side)):
            yield float(side)


def _image(png: bytes) -> Any:
    return Image.open(io.BytesIO(png))


def _encode(image: Any, format: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format, **options)
    return stream.getvalue()
