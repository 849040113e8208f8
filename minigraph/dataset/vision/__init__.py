"""Operations for ``map`` on images [H, W, C] or [H, W]."""

from minigraph.core.missing_names import vision_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.dataset.vision import augmentation_policies, boxes, color, crops, files, mixing, random_operations, warps
from minigraph.dataset.vision.augmentation_policies import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.vision.boxes import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.vision.color import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.vision.conversion import HWC2CHW, Normalize, Rescale, ToTensor
from minigraph.dataset.vision.crops import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.vision.files import *  # noqa: F403 - the names of its ``__all__``
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
from minigraph.dataset.vision.mixing import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.vision.random_operations import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.vision.resize import Inter, Resize
from minigraph.dataset.vision.warps import *  # noqa: F403 - the names of its ``__all__``

__all__ = [  # noqa: PLE0604 - strings
    "HWC2CHW", "Border", "CenterCrop", "HorizontalFlip", "Inter", "Normalize", "Pad", "RandomCrop",
    "RandomHorizontalFlip", "RandomVerticalFlip", "Rescale", "Resize", "ToTensor", "VerticalFlip",
    *augmentation_policies.__all__, *boxes.__all__, *color.__all__, *crops.__all__, *files.__all__, *mixing.__all__,
    *random_operations.__all__, *warps.__all__,
]  # fmt: skip
