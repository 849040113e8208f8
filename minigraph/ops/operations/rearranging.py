"""Primitives that rearrange elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "BatchToSpaceND", "ChannelShuffle", "ConjugateTranspose", "DataFormatDimMap", "DataFormatVecPermute",
    "DepthToSpace", "InvertPermutation", "ReverseSequence", "ReverseV2", "Roll", "SpaceToBatchND", "SpaceToDepth",
]  # fmt: skip


def _space_to_depth(x: Tensor, *, block_size: int) -> Tensor:
    """Blocks of images [N,C,H,W] as channels, ordered by the position in the block."""
    count, channels, height, width = x.shape
    blocks = x.reshape(count, channels, height // block_size, block_size, width // block_size, block_size)
    return blocks.transpose((0, 3, 5, 1, 2, 4)).reshape(count, -1, height // block_size, width // block_size)


def _depth_to_space(x: Tensor, *, block_size: int) -> Tensor:
    """Channels as blocks of images [N,C,H,W]: the inverse of ``SpaceToDepth``."""
    count, channels, height, width = x.shape
    blocks = x.reshape(count, block_size, block_size, channels // block_size**2, height, width)
    return blocks.transpose((0, 3, 4, 1, 5, 2)).reshape(count, -1, height * block_size, width * block_size)


def _invert_permutation(input_x: tuple[int, ...]) -> tuple[int, ...]:
    """The inverse permutation."""
    return tuple(np.argsort(input_x).tolist())


ReverseV2, Roll = (
    primitive("ReverseV2", F.reverse, axis=REQUIRED),
    primitive("Roll", F.roll, shifts=REQUIRED, dims=None),
)
ReverseSequence = primitive("ReverseSequence", F.reverse_sequence, seq_dim=REQUIRED, batch_dim=0)
SpaceToDepth = primitive("SpaceToDepth", _space_to_depth, block_size=REQUIRED)
DepthToSpace = primitive("DepthToSpace", _depth_to_space, block_size=REQUIRED)
InvertPermutation = primitive("InvertPermutation", _invert_permutation)


def _space_to_batch(input_x: Tensor, *, block_shape: Any, paddings: Any) -> Tensor:
    """Blocks of the axes after the batch, moved to the batch axis."""
    return F.space_to_batch_nd(input_x, block_shape, paddings)


ChannelShuffle = primitive("ChannelShuffle", lambda x, group: F.channel_shuffle(x, group), group=REQUIRED)
SpaceToBatchND = primitive("SpaceToBatchND", _space_to_batch, block_shape=REQUIRED, paddings=REQUIRED)


def _batch_to_space(input_x: Tensor, *, block_shape: Any, crops: Any) -> Tensor:
    """The batch axis moved to blocks of the other axes: the inverse of ``SpaceToBatchND``."""
    return F.batch_to_space_nd(input_x, block_shape, crops)


def _conjugate_transpose(x: Tensor, perm: tuple[int, ...]) -> Tensor:
    """The axes in another order, conjugated."""
    return F.conj(F.transpose(x, perm))


def _map_axes(input_x: Tensor, *, src_format: str, dst_format: str) -> Tensor:
    """Which axis of one layout, such as "NHWC", is at a position in another one; negative ones count from the end."""
    return F.gather(Tensor([src_format.index(axis) for axis in dst_format], input_x.dtype), input_x % 4, 0)


def _permute_rows(input_x: Tensor, *, src_format: str, dst_format: str) -> Tensor:
    """A row per axis of one layout, such as "NHWC", in the order of another one."""
    return F.gather(input_x, Tensor([src_format.index(axis) for axis in dst_format]), 0)


BatchToSpaceND = primitive("BatchToSpaceND", _batch_to_space, block_shape=REQUIRED, crops=REQUIRED)
ConjugateTranspose = primitive("ConjugateTranspose", _conjugate_transpose)
DataFormatDimMap = primitive("DataFormatDimMap", _map_axes, src_format="NHWC", dst_format="NCHW")
DataFormatVecPermute = primitive("DataFormatVecPermute", _permute_rows, src_format="NHWC", dst_format="NCHW")
