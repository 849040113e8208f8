"""Brightness, contrast, saturation and other functions of the colours of images [H, W, C] of bytes.

The results are MindSpore's: products are rounded to even, histograms as in the Python Imaging Library.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.operation_table import OperationTable, operation_classes
from minigraph.dataset.vision.images import as_image

GRAY_ONE = 1 << 14  # the weights in fixed point, as in OpenCV: 0.299, 0.587 and 0.114 of ITU-R BT.601
GRAY_WEIGHTS = np.array([4899, 9617, 1868])
SMOOTHING = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]]) / 13


class ConvertMode(IntEnum):
    """Conversions of ``ConvertColor``."""

    COLOR_RGB2BGR = COLOR_BGR2RGB = 4
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _color(caller: str, image: np.ndarray) -> np.ndarray:
    """The image as float64; raises ``RuntimeError`` unless it has three channels."""
    pixels = as_image(caller, image)
    if pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ArgRuntimeError(f"{caller}: expected an image [H, W, 3], got shape {list(pixels.shape)}")
    return pixels.astype(np.float64)


def gray(pixels: np.ndarray) -> np.ndarray:
    """[H, W] of an image [H, W, 3], rounded.

    >>> gray(np.full((1, 1, 3), 7.0)).tolist()
    [[7]]
    """
    return (pixels.astype(np.int64) @ GRAY_WEIGHTS + GRAY_ONE // 2) // GRAY_ONE


# ---- blends ----------------------------------------------------------------------------------------


def adjust_brightness(image: np.ndarray, factor: float) -> np.ndarray:
    """The image times ``brightness_factor``."""
    return _blend(_color("AdjustBrightness", image), 0.0, _check_nonnegative("brightness_factor", factor))


def adjust_contrast(image: np.ndarray, factor: float) -> np.ndarray:
    """The differences of the pixels from the mean gray times ``contrast_factor``."""
    pixels = _color("AdjustContrast", image)
    middle = np.floor(gray(pixels).mean() + 0.5)
    return _blend(pixels, middle, _check_nonnegative("contrast_factor", factor))


def adjust_saturation(image: np.ndarray, factor: float) -> np.ndarray:
    """The differences of the channels from the pixel's gray times ``saturation_factor``."""
    pixels = _color("AdjustSaturation", image)
    middle = gray(pixels)[..., None]
    return _blend(pixels, middle, _check_nonnegative("saturation_factor", factor))


def adjust_sharpness(image: np.ndarray, factor: float) -> np.ndarray:
    """The differences from the smoothed image times ``sharpness_factor``; the border stays."""
    pixels = as_image("AdjustSharpness", image).astype(np.float64)
    smooth = pixels.copy()
    height, width = pixels.shape[:2]
    windows = [SMOOTHING[i, j] * pixels[i : height - 2 + i, j : width - 2 + j] for i in range(3) for j in range(3)]
    smooth[1:-1, 1:-1] = np.rint(sum(windows))
    return _bytes(smooth + (pixels - smooth) * _check_nonnegative("sharpness_factor", factor))


def _blend(pixels: np.ndarray, middle: Any, factor: float) -> np.ndarray:
    """pixels factor + middle (1 - factor), in float32 as in MindSpore, which decides halves."""
    share = np.float32(factor)
    return _bytes(pixels.astype(np.float32) * share + np.float32(middle) * (np.float32(1) - share))


def _check_nonnegative(name: str, factor: object) -> float:
    if isinstance(factor, bool) or not isinstance(factor, int | float) or factor < 0:
        raise ArgValueError(f"Input {name} is not within the required interval of [0, 16777216]; got {factor!r}")
    return float(factor)


# ---- lookup tables ---------------------------------------------------------------------------------


def adjust_gamma(image: np.ndarray, gamma: float, gain: float) -> np.ndarray:
    """255 gain (x / 255)^gamma, rounded down; 255 is counted as 255.999, so that the largest values are reached."""
    pixels = as_image("AdjustGamma", image) / 255
    return np.clip(255.999 * gain * pixels ** _check_nonnegative("gamma", gamma), 0, 255).astype(np.uint8)


