"""ONNX's operators on images and signals: resizing, sampling, boxes, Fourier transforms, with our operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Attrs, Function
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.importers.onnx.elementwise import cast, clip, select
from minigraph.importers.onnx.shapes import gather, ints
from minigraph.importers.operator_table import Converter, Converters, KnownValue, node_axis
from minigraph.importers.size_limits import check_count
from minigraph.importers.weights import constant
from minigraph.ops.functional.interpolation import pixels_at

T = Tensor
MAX_WEIGHTS = 1 << 26  # elements of the interpolation matrix of one axis

# ---- resizing --------------------------------------------------------------------------------------

COORDINATES: dict[str, Function] = {  # positions o, scale s, sizes n -> m (may be fractional), roi
    "half_pixel": lambda o, s, n, m, roi: (o + 0.5) / s - 0.5,
    "half_pixel_symmetric": lambda o, s, n, m, roi: n / 2 * (1 - len(o) / m) + (o + 0.5) / s - 0.5,
    "pytorch_half_pixel": lambda o, s, n, m, roi: (o + 0.5) / s - 0.5 if m > 1 else o * 0.0,
    "align_corners": lambda o, s, n, m, roi: o * (n - 1) / (m - 1) if m != 1 else o * 0.0,
    "asymmetric": lambda o, s, n, m, roi: o / s,
    "tf_crop_and_resize": lambda o, s, n, m, roi: (
        roi[0] * (n - 1) + o * (roi[1] - roi[0]) * (n - 1) / (m - 1) if m > 1 else o + 0.5 * sum(roi) * (n - 1)),
}  # fmt: skip
OPSET_10 = {  # the attributes of Resize that opset 11 added, as it was before
    "coordinate_transformation_mode": "asymmetric",
    "nearest_mode": "floor",
}
NEAREST: dict[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def cubic_kernel(x: KnownValue, a: float) -> KnownValue:
    """The kernel of cubic interpolation."""
    x = np.abs(x)
    inner = (a + 2) * x**3 - (a + 3) * x**2 + 1
    outer = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, inner, np.where(x < 2, outer, 0))


def axis_weights(positions: KnownValue, size: int, scale: float, attrs: Attrs) -> KnownValue:
    """The matrix [positions, size] that interpolates along one axis."""
    if len(positions) * size > MAX_WEIGHTS:
        raise ModelError(f"resizing an axis of {size:,} to {len(positions):,} elements is too large")
    shrink = min(scale, 1.0) if attrs.get("antialias") else 1.0
    radius = int(np.ceil(2 / shrink)) + 1
    points = np.floor(positions)[:, None] + np.arange(-radius, radius + 1)
    distance = (positions[:, None] - points) * shrink
    linear = attrs["mode"] == "linear"
    kernel = (
        np.maximum(1 - np.abs(distance), 0) if linear else cubic_kernel(distance, attrs.get("cubic_coeff_a", -0.75))
    )
    if attrs.get("exclude_outside"):
        kernel = np.where((points < 0) | (points >= size), 0, kernel)
    if attrs.get("exclude_outside") or attrs.get("antialias"):
        kernel = kernel / kernel.sum(axis=1, keepdims=True)
    matrix = np.zeros((len(positions), size))
    columns = np.clip(points, 0, size - 1).astype(np.int64)
    np.add.at(matrix, (np.arange(len(positions))[:, None], columns), kernel)
    return matrix


def resize(x: T, roi: KnownValue, scales: KnownValue, sizes: object, attrs: Attrs) -> T:
    """A tensor resized along some axes, one after the other."""
    axes = [node_axis(axis, x.ndim) for axis in attrs.get("axes") or range(x.ndim)]
    scales = None if scales is None or not np.size(scales) else [float(s) for s in scales]
    if scales is None:
        scales, sizes = _scales(x, sizes, axes, attrs.get("keep_aspect_ratio_policy", "stretch"))
    else:
        sizes = [int(np.floor(x.shape[axis] * s)) for axis, s in zip(axes, scales, strict=True)]
    dtype, outside = x.dtype, None
    for k, (axis, scale, size) in enumerate(zip(axes, scales, map(check_count, sizes), strict=True)):
        mode = attrs.get("coordinate_transformation_mode", "half_pixel")
        if scale == 1 and size == x.shape[axis] and mode != "tf_crop_and_resize":
            continue
        n = x.shape[axis]
        ends = (float(roi[k]), float(roi[k + len(axes)])) if roi is not None and np.size(roi) else (0.0, 1.0)
        positions = COORDINATES[mode](np.arange(size, dtype=np.float32), np.float32(scale), n, scale * n, ends)
        x = _resize_axis(x, axis, positions, scale, attrs)
        if mode == "tf_crop_and_resize":
            shape = [-1 if k == axis else 1 for k in range(x.ndim)]
            beyond = ((positions < 0) | (positions > n - 1)).reshape(shape)
            outside = beyond if outside is None else outside | beyond
    if outside is not None and outside.any():
        x = apply(
            "where", constant(outside), constant(np.asarray(attrs.get("extrapolation_value", 0.0), x.dtype.numpy)), x
        )
    return cast(apply("round", x), dtype) if dtype.kind == "i" and x.dtype is not dtype else cast(x, dtype)


def _resize_axis(x: T, axis: int, positions: KnownValue, scale: float, attrs: Attrs) -> T:
    if attrs.get("mode", "nearest") == "nearest":
        nearest = NEAREST[attrs.get("nearest_mode", "round_prefer_floor")](positions)
        return gather(x, constant(np.clip(nearest, 0, x.shape[axis] - 1).astype(np.int64)), axis)
    numbers = np.float32 if x.dtype.itemsize < 8 or x.dtype.kind != "f" else np.float64
    matrix = constant(axis_weights(positions, x.shape[axis], scale, attrs).astype(numbers))
    last_axis = ops.moveaxis(cast(x, matrix.dtype), axis, -1)
    return ops.moveaxis(ops.matmul(last_axis, apply("transpose", matrix)), -1, axis)


def _scales(x: T, sizes: KnownValue, axes: Sequence[int], policy: str) -> tuple[list[float], list[int]]:
    """Scales and sizes for given sizes, of which the aspect ratio may keep only one."""
    targets = ints(sizes)
    scales = [size / max(x.shape[axis], 1) for axis, size in zip(axes, targets, strict=True)]
    if policy == "stretch":
        return scales, list(targets)
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [scale] * len(axes), [int(np.floor(scale * x.shape[axis] + 0.5)) for axis in axes]


# ---- sampling --------------------------------------------------------------------------------------


def roi_align(x: T, rois: T, batch: T, attrs: Attrs) -> T:
    """Pooled boxes of images, sampled bilinearly on a grid in every bin."""
    height, width = attrs.get("output_height", 1), attrs.get("output_width", 1)
    count, scale = attrs.get("sampling_ratio", 0), attrs.get("spatial_scale", 1.0)
    offset = 0.5 if attrs.get("coordinate_transformation_mode", "half_pixel") == "half_pixel" else 0.0
    if count <= 0:
        raise ModelError("a sampling ratio of 0 depends on the sizes of the boxes; export a positive sampling_ratio")
    check_count(height * width * count * count)
    begin, end = rois[:, :2] * scale - offset, rois[:, 2:] * scale - offset
    size = end - begin if offset else apply("maximum", end - begin, 1.0)
    positions = []
    for axis, bins in ((1, height), (0, width)):
        steps = constant(((np.arange(bins * count) + 0.5) / (bins * count)).astype(x.dtype.numpy))
        positions.append(begin[:, axis : axis + 1] + size[:, axis : axis + 1] * steps)
    shape = (rois.shape[0], height * count, width * count)
    ys, xs = apply("expand_dims", positions[0], axis=2), apply("expand_dims", positions[1], axis=1)
    ys, xs = apply("broadcast_to", ys, shape=shape), apply("broadcast_to", xs, shape=shape)
    images_of_boxes = apply("index", x, cast(batch, int64), key=((1,), ...))
    parts = _bilinear(images_of_boxes, ys, xs)
    split = (*parts.shape[:2], height, count, width, count)
    if attrs.get("mode", "avg") == "max":
        return apply(
            "max", apply("reshape", _bilinear(images_of_boxes, ys, xs, maximum=True), shape=split), axis=(3, 5)
        )
    return apply("mean", apply("reshape", parts, shape=split), axis=(3, 5))


def _bilinear(x: T, ys: T, xs: T, maximum: bool = False) -> T:
    """Images at positions; zero more than one pixel outside. ``maximum``: of the four products, not their sum."""
    sizes, valid = x.shape[2:], None
    corners, weights = [], []
    for position, n in ((ys, sizes[0]), (xs, sizes[1])):
        in_range = apply("logical_and", position >= -1, position <= n)
        valid = in_range if valid is None else apply("logical_and", valid, in_range)
        position = clip(position, 0.0, n - 1.0)
        low = apply("floor", position)
        corners.append((low, apply("minimum", low + 1, n - 1.0)))
        weights.append((1 - (position - low), position - low))
    terms = [
        pixels_at(x, [corners[0][i], corners[1][j]], "border", True)
        * apply("expand_dims", select(valid, weights[0][i] * weights[1][j], 0), axis=1)  # type: ignore[arg-type]
        for i in (0, 1) for j in (0, 1)
    ]  # fmt: skip
    if not maximum:
        return ops.addn(terms)
    return apply("max", apply("stack", *terms, axis=0), axis=0)


def non_max_suppression(
    boxes: KnownValue, scores: KnownValue, limit: KnownValue, iou: KnownValue, threshold: KnownValue, center: int
) -> T:
    """The boxes with the highest scores that do not overlap: rows (image, class, box)."""
    count, overlap = (
        (int(np.ravel(limit)[0]) if limit is not None else 0),
        float(np.ravel(iou)[0]) if iou is not None else 0,
    )
    min_score = -np.inf if threshold is None or not np.size(threshold) else float(np.ravel(threshold)[0])
    rows = []
    for image, kind in np.ndindex(*scores.shape[:2]):
        corners = _corners(boxes[image], center)
        order = [i for i in np.argsort(-scores[image, kind], kind="stable") if scores[image, kind, i] > min_score]
        selection = list[int]()
        for i in order:
            if len(selection) >= count:
                break
            if all(_intersection_over_union(corners[i], corners[j]) <= overlap for j in selection):
                selection.append(int(i))
        rows += [(image, kind, i) for i in selection]
    return constant(np.array(rows, np.int64).reshape(-1, 3))


def _corners(boxes: KnownValue, center: int) -> KnownValue:
    if center:
        x, y, w, h = boxes.T
        return np.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], 1)
    a, b = boxes[:, :2], boxes[:, 2:]
    return np.concatenate([np.minimum(a, b), np.maximum(a, b)], 1)


def _intersection_over_union(a: KnownValue, b: KnownValue) -> float:
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    common = float(np.prod(sides)) if (sides > 0).all() else 0.0
    areas = float(np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]))
    return common / (areas - common) if areas > common else 0.0


CONVERTERS: Converters = {
    "Upsample": lambda x, *, scales, mode="nearest": resize(x, None, scales, None, OPSET_10 | {"mode": mode}),
    "Upsample@9": Converter(
        lambda x, scales, *, mode="nearest": resize(x, None, scales, None, OPSET_10 | {"mode": mode}), known="scales"),
    "Resize": Converter(lambda x, scales, *, mode="nearest": resize(x, None, scales, None, OPSET_10 | {"mode": mode}),
                        known="scales"),
    "Resize@11": Converter(lambda x, roi=None, scales=None, sizes=None, **attrs: resize(x, roi, scales, sizes, attrs),
                           known="roi scales sizes"),
    "GridSample": lambda x, grid, *, align_corners=0, mode="linear", padding_mode="zeros": ops.grid_sample(
        x, grid, mode if mode == "nearest" else f"bi{mode.removeprefix('bi')}", padding_mode, bool(align_corners)),
    "RoiAlign": lambda x, rois, batch, **attrs: roi_align(
        x, rois, batch, {"coordinate_transformation_mode": "output_half_pixel"} | attrs),
    "RoiAlign@16": lambda x, rois, batch, **attrs: roi_align(x, rois, batch, attrs),
    "NonMaxSuppression": Converter(lambda boxes, scores, limit=None, iou=None, threshold=None, *, center_point_box=0:
        non_max_suppression(boxes, scores, limit, iou, threshold, center_point_box),
        known="boxes scores limit iou threshold"),
}  # fmt: skip
