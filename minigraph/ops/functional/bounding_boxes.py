"""Bounding boxes: intersection over union, deltas relative to anchors, validity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int64
from minigraph.ops.functional.arithmetic import clip, floor, maximum, minimum
from minigraph.ops.functional.arithmetic import round as nearest
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import exp, log
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.joining import stack

__all__ = [
    "bounding_box_decode", "bounding_box_encode", "check_valid", "crop_and_resize", "iou", "nms_with_mask"
]  # fmt: skip


Four = tuple[float, float, float, float]


def _sides(name: str, boxes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ShapeError(f"{name}: needs boxes [N,4], got shape {list(boxes.shape)}")
    return boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]


def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = "iou") -> Tensor:
    """[M,N]: intersections of boxes [N,4] and [M,4] over their unions ("iou") or over the areas of the latter ("iof").

    >>> from minigraph import Tensor
    >>> print(iou(Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[0.0, 0.0, 4.0, 9.0]])))
    [[0.5]]
    """
    if mode not in ("iou", "iof"):
        raise UsageError(f"iou: mode is 'iou' or 'iof', got {mode!r}")
    anchors, truths = _sides("iou", anchor_boxes), [side.expand_dims(1) for side in _sides("iou", gt_boxes)]
    width = maximum(minimum(anchors[2], truths[2]) - maximum(anchors[0], truths[0]) + 1, 0)
    height = maximum(minimum(anchors[3], truths[3]) - maximum(anchors[1], truths[1]) + 1, 0)
    intersection, area = width * height, _area(truths)
    return intersection / (area + _area(anchors) - intersection if mode == "iou" else area)


def _area(sides: Sequence[Tensor]) -> Tensor:
    return (sides[2] - sides[0] + 1) * (sides[3] - sides[1] + 1)


def _center_form(name: str, boxes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(x and y of the centre, width, height)."""
    left, top, right, bottom = _sides(name, boxes)
    return (left + right) / 2, (top + bottom) / 2, right - left + 1, bottom - top + 1


def bounding_box_encode(
    anchor_box: Tensor, groundtruth_box: Tensor, means: Four = (0.0,) * 4, stds: Four = (1.0,) * 4
) -> Tensor:
    """[N,4]: normalised deltas of boxes: shifts relative to the anchor's size, logarithms of size ratios."""
    x, y, width, height = _center_form("bounding_box_encode", anchor_box)
    to_x, to_y, to_width, to_height = _center_form("bounding_box_encode", groundtruth_box)
    deltas = [(to_x - x) / width, (to_y - y) / height, log(to_width / width), log(to_height / height)]
    return stack([(delta - mean) / std for delta, mean, std in zip(deltas, means, stds, strict=True)], 1)


def bounding_box_decode(
    anchor_box: Tensor,
    deltas: Tensor,
    max_shape: tuple[int, int],
    means: Four = (0.0,) * 4,
    stds: Four = (1.0,) * 4,
    wh_ratio_clip: float = 0.016,
) -> Tensor:
    """[N,4]: boxes from anchors and the deltas of ``bounding_box_encode``, clipped to an image (height, width)."""
    x, y, width, height = _center_form("bounding_box_decode", anchor_box)
    columns = _sides("bounding_box_decode", deltas)
    dx, dy, dw, dh = (delta * std + mean for delta, mean, std in zip(columns, means, stds, strict=True))
    limit = abs(float(np.log(wh_ratio_clip)))
    new_width, new_height = width * exp(clip(dw, -limit, limit)), height * exp(clip(dh, -limit, limit))
    to_x, to_y = x + width * dx, y + height * dy
    max_height, max_width = max_shape
    sides = [
        clip(to_x - new_width * 0.5 + 0.5, 0, max_width), clip(to_y - new_height * 0.5 + 0.5, 0, max_height),
        clip(to_x + new_width * 0.5 - 0.5, 0, max_width), clip(to_y + new_height * 0.5 - 0.5, 0, max_height),
    ]  # fmt: skip
    return stack(sides, 1)


def check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor:
    """Whether each box lies inside an image of (height, width, ratio).

    >>> from minigraph import Tensor
    >>> print(check_valid(Tensor([[0.0, 0.0, 4.0, 4.0], [1.0, 1.0, 30.0, 3.0]]), Tensor([10.0, 12.0, 1.0])))
    [ True False]
    """
    left, top, right, bottom = _sides("check_valid", bboxes)
    height, width = img_metas[0] * img_metas[2] - 1, img_metas[1] * img_metas[2] - 1
    return (left >= 0) & (top >= 0) & (right <= width) & (bottom <= height)


