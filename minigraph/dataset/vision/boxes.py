"""Operations on an image and the boxes in it: rows (x, y, width, height, more...) in pixels, from the top left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes
from minigraph.dataset.vision import geometry
from minigraph.dataset.vision.geometry import Border
from minigraph.dataset.vision.random_operations import Range, Rng, random_box_or_middle
from minigraph.dataset.vision.resize import Inter, Resize

Pair = tuple[np.ndarray, np.ndarray]
SCALE, RATIO = (0.08, 1.0), (3 / 4, 4 / 3)


def _check(caller: str, image: np.ndarray, boxes: np.ndarray) -> None:
    """Raises ``RuntimeError`` unless the boxes are rows of at least four numbers, inside of the image."""
    if boxes.ndim != 2 or boxes.shape[1] < 4:
        raise ArgRuntimeError(f"{caller}: bounding boxes should have shape [n, 4 or more], got {list(boxes.shape)}")
    ends = boxes[:, :2] + boxes[:, 2:4]
    if (boxes[:, :4] < 0).any() or (ends > (image.shape[1], image.shape[0])).any():
        raise ArgRuntimeError(f"{caller}: bounding boxes of the image are out of bounds, of shape {list(image.shape)}")


def _crop_boxes(boxes: np.ndarray, left: int, top: int, width: int, height: int) -> np.ndarray:
    """The parts of boxes inside of a part of the image; if no box has one, a single row of zeros."""
    low = np.maximum(boxes[:, :2] - (left, top), 0)
    high = np.minimum(boxes[:, :2] + boxes[:, 2:4] - (left, top), (width, height))
    is_visible = (high > low).all(1)
    result = boxes[is_visible].copy()
    result[:, :2], result[:, 2:4] = low[is_visible], (high - low)[is_visible]
    return result if is_visible.any() else np.zeros((1, boxes.shape[1]), boxes.dtype)


def _scale_boxes(boxes: np.ndarray, by_x: float, by_y: float) -> np.ndarray:
    result = boxes.copy()
    result[:, :4] = boxes[:, :4] * np.array([by_x, by_y, by_x, by_y])
    return result


def resize_with_box(image: np.ndarray, boxes: np.ndarray, size: Any, interpolation: Inter) -> Pair:
    """``Resize`` of the image and its boxes."""
    _check("ResizeWithBBox", image, boxes)
    result = Resize(size, interpolation)(image)
    return result, _scale_boxes(boxes, result.shape[1] / image.shape[1], result.shape[0] / image.shape[0])


def random_resize_with_box(rng: Rng, image: np.ndarray, boxes: np.ndarray, size: Any) -> Pair:
    """``ResizeWithBBox`` with a random interpolation."""
    return resize_with_box(image, boxes, size, _random_interpolation(rng))


def random_resize(rng: Rng, image: np.ndarray, size: Any) -> np.ndarray:
    """``Resize`` with a random interpolation."""
    result: np.ndarray = Resize(size, _random_interpolation(rng))(image)
    return result


def _random_interpolation(rng: Rng) -> Inter:
    return (Inter.NEAREST, Inter.BILINEAR)[int(rng.integers(2))]


def random_flip_with_box(rng: Rng, image: np.ndarray, boxes: np.ndarray, prob: float, axis: int) -> Pair:
    """The image and its boxes flipped along an axis with probability ``prob``."""
    _check("RandomFlipWithBBox", image, boxes)
    if rng.random() >= prob:
        return image, boxes
    result, at = boxes.copy(), 1 - axis
    result[:, at] = image.shape[axis] - boxes[:, at] - boxes[:, at + 2]
    return np.ascontiguousarray(np.flip(image, axis)), result


def random_crop_with_box(
    rng: Rng, image: np.ndarray, boxes: np.ndarray, size: Any, padding: Any, pad_if_needed: bool, fill_value: int,
    padding_mode: Border,
) -> Pair:  # fmt: skip
    """``RandomCrop`` of the image and its boxes."""
    _check("RandomCropWithBBox", image, boxes)
    crop = geometry.RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)
    crop.rng = rng
    pixels, (left, top), (from_top, from_left) = crop.with_position(image)
    shifted = boxes.copy()
    shifted[:, :2] += (left, top)
    return pixels, _crop_boxes(shifted, from_left, from_top, pixels.shape[1], pixels.shape[0])


def random_resized_crop_with_box(
    rng: Rng, image: np.ndarray, boxes: np.ndarray, size: Any, scale: Range, ratio: Range, interpolation: Inter,
    max_attempts: int,
) -> Pair:  # fmt: skip
    """``RandomResizedCrop`` of the image and its boxes."""
    _check("RandomResizedCropWithBBox", image, boxes)
    top, left, height, width = random_box_or_middle(rng, image.shape[:2], scale, ratio, max_attempts)
    part = image[top : top + height, left : left + width]
    result = Resize(size if not isinstance(size, int) else (size, size), interpolation)(part)
    cropped = _crop_boxes(boxes, left, top, width, height)
    return result, _scale_boxes(cropped, result.shape[1] / width, result.shape[0] / height)


def bounding_box_augment(
    rng: Rng, image: np.ndarray, boxes: np.ndarray, transform: Callable[..., Any], ratio: float
) -> Pair:
    """An operation applied inside of a share ``ratio`` of the boxes, chosen at random."""
    _check("BoundingBoxAugment", image, boxes)
    result = image.copy()
    count = int(np.ceil(len(boxes) * ratio)) if ratio else 0
    for index in rng.permutation(len(boxes))[:count]:
        x, y, width, height = boxes[index, :4].astype(int)
        part = (slice(y, y + height), slice(x, x + width))
        changed = np.asarray(transform(result[part]))
        if changed.shape[:2] != (height, width):
            changed = Resize((int(height), int(width)))(changed)
        result[part] = changed
    return result, boxes


OPERATION_TABLE: OperationTable = {
    "ResizeWithBBox": (resize_with_box, lambda size, interpolation=Inter.LINEAR: dict(locals())),
}
RANDOM_OPERATION_TABLE: OperationTable = {
    "BoundingBoxAugment": (bounding_box_augment, lambda transform, ratio=0.3: dict(locals())),
    "RandomCropWithBBox": (random_crop_with_box, lambda size, padding=None, pad_if_needed=False, fill_value=0,
                           padding_mode=Border.CONSTANT: dict(locals())),
    "RandomHorizontalFlipWithBBox": (random_flip_with_box, lambda prob=0.5: {"prob": prob, "axis": 1}),
    "RandomResize": (random_resize, lambda size: dict(locals())),
    "RandomResizeWithBBox": (random_resize_with_box, lambda size: dict(locals())),
    "RandomResizedCropWithBBox": (random_resized_crop_with_box, lambda size, scale=SCALE, ratio=RATIO,
                                  interpolation=Inter.BILINEAR, max_attempts=10: dict(locals())),
    "RandomVerticalFlipWithBBox": (random_flip_with_box, lambda prob=0.5: {"prob": prob, "axis": 0}),
}  # fmt: skip
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision")
OPERATIONS |= operation_classes(RANDOM_OPERATION_TABLE, "minigraph.dataset.vision", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