def auto_contrast(image: np.ndarray, cutoff: float, ignore: Any) -> np.ndarray:
    """Every channel stretched to 0 to 255, without ``cutoff`` per cent of its darkest and lightest pixels."""
    pixels = as_image("AutoContrast", image)
    channels = pixels.reshape(*pixels.shape[:2], -1)
    ignored = [] if ignore is None else [ignore] if isinstance(ignore, int) else list(ignore)
    tables = [_stretch_table(np.bincount(channels[..., c].reshape(-1), minlength=256), cutoff, ignored)
              for c in range(channels.shape[2])]  # fmt: skip
    return np.stack([table[channels[..., c]] for c, table in enumerate(tables)], -1).reshape(pixels.shape)


def _stretch_table(histogram: np.ndarray, cutoff: float, ignored: list[int]) -> np.ndarray:
    """The lookup table that stretches a channel."""
    histogram[ignored] = 0
    clipped = int(histogram.sum() * cutoff // 100)
    kept = np.maximum(histogram.cumsum() - clipped, 0) * (histogram[::-1].cumsum()[::-1] > clipped) > 0
    inside = np.flatnonzero(kept & (histogram > 0))
    if len(inside) < 2:
        return np.arange(256, dtype=np.uint8)
    scale = np.float32(255 / (inside[-1] - inside[0]))
    offset = -np.float32(inside[0]) * scale
    return np.clip(np.arange(256, dtype=np.float32) * scale + offset, 0, 255).astype(np.uint8)


def equalize(image: np.ndarray) -> np.ndarray:
    """Every channel with an almost uniform histogram."""
    pixels = as_image("Equalize", image)
    channels = pixels.reshape(*pixels.shape[:2], -1)
    planes = []
    for c in range(channels.shape[2]):
        sums = np.bincount(channels[..., c].reshape(-1), minlength=256).cumsum()
        first = sums[channels[..., c].min()]
        table = np.arange(256) if first == sums[-1] else np.rint((sums - first) * (255 / (sums[-1] - first)))
        table = np.maximum(table, 0)
        planes.append(table.astype(np.uint8)[channels[..., c]])
    return np.stack(planes, -1).reshape(pixels.shape)


def invert(image: np.ndarray) -> np.ndarray:
    """255 minus the pixels."""
    return 255 - as_image("Invert", image)


def posterize(image: np.ndarray, bits: int) -> np.ndarray:
    """The highest ``bits`` bits of the pixels."""
    if not isinstance(bits, int) or not 0 <= bits <= 8:
        raise ArgValueError(f"Input bits is not within the required interval of [0, 8]; got {bits!r}")
    return as_image("Posterize", image) & np.uint8(256 - (1 << (8 - bits)))


def solarize(image: np.ndarray, threshold: Any) -> np.ndarray:
    """Pixels from the first to the second ``threshold`` inverted; of one number, those from it on."""
    low, high = (threshold, 255) if isinstance(threshold, int | float) else threshold
    pixels = as_image("Solarize", image)
    return np.where((pixels >= low) & (pixels <= high), 255 - pixels, pixels).astype(pixels.dtype)


# ---- conversions -----------------------------------------------------------------------------------


def convert_color(image: np.ndarray, mode: ConvertMode) -> np.ndarray:
    """The image in another order of channels, in gray, or from gray."""
    pixels = as_image("ConvertColor", image)
    if mode == ConvertMode.COLOR_GRAY2RGB:
        return np.repeat(pixels.reshape(*pixels.shape[:2], 1), 3, -1)
    color = _color("ConvertColor", pixels)
    if mode == ConvertMode.COLOR_RGB2BGR:
        return np.ascontiguousarray(pixels[..., ::-1])
    return gray(color if mode == ConvertMode.COLOR_RGB2GRAY else color[..., ::-1]).astype(pixels.dtype)


def adjust_hue(image: np.ndarray, factor: float) -> np.ndarray:
    """The hue shifted by ``hue_factor`` (-0.5 to 0.5) of the colour wheel."""
    if not isinstance(factor, int | float) or not -0.5 <= factor <= 0.5:
        raise ArgValueError(f"Input hue_factor is not within the required interval of [-0.5, 0.5]; got {factor!r}")
    hsv = rgb_to_hsv(_color("AdjustHue", image) / 255)
    # as bytes, the way OpenCV converts images of the full range
    hsv[..., 0] = (np.rint(hsv[..., 0] * 256) + int(factor * 255)) % 256 / 255
    hsv[..., 1] = np.rint(hsv[..., 1] * 255) / 255
    return _bytes(hsv_to_rgb(hsv) * 255)


def rgb_to_hsv(rgb: np.ndarray) -> np.ndarray:
    """(hue, saturation, value) from 0 to 1 of colours from 0 to 1, along the last axis (Smith 1978).

    >>> rgb_to_hsv(np.array([0.0, 1.0, 0.0])).round(3).tolist()
    [0.333, 1.0, 1.0]
    """
    largest, spread = rgb.max(-1), np.ptp(rgb, -1)
    divisor = np.where(spread == 0, 1, spread)
    red, green, blue = np.moveaxis(rgb, -1, 0)
    sector = np.select(
        [spread == 0, red == largest, green == largest],
        [0.0, (green - blue) / divisor, 2 + (blue - red) / divisor], 4 + (red - green) / divisor,
    )  # fmt: skip
    saturation = np.where(largest == 0, 0, spread / np.where(largest == 0, 1, largest))
    return np.stack([sector / 6 % 1, saturation, largest], -1)


def hsv_to_rgb(hsv: np.ndarray) -> np.ndarray:
    """The inverse of ``rgb_to_hsv``.

    >>> hsv_to_rgb(np.array([1 / 3, 1.0, 1.0])).round(6).tolist()
    [0.0, 1.0, 0.0]
    """
    hue, saturation, value = np.moveaxis(hsv, -1, 0)
    shifts = (hue[..., None] * 6 + np.array([5, 3, 1])) % 6
    return value[..., None] * (1 - saturation[..., None] * np.clip(np.minimum(shifts, 4 - shifts), 0, 1))


def _of_channels(convert: Any, image: np.ndarray, is_hwc: bool) -> np.ndarray:
    """A conversion of images [..., H, W, C] or [..., C, H, W] of three channels."""
    pixels = image if is_hwc else np.moveaxis(image, -3, -1)
    if image.ndim not in (3, 4) or pixels.shape[-1] != 3:
        raise ArgRuntimeError(f"expected images of three channels and rank 3 or 4, got shape {list(image.shape)}")
    result: np.ndarray = convert(pixels.astype(np.float64))
    return result if is_hwc else np.moveaxis(result, -1, -3)


def images_to_hsv(image: np.ndarray, is_hwc: bool) -> np.ndarray:
    """(hue, saturation, value) from 0 to 1 of images of colours from 0 to 1."""
    return _of_channels(rgb_to_hsv, image, is_hwc)


def images_to_rgb(image: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Colours from 0 to 1 of images of (hue, saturation, value) from 0 to 1."""
    return _of_channels(hsv_to_rgb, image, is_hwc)


OPERATION_TABLE: OperationTable = {
    "AdjustBrightness": (adjust_brightness, lambda brightness_factor: {"factor": brightness_factor}),
    "AdjustContrast": (adjust_contrast, lambda contrast_factor: {"factor": contrast_factor}),
    "AdjustGamma": (adjust_gamma, lambda gamma, gain=1: {"gamma": gamma, "gain": gain}),
    "AdjustHue": (adjust_hue, lambda hue_factor: {"factor": hue_factor}),
    "AdjustSaturation": (adjust_saturation, lambda saturation_factor: {"factor": saturation_factor}),
    "AdjustSharpness": (adjust_sharpness, lambda sharpness_factor: {"factor": sharpness_factor}),
    "AutoContrast": (auto_contrast, lambda cutoff=0.0, ignore=None: {"cutoff": cutoff, "ignore": ignore}),
    "ConvertColor": (convert_color, lambda convert_mode: {"mode": convert_mode}),
    "Equalize": (equalize, dict),
    "HsvToRgb": (images_to_rgb, lambda is_hwc=False: {"is_hwc": is_hwc}),
    "Invert": (invert, dict),
    "Posterize": (posterize, lambda bits: {"bits": bits}),
    "RgbToHsv": (images_to_hsv, lambda is_hwc=False: {"is_hwc": is_hwc}),
    "Solarize": (solarize, lambda threshold: {"threshold": threshold}),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision")
globals().update(OPERATIONS)
__all__ = ["ConvertMode", *OPERATIONS]  # noqa: PLE0604 - strings
