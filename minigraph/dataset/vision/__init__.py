"""Operations for ``map`` on images [H, W, C] or [H, W]."""

from minigraph.core.missing_names import vision_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.dataset.vision.conversion import HWC2CHW, Normalize, Rescale, ToTensor
from minigraph.dataset.vision.geometry import (
    Border,
    CenterCrop,
    HorizontalFlip,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomVerticalFlip,
    VerticalFlip,
)
from minigraph.dataset.vision.resize import Inter, Resize

__all__ = [
    "HWC2CHW", "Border", "CenterCrop", "HorizontalFlip", "Inter", "Normalize", "Pad", "RandomCrop",
    "RandomHorizontalFlip", "RandomVerticalFlip", "Rescale", "Resize", "ToTensor", "VerticalFlip",
]  # fmt: skip
