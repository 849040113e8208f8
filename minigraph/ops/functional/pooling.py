"""Pooling: the maximum, mean or norm of sliding windows over sequences, images and volumes [N, C, ...]."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import pool
from minigraph.ops.functional.arguments import cuts, per_axis
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.reduction import sum as total

__all__ = ["avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "max_pool2d", "max_pool3d"]


Sizes = tuple[int, ...]

# ---- windows ---------------------------------------------------------------------------------------


class _Windows(NamedTuple):
    """How windows of a kernel lie in a tensor, per axis."""

    kernel: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    sizes: Sizes
    ceil: bool

    @property
    def counts(self) -> Sizes:
        """How many windows there are; with ``ceil`` one more where it begins inside."""
        return tuple(self._count(*axis) for axis in zip(*self[:5], strict=True))

    def _count(self, kernel: int, stride: int, padding: int, dilation: int, size: int) -> int:
        free = size + 2 * padding - dilation * (kernel - 1) - 1
        if free < 0:
            raise ShapeError(f"a window of {dilation * (kernel - 1) + 1} does not fit in {size + 2 * padding} elements")
        count = free // stride + 1
        return count + (self.ceil and free % stride > 0 and count * stride < size + padding)

    def borders(self) -> list[tuple[int, int]]:
        """Elements to add before and after, so that all windows lie inside."""
        axes = zip(self.counts, *self[:5], strict=True)
        return [
            (padding, max((count - 1) * stride + dilation * (kernel - 1) + 1 - size - padding, 0))
            for count, kernel, stride, padding, dilation, size in axes
        ]

    def cells(self, x: Any) -> Any:
        """[N, C, windows..., places of the kernel]."""
        places = cuts(self.kernel, self.counts, self.stride, self.dilation)
        return stack([x[(..., *place)] for place in places], -1)

    def padded(self, x: Any, value: float) -> Any:
        """The tensor with its border."""
        widths = ((0, 0),) * (x.ndim - len(self.sizes)) + tuple(self.borders())
        return apply("pad", x, widths=widths, value=value) if any(map(any, widths)) else x


def _windows(
    name: str, x: Any, rank: int, kernel: Any, stride: Any, padding: Any = 0, dilation: Any = 1, ceil: bool = False
) -> _Windows:
    if x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(f"{name}: needs an input of rank {rank + 1} or {rank + 2}, got shape {list(x.shape)}")
    size = per_axis(name, "kernel_size", kernel, rank, 1)
    step = size if stride is None else per_axis(name, "stride", stride, rank, 1)
    gaps = per_axis(name, "dilation", dilation, rank, 1)
    return _Windows(size, step, per_axis(name, "padding", padding, rank), gaps, tuple(x.shape[-rank:]), ceil)


# ---- maxima ----------------------------------------------------------------------------------------


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window; ``stride=None`` sets windows side by side.

    ``dilation`` leaves gaps inside of windows, ``ceil_mode`` adds windows that stand out at the end. With
    ``return_indices`` also where in its image, counted through, each one stands, Int64.

    >>> from minigraph.ops import arange
    >>> print(max_pool2d(arange(16.0).reshape(1, 1, 4, 4), 2))
    [[[[ 5.  7.]
       [13. 15.]]]]
    """
    if x.ndim == 4 and dilation in (1, (1, 1)) and not return_indices and not ceil_mode:
        return apply(pool.MAX_POOL2D, x, kernel=kernel_size, stride=stride, padding=padding)
    return _largest("max_pool2d", x, 2, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def max_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of volumes; the rest as in ``max_pool2d``."""
    return _largest("max_pool3d", x, 3, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def _largest(
    name: str, x: Any, rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any, told: bool, ceil: bool
) -> Any:
    windows = _windows(name, x, rank, kernel, stride, padding, dilation, ceil)
    lowest = -np.inf if x.dtype.is_float else int(np.iinfo(x.dtype.numpy).min)
    cells = windows.cells(windows.padded(x, lowest))
    found = apply("first_max", cells, axis=-1)
    return (found, _positions(windows, cells.argmax(-1))) if told else found


def _positions(windows: _Windows, places: Any) -> Any:
    """Where in its image each element stands that stands at ``places`` of the kernels."""
    number: Any = 0
    rest = cast(places, int64)
    offsets = []
    for size in reversed(windows.kernel):
        offsets.append(rest % size)
        rest = rest // size
    axes = zip(reversed(offsets), windows.counts, *windows[1:5], strict=True)
    for axis, (offset, count, stride, padding, dilation, size) in enumerate(axes):
        starts = np.arange(count) * stride - padding
        spread = Tensor(starts.reshape((-1,) + (1,) * (len(windows.sizes) - axis - 1)))
        number = number * size + spread + offset * dilation
    return number


# ---- means and norms -------------------------------------------------------------------------------


def avg_pool1d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window of sequences; without ``count_include_pad`` the border of zeros does not count."""
    windows = _windows("avg_pool1d", input_x, 1, kernel_size, stride, padding, ceil=ceil_mode)
    return _mean(input_x, windows, count_include_pad, 0)


def avg_pool2d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Any:
    """The mean of each window of images, a border of zeros included unless ``count_include_pad`` is false.

    ``divisor_override`` is divided by instead of the number of elements, ``ceil_mode`` adds windows that stand out
    at the end.
    """
    if input_x.ndim == 4 and not ceil_mode and count_include_pad and not divisor_override:
        return apply(pool.AVG_POOL2D, input_x, kernel=kernel_size, stride=stride, padding=padding)
    windows = _windows("avg_pool2d", input_x, 2, kernel_size, stride, padding, ceil=ceil_mode)
    return _mean(input_x, windows, count_include_pad, divisor_override)


def avg_pool3d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Any:
    """The mean of each window of volumes; the rest as in ``avg_pool2d``."""
    windows = _windows("avg_pool3d", input_x, 3, kernel_size, stride, padding, ceil=ceil_mode)
    return _mean(input_x, windows, count_include_pad, divisor_override)


def _mean(x: Any, windows: _Windows, with_border: bool, divisor: int) -> Any:
    added = total(windows.cells(windows.padded(x, 0.0)), -1)
    if divisor:
        return added / divisor
    border = np.pad(np.ones(windows.sizes), [(pad, pad) for pad in windows.padding], constant_values=with_border)
    more = [(0, max(after - pad, 0)) for (_, after), pad in zip(windows.borders(), windows.padding, strict=True)]
    counted = Tensor(np.pad(border, more).astype(np.float32))
    return added / cast(total(windows.cells(counted), -1), x.dtype)


def lp_pool1d(x: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """The norm of each window of sequences: the ``norm_type``-th root of the sum of powers."""
    return _norm(x, norm_type, _windows("lp_pool1d", x, 1, kernel_size, stride, ceil=ceil_mode))


def lp_pool2d(x: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """The norm of each window of images: the ``norm_type``-th root of the sum of powers."""
    return _norm(x, norm_type, _windows("lp_pool2d", x, 2, kernel_size, stride, ceil=ceil_mode))


def _norm(x: Any, power: float, windows: _Windows) -> Any:
    return total(windows.cells(windows.padded(x, 0.0)) ** power, -1) ** (1 / power)