def crop_and_resize(
    image: Tensor, boxes: Tensor, box_indices: Tensor, crop_size: tuple[int, int], method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:  # fmt: skip
    """Boxes [M,4] of (top, left, bottom, right), from 0 to 1, of images [N,H,W,C], resized to ``crop_size``.

    ``box_indices`` are the indices of their images; positions outside of one get ``extrapolation_value``. ``method``
    is "bilinear" or "nearest". Raises ``UsageError`` for another method, ``ShapeError`` for other ranks.

    >>> image = Tensor(np.arange(4.0, dtype=np.float32).reshape(1, 2, 2, 1))
    >>> crop_and_resize(image, Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([0]), (1, 2)).shape
    (1, 1, 2, 1)
    """
    if method not in ("bilinear", "nearest"):
        raise UsageError(f"crop_and_resize: method {method!r} is not supported; use 'bilinear' or 'nearest'")
    if image.ndim != 4:
        raise ShapeError(f"crop_and_resize: needs images [N,H,W,C], got {image.type}")
    tops, lefts, bottoms, rights = _sides("crop_and_resize", boxes)
    pixels, (height, width) = cast(image, float32), image.shape[1:3]
    rows = _positions(tops, bottoms, crop_size[0], height)
    columns = _positions(lefts, rights, crop_size[1], width)
    rows, columns = rows.expand_dims(2), columns.expand_dims(1)
    inside = (rows >= 0) & (rows <= height - 1) & (columns >= 0) & (columns <= width - 1)
    first = cast(box_indices, int64).reshape(-1, 1, 1)

    def pixel(y: Tensor, x: Tensor) -> Tensor:
        return pixels[first, cast(clip(y, 0, height - 1), int64), cast(clip(x, 0, width - 1), int64)]

    if method == "nearest":
        result = pixel(nearest(rows), nearest(columns))
    else:
        above, before = floor(rows), floor(columns)
        down, right = (rows - above).expand_dims(3), (columns - before).expand_dims(3)
        upper = pixel(above, before) * (1 - right) + pixel(above, before + 1) * right
        lower = pixel(above + 1, before) * (1 - right) + pixel(above + 1, before + 1) * right
        result = upper * (1 - down) + lower * down
    return where(inside.expand_dims(3), result, extrapolation_value)


def _positions(begin: Tensor, end: Tensor, count: int, size: int) -> Tensor:
    """[M, count]: positions in pixels from ``begin`` to ``end``; the middle if there is only one."""
    begin, end = begin.reshape(-1, 1), end.reshape(-1, 1)
    if count == 1:
        return (begin + end) * ((size - 1) / 2)
    return begin * (size - 1) + arange(count) * ((end - begin) * ((size - 1) / (count - 1)))


def nms_with_mask(bboxes: Tensor, iou_threshold: float = 0.5) -> tuple[Tensor, Tensor, Tensor]:
    """Non-maximum suppression of boxes [N,5] with scores: (boxes by descending score, 0 to N-1, which are kept).

    A box is dropped if its intersection over union with a better one that is kept exceeds the threshold. Raises
    ``ValueError`` for another shape.

    >>> from minigraph import Tensor
    >>> boxes = Tensor([[0.0, 0.0, 9.0, 9.0, 0.5], [0.0, 0.0, 9.0, 8.0, 0.9]])
    >>> print(nms_with_mask(boxes)[2])
    [ True False]
    """
    if bboxes.ndim != 2 or bboxes.shape[1] != 5:
        raise ShapeError(f"nms_with_mask: needs boxes and scores [N,5], got shape {list(bboxes.shape)}")
    values = bboxes.asnumpy()
    ordered = values[np.argsort(-values[:, 4], kind="stable")]
    low, high = ordered[:, :2], ordered[:, 2:4]
    sides = np.maximum(np.minimum(high[:, None], high) - np.maximum(low[:, None], low), 0)
    areas, intersections = (high - low).prod(-1), sides.prod(-1)
    is_kept = np.ones(len(ordered), bool)
    for i in range(len(ordered)):
        if is_kept[i]:
            union = areas[i] + areas - intersections[i]
            is_kept[i + 1 :] &= ~(intersections[i] > iou_threshold * union)[i + 1 :]
    return Tensor(ordered), Tensor(np.arange(len(ordered), dtype=np.int32)), Tensor(is_kept)
