"""``mindspore.mint.nn``: layers and losses under PyTorch's argument names and defaults.

>>> import minigraph as ms
>>> ms.mint.nn.Conv2d(3, 4, kernel_size=3, padding=1)(ms.ops.ones((1, 3, 8, 8))).shape
(1, 4, 8, 8)
"""

from minigraph.mint.nn import functional, layer_table
from minigraph.mint.nn.layer_table import *  # noqa: F403 - the names of its ``__all__``
from minigraph.mint.nn.layer_table import nn_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.mint.nn.layers import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Conv1d,
    Conv2d,
    Conv3d,
    Dropout,
    Dropout2d,
    Embedding,
    LayerNorm,
    Linear,
    SyncBatchNorm,
)

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Conv1d", "Conv2d", "Conv3d", "Dropout", "Dropout2d", "Embedding",
    "LayerNorm", "Linear", "SyncBatchNorm", "functional",
]  # fmt: skip
__all__ = [*__all__, *layer_table.__all__]  # noqa: PLE0604 - strings
