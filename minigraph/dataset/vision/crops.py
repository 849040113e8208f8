"""Crops, erased parts, patches and padded sizes of images."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.operation_table import OperationTable, operation_classes
from minigraph.dataset.vision.geometry import Border
from minigraph.dataset.vision.images import Size, as_image, height_and_width
from minigraph.dataset.vision.resize import Inter, Resize


class SliceMode(IntEnum):
    """How ``SlicePatches`` makes patches of one size: by padding the image, or by dropping pixels at its end."""

    PAD = 0
    DROP = 1


def crop(image: np.ndarray, coordinates: Sequence[int], size: Size) -> np.ndarray:
    """The part of ``size`` (height, width) whose top left corner is at ``coordinates``; ``RuntimeError`` outside."""
    pixels, (height, width) = as_image("Crop", image), height_and_width("Crop", size)
    top, left = coordinates
    if top < 0 or left < 0 or top + height > pixels.shape[0] or left + width > pixels.shape[1]:
        part = f"{height}x{width} at {tuple(coordinates)}"
        raise ArgRuntimeError(f"Crop: {part} is not inside of an image of shape {list(pixels.shape)}")
    return pixels[top : top + height, left : left + width]


def resized_crop(
    image: np.ndarray, top: int, left: int, height: int, width: int, size: Size, interpolation: Inter
) -> np.ndarray:
    """A part of the image, resized to ``size``."""
    result: np.ndarray = Resize(height_and_width("ResizedCrop", size), interpolation)(
        crop(image, (top, left), (height, width))
    )
    return result


def erase(image: np.ndarray, top: int, left: int, height: int, width: int, value: object, inplace: bool) -> np.ndarray:
    """The image with a part filled with ``value``, a number or one per channel; ``inplace`` writes into the image."""
    pixels = as_image("Erase", image)
    result = pixels if inplace else pixels.copy()
    result[top : top + height, left : left + width] = value
    return result


def pad_to_size(image: np.ndarray, size: Size, offset: object, fill_value: object, padding_mode: Border) -> np.ndarray:
    """The image padded to ``size``, in the middle or with its corner at ``offset``; ``RuntimeError`` if larger."""
    pixels, sizes = as_image("PadToSize", image), height_and_width("PadToSize", size)
    missing = [new - old for new, old in zip(sizes, pixels.shape, strict=False)]
    if min(missing) < 0:
        raise ArgRuntimeError(f"PadToSize: an image of shape {list(pixels.shape)} is larger than {list(sizes)}")
    before = [pixels // 2 for pixels in missing] if offset is None else height_and_offset(offset)
    widths = [(low, all_ - low) for low, all_ in zip(before, missing, strict=True)]
    if min(after for _, after in widths) < 0:
        raise ArgRuntimeError(f"PadToSize: offset {offset} leaves no room for an image of shape {list(pixels.shape)}")
    if padding_mode is not Border.CONSTANT:
        mode: Any = padding_mode.value
        return np.pad(pixels, [*widths, *[(0, 0)] * (pixels.ndim - 2)], mode)
    result = np.empty((*sizes, *pixels.shape[2:]), pixels.dtype)
    result[...] = fill_value
    result[before[0] : before[0] + pixels.shape[0], before[1] : before[1] + pixels.shape[1]] = pixels
    return result


def height_and_offset(offset: Any) -> list[int]:
    """(rows, columns) from one number or two.

    >>> height_and_offset(3)
    [3, 3]
    """
    return [offset, offset] if isinstance(offset, int) else list(offset) * (2 // len(offset))


def slice_patches(
    image: np.ndarray, num_height: int, num_width: int, slice_mode: SliceMode, fill_value: int
) -> tuple[np.ndarray, ...]:
    """The image cut into rows and columns of patches, row by row; it is padded, or with mode DROP cropped, to fit."""
    pixels = as_image("SlicePatches", image)
    counts = (num_height, num_width)
    if min(counts) < 1 or num_height > pixels.shape[0] or num_width > pixels.shape[1]:
        raise ArgValueError(f"SlicePatches: {num_height}x{num_width} patches of an image {list(pixels.shape)}")
    drops = slice_mode is SliceMode.DROP
    sizes = [old // count if drops else -(-old // count) for old, count in zip(pixels.shape, counts, strict=False)]
    widths = [(0, max(size * count - old, 0)) for size, count, old in zip(sizes, counts, pixels.shape, strict=False)]
    padded = np.pad(pixels, widths + [(0, 0)] * (pixels.ndim - 2), constant_values=fill_value)
    (height, width), rows = sizes, range(num_height)
    return tuple(
        padded[i * height : (i + 1) * height, j * width : (j + 1) * width] for i in rows for j in range(num_width)
    )


def linear_transformation(image: np.ndarray, matrix: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """(flattened image - mean) @ matrix, in the shape of the image."""
    flat = image.reshape(-1)
    if matrix.shape != (flat.size, flat.size) or mean.shape != flat.shape:
        shapes = f"matrix {list(matrix.shape)} and mean {list(mean.shape)}"
        raise ArgValueError(f"LinearTransformation: {shapes} for {flat.size} elements")
    return ((flat - mean) @ matrix).reshape(image.shape)


def normalize_pad(image: np.ndarray, mean: object, std: object, dtype: str, is_hwc: bool) -> np.ndarray:
    """(image - mean) / std per channel, with one more channel of zeros."""
    pixels = image if is_hwc else np.moveaxis(image, 0, -1)
    scaled = (pixels - np.asarray(mean, np.float32)) / np.asarray(std, np.float32)
    padded = np.concatenate([scaled, np.zeros((*scaled.shape[:2], 1))], -1).astype(dtype)
    return padded if is_hwc else np.ascontiguousarray(np.moveaxis(padded, -1, 0))


OPERATION_TABLE: OperationTable = {
    "Crop": (crop, lambda coordinates, size: {"coordinates": coordinates, "size": size}),
    "Erase": (erase, lambda top, left, height, width, value=0.0, inplace=False: dict(locals())),
    "LinearTransformation": (linear_transformation, lambda transformation_matrix, mean_vector: {
        "matrix": np.asarray(transformation_matrix), "mean": np.asarray(mean_vector)}),
    "NormalizePad": (normalize_pad, lambda mean, std, dtype="float32", is_hwc=True: dict(locals())),
    "PadToSize": (pad_to_size, lambda size, offset=None, fill_value=0, padding_mode=Border.CONSTANT: dict(locals())),
    "SlicePatches": (slice_patches, lambda num_height=1, num_width=1, slice_mode=SliceMode.PAD, fill_value=0: dict(
        locals())),
    "ResizedCrop": (resized_crop, lambda top, left, height, width, size, interpolation=Inter.BILINEAR: dict(locals())),
}  # fmt: skip
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision")
globals().update(OPERATIONS)
__all__ = ["SliceMode", *OPERATIONS]  # noqa: PLE0604 - strings
