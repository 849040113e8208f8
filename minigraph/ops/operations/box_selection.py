"""Primitives that select bounding boxes: non-maximum suppression, and random parts of a picture. They have no graph."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.operators import random
from minigraph.ops.operations.random import stream_seed
from minigraph.ops.primitive import primitive

__all__ = ["CombinedNonMaxSuppression", "NonMaxSuppressionWithOverlaps", "SampleDistortedBoundingBoxV2"]

Range = tuple[float, float]


def _select(scores: Array, limit: int, score_threshold: float, overlaps: Array, threshold: float) -> list[int]:
    """At most ``limit`` boxes by descending score that overlap none that was selected by more than a threshold."""
    selection: list[int] = []
    for box in np.argsort(-scores, kind="stable").tolist():
        if len(selection) == limit or not scores[box] > score_threshold:
            break
        if not (overlaps[box, selection] > threshold).any():
            selection.append(box)
    return selection


def _number(x: Tensor | float) -> float:
    return float(x.asnumpy()) if isinstance(x, Tensor) else x


def _suppress(
    overlaps: Tensor, scores: Tensor, max_output_size: Tensor | int, overlap_threshold: Tensor | float,
    score_threshold: Tensor | float,
) -> Tensor:  # fmt: skip
    """Int32: the boxes by descending score, without those that overlap a better one by more than a threshold."""
    if overlaps.ndim != 2 or overlaps.shape != (scores.size,) * 2:
        raise ShapeError(f"NonMaxSuppressionWithOverlaps: needs overlaps [N,N], got {overlaps.type} and {scores.type}")
    limits = (int(_number(max_output_size)), _number(score_threshold), overlaps.asnumpy(), _number(overlap_threshold))
    return Tensor(_select(scores.asnumpy(), *limits), int32)


def _intersection_over_union(left: Array, right: Array) -> float:
    """Of boxes that are given by two opposite corners."""
    low, high = np.minimum(left[:2], left[2:]), np.maximum(left[:2], left[2:])
    other_low, other_high = np.minimum(right[:2], right[2:]), np.maximum(right[:2], right[2:])
    shared = np.prod(np.maximum(np.minimum(high, other_high) - np.maximum(low, other_low), 0))
    areas = np.prod(high - low) + np.prod(other_high - other_low)
    return float(shared / (areas - shared)) if areas > shared else 0.0


def _combined(
    boxes: Tensor, scores: Tensor, max_output_size_per_class: Tensor, max_total_size: Tensor, iou_threshold: Tensor,
    score_threshold: Tensor, *, pad_per_class: bool, clip_boxes: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """(boxes [N, K, 4], scores [N, K], classes [N, K], their number [N]) after suppression in every class.

    Boxes are [N, B, q, 4] with one box for all classes (q = 1) or one for each, scores [N, B, classes].
    """
    per_class, total = int(_number(max_output_size_per_class)), int(_number(max_total_size))
    classes = scores.shape[2]
    count = min(total, per_class * classes) if pad_per_class else total
    results = np.zeros((boxes.shape[0], count, 6), np.float32)
    valid = np.zeros(boxes.shape[0], np.int32)
    for image, (box_rows, score_rows) in enumerate(zip(boxes.asnumpy(), scores.asnumpy(), strict=True)):
        detections = []
        for kind in range(classes):
            of_class = box_rows[:, kind if box_rows.shape[1] > 1 else 0]
            overlaps = np.array([[_intersection_over_union(box, other) for other in of_class] for box in of_class])
            limits = (per_class, _number(score_threshold), overlaps, _number(iou_threshold))
            selection = _select(score_rows[:, kind], *limits)
            detections += [(*of_class[box], score_rows[box, kind], kind) for box in selection]
        detections = sorted(detections, key=lambda row: -row[4])[:count]
        valid[image] = len(detections)
        results[image, : len(detections)] = np.array(detections, np.float32).reshape(-1, 6)
    corners = np.clip(results[..., :4], 0, 1) if clip_boxes else results[..., :4]
    return Tensor(corners), Tensor(results[..., 4]), Tensor(results[..., 5]), Tensor(valid)


def _sample_box(
    image_size: Tensor, bounding_boxes: Tensor, min_object_covered: Tensor, *, seed: int, seed2: int,
    aspect_ratio_range: Range, area_range: Range, max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """(begin, size, box [1, 1, 4]) of a random part of a picture that covers enough of one of its boxes.

    Boxes are (top, left, bottom, right) from 0 to 1. After ``max_attempts`` the part is the whole picture.
    """
    height, width = image_size.tolist()[:2]
    boxes = bounding_boxes.asnumpy().reshape(-1, 4)
    generator = random.generator(random.next_key(stream_seed(seed, seed2)).asnumpy())
    part = np.array([0, 0, height, width])
    for _ in range(max_attempts):
        ratio, area = generator.uniform(*aspect_ratio_range), generator.uniform(*area_range) * height * width
        rows, columns = round((area / ratio) ** 0.5), round((area * ratio) ** 0.5)
        if not (0 < rows <= height and 0 < columns <= width):
            continue
        top, left = generator.integers(height - rows + 1), generator.integers(width - columns + 1)
        candidate = np.array([top, left, top + rows, left + columns])
        if _covers(candidate, boxes * [height, width, height, width], float(min_object_covered.asnumpy().ravel()[0])):
            part = candidate
            break
    begin, size = [*part[:2].tolist(), 0], [*(part[2:] - part[:2]).tolist(), -1]
    shares = part / [height, width, height, width]
    return Tensor(begin, image_size.dtype), Tensor(size, image_size.dtype), Tensor(shares.reshape(1, 1, 4), float32)


def _covers(part: Array, boxes: Array, share: float) -> bool:
    """Whether a part contains that share of one of the boxes."""
    sides = np.minimum(part[2:], boxes[:, 2:]) - np.maximum(part[:2], boxes[:, :2])
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], 1)
    return not len(boxes) or bool((np.prod(np.maximum(sides, 0), 1) >= share * areas).any())


NonMaxSuppressionWithOverlaps = primitive("NonMaxSuppressionWithOverlaps", _suppress)
CombinedNonMaxSuppression = primitive("CombinedNonMaxSuppression", _combined, pad_per_class=False, clip_boxes=True)
SampleDistortedBoundingBoxV2 = primitive(
    "SampleDistortedBoundingBoxV2", _sample_box,
    seed=0, seed2=0, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0), max_attempts=100,
    use_image_if_no_bounding_boxes=False,
)  # fmt: skip
