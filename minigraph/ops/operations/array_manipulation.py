"""Primitives that change shapes, permute axes, join, split, pad and rearrange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import IntOrTuple
from minigraph.core.tensor import Tensor
from minigraph.operators import joining, views
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "BroadcastTo", "ChannelShuffle", "Col2Im", "Concat", "DepthToSpace", "Expand", "ExpandDims", "Flatten",
    "IdentityN", "InvertPermutation", "MirrorPad", "Pack", "Pad", "Padding", "Rank", "Reshape", "ReverseSequence",
    "ReverseV2", "Roll", "Shape", "Size", "SpaceToBatchND", "SpaceToDepth", "Split", "Squeeze", "Stack",
    "TensorShape", "Tile", "Transpose", "Unpack", "UnravelIndex", "Unstack",
]  # fmt: skip


# ---- shapes and axes -------------------------------------------------------------------------------


Shape, TensorShape = primitive("Shape", F.shape), primitive("TensorShape", F.dyn_shape)
Size, Rank = primitive("Size", F.size), primitive("Rank", F.rank)
Reshape, Flatten = primitive("Reshape", F.reshape, views.RESHAPE), primitive("Flatten", F.flatten)
Transpose = primitive("Transpose", F.transpose, views.TRANSPOSE)
ExpandDims = primitive("ExpandDims", F.expand_dims, views.EXPAND_DIMS)
Squeeze = primitive("Squeeze", F.squeeze, views.SQUEEZE, axis=None)
BroadcastTo = primitive("BroadcastTo", F.broadcast_to, views.BROADCAST_TO, shape=())
Tile = primitive("Tile", F.tile)

# ---- joining and splitting -------------------------------------------------------------------------


def _split(input_x: Tensor, *, axis: int, output_num: int) -> tuple[Tensor, ...]:
    """``output_num`` chunks of one size along an axis."""
    return F.tensor_split(input_x, output_num, axis)


def _unstack(input_x: Tensor, *, axis: int, num: int | None = None) -> tuple[Tensor, ...]:
    """The slices along an axis, without it."""
    return F.unstack(input_x, axis)


Concat = primitive("Concat", F.concat, joining.CONCAT, axis=0)
Stack, Pack = primitive("Stack", F.stack, joining.STACK, axis=0), primitive("Pack", F.stack, axis=0)
Split = primitive("Split", _split, axis=0, output_num=1)
Unpack, Unstack = primitive("Unpack", _unstack, axis=0), primitive("Unstack", _unstack, axis=0, num=None)

# ---- padding ---------------------------------------------------------------------------------------


def _pad(x: Tensor, *, paddings: Sequence[Sequence[int]]) -> Tensor:
    """Padding with zeros: (before, after) for each axis."""
    return F.pad(x, tuple(width for pair in reversed(tuple(paddings)) for width in pair))


Pad, Padding = primitive("Pad", _pad, paddings=REQUIRED), primitive("Padding", F.padding, pad_dim_size=8)
MirrorPad = primitive("MirrorPad", F.mirror_pad, mode="REFLECT")

# ---- rearranging -----------------------------------------------------------------------------------


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


def _col2im(
    x: Tensor,
    output_size: Tensor,
    *,
    kernel_size: IntOrTuple,
    dilation: IntOrTuple,
    padding: IntOrTuple,
    stride: IntOrTuple,
) -> Tensor:
    """The sum of windows [N, C, kh kw, windows] in images."""
    rows = F.reshape(x, (x.shape[0], -1, x.shape[-1]))
    return F.fold(rows, tuple(output_size.tolist()), kernel_size, dilation, padding, stride)


def _identities(x: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The tensors of a tuple."""
    return tuple(map(F.identity, x))


def _unravel_index(indices: Tensor, dims: Tensor) -> Tensor:
    """[axes, N]: the positions of flat indices in a tensor of shape ``dims``."""
    columns, rest = [], indices
    for size in reversed(dims.tolist()):
        columns.append(F.floor_mod(rest, size))
        rest = F.floor_div(rest, size)
    return F.stack(columns[::-1], 0)


Expand = primitive("Expand", F.expand)
ChannelShuffle = primitive("ChannelShuffle", lambda x, group: F.channel_shuffle(x, group), group=REQUIRED)
SpaceToBatchND = primitive("SpaceToBatchND", _space_to_batch, block_shape=REQUIRED, paddings=REQUIRED)
Col2Im = primitive("Col2Im", _col2im, kernel_size=REQUIRED, dilation=1, padding=0, stride=1)
IdentityN = primitive("IdentityN", _identities)
UnravelIndex = primitive("UnravelIndex", _unravel_index)
