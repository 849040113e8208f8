"""Pooling: the maximum, mean or norm of sliding windows over sequences, images and volumes [N, C, ...]."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigraph.core.aliases import CallResult, IntOrTuple
from minigraph.core.errors import ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import pooling
from minigraph.ops.functional.arguments import per_axis, window_slices
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.reduction import sum as total

__all__ = ["avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "max_pool2d", "max_pool3d"]


Sizes = tuple[int, ...]

# ---- windows ---------------------------------------------------------------------------------------


class Windows(NamedTuple):
    """The geometry of sliding windows, per axis."""

    kernel: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    sizes: Sizes
    ceil: bool

    @property
    def counts(self) -> Sizes:
        """The number of windows; ``ceil`` adds one that begins inside."""
        return tuple(self._count(*axis) for axis in zip(*self[:5], strict=True))

    def _count(self, kernel: int, stride: int, padding: int, dilation: int, size: int) -> int:
        free = size + 2 * padding - dilation * (kernel - 1) - 1
        if free < 0:
            raise ShapeError(f"a window of {dilation * (kernel - 1) + 1} does not fit in {size + 2 * padding} elements")
        count = free // stride + 1
        return count + (self.ceil and free % stride > 0 and count * stride < size + padding)

    def pad_widths(self) -> list[tuple[int, int]]:
        """The padding (before, after) that makes all windows fit."""
        axes = zip(self.counts, *self[:5], strict=True)
        return [
            (padding, max((count - 1) * stride + dilation * (kernel - 1) + 1 - size - padding, 0))
            for count, kernel, stride, padding, dilation, size in axes
        ]

    def elements(self, x: Tensor) -> Tensor:
        """The elements of all windows: [N, C, windows..., kernel positions]."""
        positions = window_slices(self.kernel, self.counts, self.stride, self.dilation)
        return stack([x[(..., *position)] for position in positions], -1)

    def pad(self, x: Tensor, value: float) -> Tensor:
        """The tensor with its padding."""
        widths = ((0, 0),) * (x.ndim - len(self.sizes)) + tuple(self.pad_widths())
        return apply("pad", x, widths=widths, value=value) if any(map(any, widths)) else x


def _windows(
    name: str, x: Tensor, rank: int, kernel: IntOrTuple, stride: IntOrTuple | None, padding: IntOrTuple = 0,
    dilation: IntOrTuple = 1, ceil: bool = False,
) -> Windows:  # fmt: skip
    if x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(f"{name}: needs an input of rank {rank + 1} or {rank + 2}, got shape {list(x.shape)}")
    size = per_axis(name, "kernel_size", kernel, rank, 1)
    step = size if stride is None else per_axis(name, "stride", stride, rank, 1)
    gaps = per_axis(name, "dilation", dilation, rank, 1)
    return Windows(size, step, per_axis(name, "padding", padding, rank), gaps, tuple(x.shape[-rank:]), ceil)


# ---- maxima ----------------------------------------------------------------------------------------


def max_pool2d(
    x: Tensor,
    kernel_size: IntOrTuple,
    stride: IntOrTuple | None = None,
    padding: IntOrTuple = 0,
    dilation: IntOrTuple = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> CallResult:
    """The maximum of each window; by default (``stride=None``) windows do not overlap.

    ``dilation`` is the distance of the elements of a window; ``ceil_mode`` adds windows that extend beyond the end.
    With ``return_indices`` also the Int64 position of each maximum in its flattened image.

    >>> from minigraph.ops import arange
    >>> print(max_pool2d(arange(16.0).reshape(1, 1, 4, 4), 2))
    [[[[ 5.  7.]
       [13. 15.]]]]
    """
    if x.ndim == 4 and dilation in (1, (1, 1)) and not return_indices and not ceil_mode:
        return apply(pooling.MAX_POOL2D, x, kernel=kernel_size, stride=stride, padding=padding)
    return _max_pool("max_pool2d", x, 2, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def max_pool3d(
    x: Tensor,
    kernel_size: IntOrTuple,
    stride: IntOrTuple | None = None,
    padding: IntOrTuple = 0,
    dilation: IntOrTuple = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> CallResult:
    """The maximum of each window of volumes; the other arguments as in ``max_pool2d``."""
    return _max_pool("max_pool3d", x, 3, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def _max_pool(
    name: str, x: Tensor, rank: int, kernel: IntOrTuple, stride: IntOrTuple | None, padding: IntOrTuple,
    dilation: IntOrTuple, indices: bool, ceil: bool,
) -> CallResult:  # fmt: skip
    windows = _windows(name, x, rank, kernel, stride, padding, dilation, ceil)
    lowest = -np.inf if x.dtype.is_float else int(np.iinfo(x.dtype.numpy).min)
    elements = windows.elements(windows.pad(x, lowest))
    maxima = apply("first_max", elements, axis=-1)
    return (maxima, _positions(windows, elements.argmax(-1))) if indices else maxima


def _positions(windows: Windows, kernel_positions: Tensor) -> Tensor:
    """The positions in the flattened image of the elements at the given positions in their kernels."""
    positions: Any = 0
    remainder = cast(kernel_positions, int64)
    offsets = []
    for size in reversed(windows.kernel):
        offsets.append(remainder % size)
        remainder = remainder // size
    axes = zip(reversed(offsets), windows.counts, *windows[1:5], strict=True)
    for axis, (offset, count, stride, padding, dilation, size) in enumerate(axes):
        starts = np.arange(count) * stride - padding
        start = Tensor(starts.reshape((-1,) + (1,) * (len(windows.sizes) - axis - 1)))
        positions = positions * size + start + offset * dilation
    return positions


# ---- means and norms -------------------------------------------------------------------------------


def avg_pool1d(
    input_x: Tensor,
    kernel_size: IntOrTuple = 1,
    stride: IntOrTuple = 1,
    padding: IntOrTuple = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of sequences; without ``count_include_pad`` padding does not count."""
    windows = _windows("avg_pool1d", input_x, 1, kernel_size, stride, padding, ceil=ceil_mode)
    return _avg_pool(input_x, windows, count_include_pad, 0)


