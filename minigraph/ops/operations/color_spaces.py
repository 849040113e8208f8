"""Primitives that convert colors between RGB and HSV (Smith 1978), and adjust hue and saturation."""

from __future__ import annotations

from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["AdjustHue", "AdjustSaturation", "HSVToRGB", "RGBToHSV"]


def _rgb_to_hsv(images: Tensor) -> Tensor:
    """Hue, saturation and value, from 0 to 1, of colors in the last axis."""
    _check_colors("RGBToHSV", images)
    red, green, blue = (images[..., i] for i in range(3))
    value = F.amax(images, -1)
    spread = value - F.amin(images, -1)
    unit = 1 / F.where(spread > 0, spread, 1.0) / 6
    hue = F.where(
        red == value, (green - blue) * unit,
        F.where(green == value, (blue - red) * unit + 2 / 6, (red - green) * unit + 4 / 6),
    )  # fmt: skip
    hue = F.where(spread > 0, F.where(hue < 0, hue + 1, hue), 0.0)
    saturation = F.where(value > 0, spread / F.where(value > 0, value, 1.0), 0.0)
    return F.stack([hue, saturation, value], -1)


def _hsv_to_rgb(x: Tensor) -> Tensor:
    """The colors of hues, saturations and values from 0 to 1 in the last axis."""
    _check_colors("HSVToRGB", x)
    hue, saturation, value = x[..., 0] * 6, x[..., 1], x[..., 2]
    ramps = (F.abs(hue - 3) - 1, 2 - F.abs(hue - 2), 2 - F.abs(hue - 4))
    return F.stack([(1 - saturation + saturation * F.clip(ramp, 0, 1)) * value for ramp in ramps], -1)


def _adjust_hue(image: Tensor, delta: Tensor) -> Tensor:
    """Images [..., 3] with ``delta`` added to the hue, which has the period 1."""
    hsv = _rgb_to_hsv(F.cast(image, float32))
    low, high = F.amin(image, -1, keepdims=True), F.amax(image, -1, keepdims=True)
    hue = F.floor_mod(hsv[..., 0] + delta, 1.0)
    pure = _hsv_to_rgb(F.stack([hue, F.ones_like(hue), F.ones_like(hue)], -1))
    return F.cast(low + pure * (high - low), image.dtype)


def _adjust_saturation(image: Tensor, scale: Tensor) -> Tensor:
    """Images [..., 3] with the saturation multiplied, and clipped to 1."""
    hsv = _rgb_to_hsv(F.cast(image, float32))
    saturation = F.clip(hsv[..., 1] * scale, 0, 1)
    return F.cast(_hsv_to_rgb(F.stack([hsv[..., 0], saturation, hsv[..., 2]], -1)), image.dtype)


def _check_colors(name: str, images: Tensor) -> None:
    if not images.ndim or images.shape[-1] != 3:
        raise ShapeError(f"{name}: needs images [..., 3], got {images.type}; move the channels to the last axis")


RGBToHSV, HSVToRGB = primitive("RGBToHSV", _rgb_to_hsv), primitive("HSVToRGB", _hsv_to_rgb)
AdjustHue = primitive("AdjustHue", _adjust_hue)
AdjustSaturation = primitive("AdjustSaturation", _adjust_saturation)
