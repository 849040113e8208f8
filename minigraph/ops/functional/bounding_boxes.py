"""Bounding boxes: intersection over union, encoding relative to anchors, validity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.ops.functional.arithmetic import clip, maximum, minimum
from minigraph.ops.functional.elementary import exp, log
from minigraph.ops.functional.joining import stack

__all__ = ["bounding_box_decode", "bounding_box_encode", "check_valid", "iou"]


Four = tuple[float, float, float, float]


def _sides(name: str, boxes: Any) -> tuple[Any, Any, Any, Any]:
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ShapeError(f"{name}: needs boxes [N,4] of (left, top, right, bottom), got shape {list(boxes.shape)}")
    return boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]


def iou(anchor_boxes: Any, gt_boxes: Any, mode: str = "iou") -> Any:
    """[M,N]: the common pixels of boxes [N,4] and [M,4], divided by those of either ("iou") or of the latter ("iof").

    >>> from minigraph import Tensor
    >>> print(iou(Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[0.0, 0.0, 4.0, 9.0]])))
    [[0.5]]
    """
    if mode not in ("iou", "iof"):
        raise UsageError(f"iou: mode is 'iou' or 'iof', got {mode!r}")
    one, other = _sides("iou", anchor_boxes), [side.expand_dims(1) for side in _sides("iou", gt_boxes)]
    width = maximum(minimum(one[2], other[2]) - maximum(one[0], other[0]) + 1, 0)
    height = maximum(minimum(one[3], other[3]) - maximum(one[1], other[1]) + 1, 0)
    common, own = width * height, _area(other)
    return common / (own + _area(one) - common if mode == "iou" else own)


def _area(sides: Sequence[Any]) -> Any:
    return (sides[2] - sides[0] + 1) * (sides[3] - sides[1] + 1)


def _middles(name: str, boxes: Any) -> tuple[Any, Any, Any, Any]:
    """(x, y of the middle, width, height)."""
    left, top, right, bottom = _sides(name, boxes)
    return (left + right) / 2, (top + bottom) / 2, right - left + 1, bottom - top + 1


def bounding_box_encode(
    anchor_box: Any, groundtruth_box: Any, means: Four = (0.0,) * 4, stds: Four = (1.0,) * 4
) -> Any:
    """[N,4]: how far boxes are from anchors: moves in sizes of the anchor, logarithms of growth, then normalised."""
    x, y, width, height = _middles("bounding_box_encode", anchor_box)
    to_x, to_y, to_width, to_height = _middles("bounding_box_encode", groundtruth_box)
    moves = [(to_x - x) / width, (to_y - y) / height, log(to_width / width), log(to_height / height)]
    return stack([(one - mean) / std for one, mean, std in zip(moves, means, stds, strict=True)], 1)


def bounding_box_decode(
    anchor_box: Any,
    deltas: Any,
    max_shape: tuple[int, int],
    means: Four = (0.0,) * 4,
    stds: Four = (1.0,) * 4,
    wh_ratio_clip: float = 0.016,
) -> Any:
    """[N,4]: the boxes that are as far from anchors as ``bounding_box_encode`` says, held inside of (height, width)."""
    x, y, width, height = _middles("bounding_box_decode", anchor_box)
    moved = _sides("bounding_box_decode", deltas)
    dx, dy, dw, dh = (one * std + mean for one, mean, std in zip(moved, means, stds, strict=True))
    limit = abs(float(np.log(wh_ratio_clip)))
    wide, high = width * exp(clip(dw, -limit, limit)), height * exp(clip(dh, -limit, limit))
    to_x, to_y = x + width * dx, y + height * dy
    down, across = max_shape
    sides = [
        clip(to_x - wide * 0.5 + 0.5, 0, across), clip(to_y - high * 0.5 + 0.5, 0, down),
        clip(to_x + wide * 0.5 - 0.5, 0, across), clip(to_y + high * 0.5 - 0.5, 0, down),
    ]  # fmt: skip
    return stack(sides, 1)


def check_valid(bboxes: Any, img_metas: Any) -> Any:
    """Whether each box is inside of an image of (height, width, ratio).

    >>> from minigraph import Tensor
    >>> print(check_valid(Tensor([[0.0, 0.0, 4.0, 4.0], [1.0, 1.0, 30.0, 3.0]]), Tensor([10.0, 12.0, 1.0])))
    [ True False]
    """
    left, top, right, bottom = _sides("check_valid", bboxes)
    height, width = img_metas[0] * img_metas[2] - 1, img_metas[1] * img_metas[2] - 1
    return (left >= 0) & (top >= 0) & (right <= width) & (bottom <= height)
