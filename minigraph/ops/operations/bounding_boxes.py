"""Primitives of bounding boxes."""

from __future__ import annotations

from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["IOU", "BoundingBoxDecode", "BoundingBoxEncode", "CropAndResize", "NMSWithMask"]

IOU = primitive("IOU", F.iou, mode="iou")
BoundingBoxEncode = primitive("BoundingBoxEncode", F.bounding_box_encode, means=(0.0,) * 4, stds=(1.0,) * 4)
BoundingBoxDecode = primitive(
    "BoundingBoxDecode", F.bounding_box_decode,
    max_shape=REQUIRED, means=(0.0,) * 4, stds=(1.0,) * 4, wh_ratio_clip=0.016,
)  # fmt: skip
NMSWithMask = primitive("NMSWithMask", F.nms_with_mask, iou_threshold=0.5)
CropAndResize = primitive("CropAndResize", F.crop_and_resize, method="bilinear", extrapolation_value=0.0)
