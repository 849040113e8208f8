"""The inverses of pooling and of windows: elements put back at their positions, overlapping windows added."""

from __future__ import annotations

import math
from collections.abc import Sequence

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.ops.functional.arguments import per_axis
from minigraph.ops.functional.convolution import add_bias, conv3d, same_padding
from minigraph.ops.functional.creation import zeros
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import concat
from minigraph.ops.functional.rearranging import flip
from minigraph.ops.functional.scattering import tensor_scatter_elements
from minigraph.ops.functional.shapes import reshape

__all__ = ["conv3d_transpose", "max_unpool1d", "max_unpool2d", "max_unpool3d"]

# ---- pooling ---------------------------------------------------------------------------------------


def max_unpool1d(
    x: Tensor, indices: Tensor, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, padding: IntOrTuple = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """The maxima of ``max_pool1d`` at their positions in sequences [N,C,L] or [C,L] of zeros.

    ``indices`` are positions in the result, which has (size - 1) stride - 2 padding + kernel elements, or
    ``output_size``. Raises ``ShapeError`` for other ranks, and if the shapes of x and indices differ.

    >>> print(max_unpool1d(Tensor([[6.0, 8.0]]), Tensor([[1, 3]]), 2))
    [[0. 6. 0. 8.]]
    """
    return _unpool("max_unpool1d", 1, x, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    x: Tensor, indices: Tensor, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, padding: IntOrTuple = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """``max_unpool1d`` for images [N,C,H,W] or [C,H,W]; indices are positions in the flattened channel."""
    return _unpool("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    x: Tensor, indices: Tensor, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, padding: IntOrTuple = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """``max_unpool1d`` for volumes [N,C,D,H,W] or [C,D,H,W]."""
    return _unpool("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)


def _unpool(
    name: str, rank: int, x: Tensor, indices: Tensor, kernel: IntOrTuple, stride: IntOrTuple | None,
    padding: IntOrTuple, output_size: Sequence[int] | None,
) -> Tensor:  # fmt: skip
    if x.ndim not in (rank + 1, rank + 2) or x.shape != indices.shape:
        raise ShapeError(f"{name}: needs x and indices of one shape and rank {rank + 2}, got {x.type}, {indices.type}")
    sizes = per_axis(name, "kernel_size", kernel, rank)
    strides = sizes if stride is None or stride == 0 else per_axis(name, "stride", stride, rank)
    pads = per_axis(name, "padding", padding, rank)
    axes = zip(x.shape[-rank:], sizes, strides, pads, strict=True)
    shape = tuple(output_size)[-rank:] if output_size else tuple((n - 1) * s - 2 * p + k for n, k, s, p in axes)
    lead = x.shape[:-rank]
    flat, positions = reshape(x, (*lead, -1)), cast(reshape(indices, (*lead, -1)), int64)
    empty = zeros((*lead, math.prod(shape)), x.dtype)
    return reshape(tensor_scatter_elements(empty, positions, flat, len(lead)), (*lead, *shape))


# ---- convolution -----------------------------------------------------------------------------------


def conv3d_transpose(
    inputs: Tensor, weight: Tensor, pad_mode: str = "valid", padding: IntOrTuple = 0, stride: IntOrTuple = 1,
    dilation: IntOrTuple = 1, group: int = 1, output_padding: IntOrTuple = 0, bias: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The transposed convolution of volumes [N,C,D,H,W] with weights [C,O/group,kd,kh,kw].

    It is ``conv3d`` with the mirrored kernel over elements that are ``stride`` apart. With extent = dilation
    (kernel - 1) + 1, an axis of the result has by ``pad_mode``

    - "same": size stride elements;
    - "valid": size stride + max(extent - stride, 0);
    - "pad": (size - 1) stride + extent - padding + ``output_padding``.

    Raises ``UsageError`` for another mode, ``ShapeError`` for another rank.

    >>> from minigraph.ops import ones
    >>> print(conv3d_transpose(ones((1, 1, 1, 1, 2)), ones((1, 1, 1, 1, 2)), stride=(1, 1, 2)))
    [[[[[1. 1. 1. 1.]]]]]
    """
    name = "conv3d_transpose"
    if inputs.ndim != 5 or weight.ndim != 5:
        raise ShapeError(f"{name}: needs volumes [N,C,D,H,W] and weights [C,O,kd,kh,kw], got {inputs.type}")
    if pad_mode not in ("valid", "same", "pad"):
        raise UsageError(f"{name}: pad_mode is 'valid', 'same' or 'pad', got {pad_mode!r}")
    strides, dilations = per_axis(name, "stride", stride, 3), per_axis(name, "dilation", dilation, 3)
    output_pads = per_axis(name, "output_padding", output_padding, 3)
    x = inputs
    crops = [_crop(pad_mode, padding, axis, *sizes) for axis, sizes in enumerate(
        zip(inputs.shape[2:], weight.shape[2:], strides, dilations, strict=True))]  # fmt: skip
    for axis, axis_stride in enumerate(strides, 2):
        x = _insert_zeros(x, axis, axis_stride)
    for axis, (kernel, dilated_by, output_pad, (before, after)) in enumerate(
        zip(weight.shape[2:], dilations, output_pads, crops, strict=True), 2
    ):
        reach = dilated_by * (kernel - 1)
        if x.shape[axis] + reach - before - after + output_pad < 1:
            raise ShapeError(f"{name}: the padding removes all elements of an axis of {inputs.type}; pad less")
        x = _pad_axis(x, axis, reach - before, reach - after + output_pad)
    mirrored = _swap_channels(flip(weight, (2, 3, 4)), group)
    return add_bias(conv3d(x, mirrored, None, 1, "valid", 0, dilations, group), bias)


def _crop(
    mode: str, padding: IntOrTuple, axis: int, size: int, kernel: int, stride: int, dilation: int
) -> tuple[int, int]:
    """The elements (before, after) that padding removes from the result along an axis; zeros follow where negative."""
    if mode == "valid":
        return 0, min(dilation * (kernel - 1) + 1 - stride, 0)
    if mode == "same":
        return same_padding(size * stride, kernel, stride, dilation)
    pads = (padding,) * 3 if isinstance(padding, int) else tuple(padding)
    return (pads[axis], pads[axis]) if len(pads) == 3 else (pads[2 * axis], pads[2 * axis + 1])


def _insert_zeros(x: Tensor, axis: int, step: int) -> Tensor:
    """The elements of an axis ``step`` apart, zeros between them."""
    if step == 1:
        return x
    expanded = apply("expand_dims", x, axis=axis + 1)
    widths = tuple((0, (step - 1) * (dimension == axis + 1)) for dimension in range(expanded.ndim))
    padded = apply("pad", expanded, widths=widths)
    padded = reshape(padded, (*x.shape[:axis], x.shape[axis] * step, *x.shape[axis + 1 :]))
    return padded[(slice(None),) * axis + (slice(0, (x.shape[axis] - 1) * step + 1),)]


def _pad_axis(x: Tensor, axis: int, before: int, after: int) -> Tensor:
    """An axis padded with zeros; negative widths remove elements."""
    x = x[(slice(None),) * axis + (slice(max(-before, 0), x.shape[axis] - max(-after, 0)),)]
    return apply("pad", x, widths=tuple((max(before, 0) * (i == axis), max(after, 0) * (i == axis)) for i in range(5)))


def _swap_channels(weight: Tensor, group: int) -> Tensor:
    """Weights [C,O/group,...] as [O,C/group,...]."""
    parts = [weight[i * (weight.shape[0] // group) : (i + 1) * (weight.shape[0] // group)] for i in range(group)]
    return concat([part.transpose((1, 0, 2, 3, 4)) for part in parts], 0)
