"""Rotation, affine and perspective maps of images [H, W, C] or [H, W], and Gaussian blur.

Positions of affine maps are in fixed point as in OpenCV: 10 fractional bits, of which a bilinear interpolation keeps 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError, UsageError
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes
from minigraph.dataset.vision.images import as_image, check_member
from minigraph.dataset.vision.resize import Inter

Rng = np.random.Generator
POSITION_ONE, POSITION_BITS = 1 << 10, 10  # positions of affine maps
FRACTION_ONE, FRACTION_BITS = 1 << 5, 5  # distances from the pixel before
WEIGHT_ONE, WEIGHT_BITS = 1 << 15, 15  # weights of four pixels
BLUR_ONE = 1 << 8  # weights of a blur


# ---- maps ------------------------------------------------------------------------------------------


def _sample(pixels: np.ndarray, x: np.ndarray, y: np.ndarray, interpolation: Inter, fill_value: object) -> np.ndarray:
    """The pixels at positions in units of 1/32; outside of the image ``fill_value``, one number or one per channel."""
    if interpolation not in (Inter.NEAREST, Inter.BILINEAR):
        raise UsageError(f"vision: {interpolation.name} of a map is not supported; use Inter.NEAREST or Inter.BILINEAR")
    near = interpolation is Inter.NEAREST
    half = FRACTION_ONE // 2 if near else 0
    column, row = (x + half) >> FRACTION_BITS, (y + half) >> FRACTION_BITS
    if near:
        return _take(pixels, row, column, fill_value)
    dx, dy = x & (FRACTION_ONE - 1), y & (FRACTION_ONE - 1)
    total = np.zeros((*x.shape, *pixels.shape[2:]), np.int64 if pixels.dtype == np.uint8 else np.float64)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        share = (dx if j else FRACTION_ONE - dx) * (dy if i else FRACTION_ONE - dy)
        weight = (share * (WEIGHT_ONE // FRACTION_ONE**2)).reshape(*share.shape, *[1] * (pixels.ndim - 2))
        total += weight * _take(pixels, row + i, column + j, fill_value)
    if pixels.dtype == np.uint8:
        return ((total + WEIGHT_ONE // 2) >> WEIGHT_BITS).astype(np.uint8)
    return (total / WEIGHT_ONE).astype(pixels.dtype)


def _take(pixels: np.ndarray, row: np.ndarray, column: np.ndarray, fill_value: object) -> np.ndarray:
    inside = (row >= 0) & (row < pixels.shape[0]) & (column >= 0) & (column < pixels.shape[1])
    result = np.empty((*row.shape, *pixels.shape[2:]), pixels.dtype)
    result[...] = fill_value
    result[inside] = pixels[row[inside], column[inside]]
    return result


def warp_affine(
    pixels: np.ndarray, matrix: np.ndarray, size: tuple[int, int], interpolation: Inter, fill_value: object
) -> np.ndarray:
    """The image of ``size`` (height, width) whose pixel (x, y) is that of ``inverse(matrix) @ (x, y, 1)``.

    >>> shift = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    >>> warp_affine(np.array([[1, 2, 3]]), shift, (1, 3), Inter.NEAREST, 0)
    array([[0, 1, 2]])
    """
    inverse = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))[:2]
    keep = POSITION_BITS - FRACTION_BITS
    if interpolation is Inter.NEAREST:
        half, shift = POSITION_ONE // 2, POSITION_BITS
    else:
        half, shift = POSITION_ONE // FRACTION_ONE // 2, keep
    columns = [np.rint(inverse[i, 0] * np.arange(size[1]) * POSITION_ONE).astype(np.int64) for i in (0, 1)]
    rows = [np.rint((inverse[i, 1] * np.arange(size[0]) + inverse[i, 2]) * POSITION_ONE).astype(np.int64) + half
            for i in (0, 1)]  # fmt: skip
    x, y = ((row[:, None] + column[None]) >> shift for row, column in zip(rows, columns, strict=True))
    if interpolation is Inter.NEAREST:
        x, y = x << FRACTION_BITS, y << FRACTION_BITS
    return _sample(pixels, x, y, interpolation, fill_value)


def rotation_matrix(center: Sequence[float], degrees: float, scale: float = 1.0) -> np.ndarray:
    """[2, 3]: a rotation against the clock about ``center`` (x, y).

    >>> rotation_matrix((0.0, 0.0), 90.0).round(6).tolist()
    [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
    """
    cos, sin = scale * math.cos(math.radians(degrees)), scale * math.sin(math.radians(degrees))
    x, y = center
    return np.array([[cos, sin, (1 - cos) * x - sin * y], [-sin, cos, sin * x + (1 - cos) * y]])


def rotate(
    image: np.ndarray, degrees: float, resample: Inter, expand: bool, center: Sequence[float] | None, fill_value: object
) -> np.ndarray:
    """The image rotated against the clock, about ``center`` (x, y) or its middle; ``expand`` keeps its corners."""
    pixels = as_image("Rotate", image)
    height, width = pixels.shape[:2]
    middle = ((width - 1) / 2, (height - 1) / 2) if center is None else center
    matrix, size = rotation_matrix(middle, degrees % 360), (height, width)
    if expand:
        cos, sin = np.abs(matrix[0, :2])
        new_height, new_width = width * sin + height * cos, width * cos + height * sin
        matrix[:, 2] += (new_width - width) / 2, (new_height - height) / 2
        size = (round(new_height), round(new_width))
    return warp_affine(pixels, matrix, size, check_member(Inter, "resample", resample), fill_value)


def affine(
    image: np.ndarray, degrees: float, translate: Sequence[float], scale: float, shear: Any, resample: Inter,
    fill_value: object,
) -> np.ndarray:  # fmt: skip
    """The image sheared (degrees, by x and y), scaled and rotated about its middle, and moved by shares of its size."""
    pixels = as_image("Affine", image)
    height, width = pixels.shape[:2]
    if scale <= 0:
        raise ArgValueError(f"Input scale is not within the required interval of (0, 16777216]; got {scale!r}")
    by_x, by_y = (math.radians(degrees) for degrees in ((shear, 0.0) if isinstance(shear, int | float) else shear))
    angle = math.radians(degrees)
    a, c = (function(angle - by_y) / math.cos(by_y) for function in (math.cos, math.sin))
    linear = scale * np.array([
        [a, -a * math.tan(by_x) - math.sin(angle)], [c, -c * math.tan(by_x) + math.cos(angle)]
    ])  # fmt: skip
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    shift = np.array([translate[0] * width, translate[1] * height])
    matrix = np.column_stack([linear, middle + shift - linear @ middle])
    return warp_affine(pixels, matrix, (height, width), check_member(Inter, "resample", resample), fill_value)


def perspective(image: np.ndarray, start_points: Any, end_points: Any, interpolation: Inter) -> np.ndarray:
    """The image mapped so that four corners (x, y) ``start_points`` move to ``end_points``."""
    pixels = as_image("Perspective", image)
    if np.shape(start_points) != (4, 2) or np.shape(end_points) != (4, 2):
        raise ArgValueError("Perspective: start_points and end_points must be four points [x, y] each")
    rows, targets = [], []
    for (u, v), (x, y) in zip(start_points, end_points, strict=True):  # from the result to the image
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        targets += [u, v]
    matrix = np.append(np.linalg.solve(np.array(rows, float), np.array(targets, float)), 1.0).reshape(3, 3)
    height, width = pixels.shape[:2]
    x, y, w = np.tensordot(matrix, np.stack([*np.meshgrid(np.arange(width), np.arange(height)),
                                             np.ones((height, width))]), 1)  # fmt: skip
    scale = FRACTION_ONE / np.where(w == 0, np.inf, w)
    if interpolation is Inter.NEAREST:
        positions = [(np.rint(values * scale / FRACTION_ONE).astype(np.int64) << FRACTION_BITS) for values in (x, y)]
    else:
        positions = [np.rint(values * scale).astype(np.int64) for values in (x, y)]
    return _sample(pixels, positions[0], positions[1], check_member(Inter, "interpolation", interpolation), 0)


# ---- blur ------------------------------------------------------------------------------------------


def gaussian_blur(image: np.ndarray, kernel_size: Any, sigma: Any) -> np.ndarray:
    """The image convolved with a Gaussian of ``kernel_size`` (width, height) and ``sigma``, reflected at its border."""
    pixels = as_image("GaussianBlur", image)
    sizes = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
    if len(sizes) != 2 or any(size < 1 or size % 2 == 0 for size in sizes):
        raise ArgValueError(f"GaussianBlur: kernel_size must be odd and positive, got {kernel_size!r}")
    sigma = 0.3 * ((sizes[0] - 1) * 0.5 - 1) + 0.8 if sigma is None else sigma
    deviations = (sigma, sigma) if isinstance(sigma, int | float) else tuple(sigma)
    is_bytes = pixels.dtype == np.uint8
    result = pixels.astype(np.int64 if is_bytes else np.float64)
    for axis, size, deviation in ((1, sizes[0], deviations[0]), (0, sizes[1], deviations[-1])):
        weights = np.exp(-((np.arange(size) - size // 2) ** 2) / (2 * deviation**2))
        weights /= weights.sum()
        weights = _fixed_point(weights) if is_bytes else weights
        pads = [(size // 2, size // 2) if i == axis else (0, 0) for i in range(pixels.ndim)]
        padded = np.pad(result, pads, "reflect")
        result = sum(weight * np.take(padded, np.arange(i, i + pixels.shape[axis]), axis)
                     for i, weight in enumerate(weights))  # fmt: skip
    rounded = (result + BLUR_ONE**2 // 2) // BLUR_ONE**2 if is_bytes else result
    return np.asarray(rounded).astype(pixels.dtype)


def _fixed_point(weights: np.ndarray) -> np.ndarray:
    """Symmetric weights in units of 1/256 with the sum 256, as OpenCV: each passes its rounding error to the next."""
    middle, error = len(weights) // 2, 0.0
    result = np.zeros(len(weights), np.int64)
    for i in range(middle):
        exact = weights[i] * BLUR_ONE + error
        result[i] = result[-1 - i] = round(exact)
        error = exact - result[i]
    result[middle] = BLUR_ONE - result.sum()
    return result


# ---- random maps -----------------------------------------------------------------------------------


def _range_of(value: Any, name: str) -> tuple[float, float]:
    """(low, high), from two numbers, or from one: -x to x."""
    if isinstance(value, int | float):
        if value < 0:
            raise ArgValueError(f"Input {name} is not within the required interval of [0, 16777216]; got {value!r}")
        return -float(value), float(value)
    return float(value[0]), float(value[1])


def random_rotation(rng: Rng, image: np.ndarray, degrees: Any, **options: Any) -> np.ndarray:
    """``Rotate`` by an angle from the range ``degrees``."""
    return rotate(image, rng.uniform(*_range_of(degrees, "degrees")), **options)


def random_affine(
    rng: Rng, image: np.ndarray, degrees: Any, translate: Any, scale: Any, shear: Any, **options: Any
) -> np.ndarray:
    """``Affine`` by an angle, a share of the size, a scale and a shear from ranges."""
    moves = (0.0, 0.0, 0.0, 0.0) if translate is None else tuple(translate) * (1 if len(translate) == 4 else 2)
    shears = (0.0, 0.0) if shear is None else (-shear, shear) if isinstance(shear, int | float) else tuple(shear)
    shears = shears if len(shears) == 4 else (*shears, 0.0, 0.0)
    pick = rng.uniform
    shift = (pick(*moves[:2]), pick(*moves[2:])) if translate is not None else (0.0, 0.0)
    angles = (pick(*shears[:2]), pick(*shears[2:]))
    return affine(image, pick(*_range_of(degrees, "degrees")), shift, pick(*(scale or (1.0, 1.0))), angles, **options)


def random_perspective(
    rng: Rng, image: np.ndarray, distortion_scale: float, prob: float, interpolation: Inter
) -> np.ndarray:
    """With probability ``prob`` a ``Perspective`` that moves each corner by up to half of ``distortion_scale``."""
    pixels = as_image("RandomPerspective", image)
    if rng.random() >= prob:
        return pixels
    height, width = pixels.shape[:2]
    inward = rng.uniform(0, distortion_scale / 2, (4, 2)) * (width, height)
    corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], float)
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    kind = Inter.NEAREST if interpolation is Inter.NEAREST else Inter.BILINEAR
    return perspective(pixels, corners, corners + signs * inward, kind)


OPERATION_TABLE: OperationTable = {
    "Affine": (affine, lambda degrees, translate, scale, shear, resample=Inter.NEAREST, fill_value=0: dict(locals())),
    "GaussianBlur": (gaussian_blur, lambda kernel_size, sigma=None: dict(locals())),
    "Perspective": (perspective, lambda start_points, end_points, interpolation=Inter.BILINEAR: dict(locals())),
    "Rotate": (rotate, lambda degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0: dict(locals())),
}
RANDOM_OPERATION_TABLE: OperationTable = {
    "RandomAffine": (random_affine, lambda degrees, translate=None, scale=None, shear=None, resample=Inter.NEAREST,
                     fill_value=0: dict(locals())),
    "RandomPerspective": (random_perspective, lambda distortion_scale=0.5, prob=0.5, interpolation=Inter.BICUBIC: dict(
        locals())),
    "RandomRotation": (random_rotation, lambda degrees, resample=Inter.NEAREST, expand=False, center=None,
                       fill_value=0: dict(locals())),
}  # fmt: skip
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision")
OPERATIONS |= operation_classes(RANDOM_OPERATION_TABLE, "minigraph.dataset.vision", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
