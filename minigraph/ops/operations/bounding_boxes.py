"""Primitives of bounding boxes."""

from __future__ import annotations

from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "IOU", "BoundingBoxDecode", "BoundingBoxEncode", "CheckValid", "CropAndResize", "ExtractGlimpse", "NMSWithMask",
    "ROIAlign",
]  # fmt: skip

IOU = primitive("IOU", F.iou, mode="iou")
BoundingBoxEncode = primitive("BoundingBoxEncode", F.bounding_box_encode, means=(0.0,) * 4, stds=(1.0,) * 4)
BoundingBoxDecode = primitive(
    "BoundingBoxDecode", F.bounding_box_decode,
    max_shape=REQUIRED, means=(0.0,) * 4, stds=(1.0,) * 4, wh_ratio_clip=0.016,
)  # fmt: skip
NMSWithMask = primitive("NMSWithMask", F.nms_with_mask, iou_threshold=0.5)
CropAndResize = primitive("CropAndResize", F.crop_and_resize, method="bilinear", extrapolation_value=0.0)


def _check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor:
    """Whether each box [N, 4], x1, y1, x2, y2, of pixels is in a picture of (height, width, ratio), scaled by ratio."""
    last_x, last_y = img_metas[1] * img_metas[2] - 1, img_metas[0] * img_metas[2] - 1
    return (bboxes[:, :2] >= 0).all(1) & (bboxes[:, 2] <= last_x) & (bboxes[:, 3] <= last_y)


CheckValid = primitive("CheckValid", _check_valid)


def _roi_align(
    features: Tensor, rois: Tensor, *,
    pooled_height: int, pooled_width: int, spatial_scale: float, sample_num: int, roi_end_mode: int,
) -> Tensor:  # fmt: skip
    """[R, C, pooled_height, pooled_width]: means of samples of features [N, C, H, W] in regions (He et al. 2017).

    Regions [R, 5] are the index of a picture and x1, y1, x2, y2, times ``spatial_scale``; with ``roi_end_mode`` 1 a
    corner is a pixel, so that x2 and y2 are one more. Each of the bins of a region has ``sample_num`` samples per axis,
    with 0 one per whole pixel, at least one. Regions have no gradient.
    """
    if features.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 5:
        raise ShapeError(f"ROIAlign: needs features [N, C, H, W] and rois [R, 5], got {features.type} and {rois.type}")
    if roi_end_mode not in (0, 1):
        raise ArgValueError(f"For 'ROIAlign', the 'roi_end_mode' must be in range of [0, 1], but got {roi_end_mode}.")
    regions = F.stop_gradient(F.cast(rois, float32))
    corners = (regions[:, 1:] + Tensor([0.0, 0.0, 1.0, 1.0]) * roi_end_mode) * spatial_scale
    sizes = corners[:, 2:] - corners[:, :2]
    sizes = sizes if roi_end_mode else F.maximum(sizes, 1.0)
    columns, rows = (
        _sample_weights(corners[:, axis], sizes[:, axis] / bins, bins, features.shape[3 - axis], sample_num)
        for axis, bins in enumerate((pooled_width, pooled_height))
    )
    pictures = F.cast(F.gather(features, F.cast(regions[:, 0], int32), 0), float32)
    means = F.matmul(F.matmul(rows.expand_dims(1), pictures), columns.swapaxes(1, 2).expand_dims(1))
    return F.cast(means, features.dtype)


def _sample_weights(start: Tensor, bin_size: Tensor, bins: int, length: int, sample_num: int) -> Tensor:
    """f32[R, bins, length]: the mean of each bin's samples along one axis as weights of pixels, linearly interpolated.

    Samples are at (k + 1/2) bin_size / n, k = 0, ..., n - 1, of a bin. Those below -1 or above the length are 0, which
    bounds the number that matters where n depends on the region: these are at least a pixel apart.
    """
    count = F.full_like(bin_size, sample_num) if sample_num else F.maximum(F.trunc(bin_size), 1.0)
    origin = (start.expand_dims(1) + F.arange(bins) * bin_size.expand_dims(1)).expand_dims(-1)
    step = (bin_size / count).reshape(-1, 1, 1)
    first = 0.0 if sample_num else F.maximum(F.floor((-1.0 - origin) / step - 0.5), 0.0)
    k = first + F.arange(sample_num or length + 3)
    points = origin + (k + 0.5) * step
    is_inside = (k < count.reshape(-1, 1, 1)) & (points >= -1.0) & (points <= length)
    points = F.clamp(points, 0.0, length - 1.0).expand_dims(-1)
    near = F.maximum(1.0 - F.abs(points - F.arange(length)), 0.0)
    return F.where(is_inside.expand_dims(-1), near, 0.0).sum(2) / count.reshape(-1, 1, 1)


ROIAlign = primitive(
    "ROIAlign", _roi_align,
    pooled_height=REQUIRED, pooled_width=REQUIRED, spatial_scale=REQUIRED, sample_num=2, roi_end_mode=1,
)  # fmt: skip


def _extract_glimpse(
    x: Tensor, size: Tensor, offsets: Tensor, *, centered: bool, normalized: bool, uniform_noise: bool, noise: str
) -> Tensor:
    """[N, h, w, C]: a window of each image [N, H, W, C]; beyond the edge is noise, "uniform", "gaussian" or "zero".

    The middle of a window is at the offsets (y, x) from the first pixel, or if ``centered`` from the middle of the
    image in half sizes; ``normalized`` offsets are in sizes of the image.
    """
    if x.ndim != 4 or noise not in ("uniform", "gaussian", "zero"):
        raise ArgValueError(f"ExtractGlimpse: needs images [N,H,W,C] and a kind of noise, got {x.type} and {noise!r}")
    pixels, inside = x, []
    for axis, window in enumerate(size.tolist()):
        length = x.shape[axis + 1]
        middle = offsets[:, axis] * (length if normalized else 1)
        middle = (middle + length) / 2 if centered else middle
        rows = F.cast(F.trunc(middle - window / 2), int32).expand_dims(1) + F.arange(window)
        inside.append((rows >= 0) & (rows < length))
        shape = (-1, window, 1, 1) if axis == 0 else (-1, 1, window, 1)
        index = F.clip(rows, 0, length - 1).reshape(shape)
        sizes = (x.shape[0], *(window if i == axis + 1 else n for i, n in enumerate(pixels.shape) if i))
        pixels = F.gather_elements(pixels, axis + 1, F.broadcast_to(index, sizes))
    beyond: Tensor | float = 0.0
    if uniform_noise or noise != "zero":
        beyond = (F.rand_like if uniform_noise or noise == "uniform" else F.randn_like)(pixels)
    return F.where(inside[0].reshape(x.shape[0], -1, 1, 1) & inside[1].reshape(x.shape[0], 1, -1, 1), pixels, beyond)


ExtractGlimpse = primitive(
    "ExtractGlimpse", _extract_glimpse, centered=True, normalized=True, uniform_noise=True, noise="uniform"
)  # fmt: skip