def avg_pool2d(
    input_x: Tensor,
    kernel_size: IntOrTuple = 1,
    stride: IntOrTuple = 1,
    padding: IntOrTuple = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window of images; without ``count_include_pad`` padding does not count.

    ``divisor_override`` replaces the number of elements as the divisor; ``ceil_mode`` adds windows that extend beyond
    the end.
    """
    if input_x.ndim == 4 and not ceil_mode and count_include_pad and not divisor_override:
        return apply(pooling.AVG_POOL2D, input_x, kernel=kernel_size, stride=stride, padding=padding)
    windows = _windows("avg_pool2d", input_x, 2, kernel_size, stride, padding, ceil=ceil_mode)
    return _avg_pool(input_x, windows, count_include_pad, divisor_override)


def avg_pool3d(
    input_x: Tensor,
    kernel_size: IntOrTuple = 1,
    stride: IntOrTuple = 1,
    padding: IntOrTuple = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window of volumes; the other arguments as in ``avg_pool2d``."""
    windows = _windows("avg_pool3d", input_x, 3, kernel_size, stride, padding, ceil=ceil_mode)
    return _avg_pool(input_x, windows, count_include_pad, divisor_override)


def _avg_pool(x: Tensor, windows: Windows, count_padding: bool, divisor: int) -> Tensor:
    sums = total(windows.elements(windows.pad(x, 0.0)), -1)
    if divisor:
        return sums / divisor
    mask = np.pad(np.ones(windows.sizes), [(pad, pad) for pad in windows.padding], constant_values=count_padding)
    extra = [(0, max(after - pad, 0)) for (_, after), pad in zip(windows.pad_widths(), windows.padding, strict=True)]
    counts = Tensor(np.pad(mask, extra).astype(np.float32))
    return sums / cast(total(windows.elements(counts), -1), x.dtype)


def lp_pool1d(
    x: Tensor, norm_type: float, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of order ``norm_type`` of each window of sequences, without absolute values."""
    return _lp_pool(x, norm_type, _windows("lp_pool1d", x, 1, kernel_size, stride, ceil=ceil_mode))


def lp_pool2d(
    x: Tensor, norm_type: float, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of order ``norm_type`` of each window of images, without absolute values."""
    return _lp_pool(x, norm_type, _windows("lp_pool2d", x, 2, kernel_size, stride, ceil=ceil_mode))


def _lp_pool(x: Tensor, power: float, windows: Windows) -> Tensor:
    return total(windows.elements(windows.pad(x, 0.0)) ** power, -1) ** (1 / power)
