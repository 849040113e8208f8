"""Max pooling with windows at random positions (Graham 2014, arXiv 1412.6071)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigraph.core.aliases import CallResult, IntOrTuple
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.ops.functional.arguments import per_axis
from minigraph.ops.functional.arithmetic import floor
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather_elements
from minigraph.ops.functional.random import rand
from minigraph.ops.functional.reduction import argmax
from minigraph.ops.functional.shapes import expand_dims, reshape

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]

Ratio = float | Sequence[float]  # of the output to the input: one for all axes, or one for each


def _window_starts(samples: Tensor, size: int, count: int, window: int) -> Tensor:
    """[N, C, count]: where windows begin along an axis: in steps of (size - window) / (count - 1), from a sample on."""
    last = size - window
    if count == 1:
        return cast(expand_dims(samples * 0, -1), int64) + last
    step = last / (count - 1)
    first = expand_dims(samples, -1)
    starts = cast(floor((arange(count) + first) * step), int64) - cast(floor(first * step), int64)
    is_last = cast(arange(count) == count - 1, int64)
    return starts * (1 - is_last) + is_last * last


def _pool(
    name: str, x: Tensor, kernel_size: IntOrTuple, output_size: IntOrTuple | None, output_ratio: Ratio | None,
    return_indices: bool, samples: Tensor | None,
) -> CallResult:  # fmt: skip
    axes = 2 if name.endswith("2d") else 3
    if x.ndim not in (axes + 1, axes + 2):
        raise ShapeError(f"{name}: needs an input of rank {axes + 1} or {axes + 2}, got shape {list(x.shape)}")
    if (output_size is None) == (output_ratio is None):
        raise ArgValueError(f"{name}: give either output_size or output_ratio")
    batch = x if x.ndim == axes + 2 else expand_dims(x, 0)
    sizes, windows = batch.shape[2:], per_axis(name, "kernel_size", kernel_size, axes)
    if output_size is not None:
        sizes_out = per_axis(name, "output_size", output_size, axes)
    else:
        ratios: Any = [output_ratio] * axes if isinstance(output_ratio, float) else output_ratio
        sizes_out = tuple(int(size * ratio) for size, ratio in zip(sizes, ratios, strict=True))
    samples = rand(*batch.shape[:2], axes) if samples is None else samples
    sample_order = (1, 0) if axes == 2 else (0, 1, 2)  # of images the first sample is that of the width
    position: Any = 0
    for axis in range(axes):  # positions in the flattened image: [N, C, outputs..., windows...]
        starts = _window_starts(samples[..., sample_order[axis]], sizes[axis], sizes_out[axis], windows[axis])
        starts_in_output = reshape(
            starts, (*batch.shape[:2], *(sizes_out[axis] if i == axis else 1 for i in range(axes)), *[1] * axes)
        )
        offset = reshape(arange(windows[axis]), tuple(windows[axis] if i == axis else 1 for i in range(axes)))
        position = position * sizes[axis] + starts_in_output + offset
    flat = reshape(position, (*batch.shape[:2], -1))
    values = reshape(gather_elements(reshape(batch, (*batch.shape[:2], -1)), 2, flat), (-1, math.prod(windows)))
    best = expand_dims(argmax(values, 1), 1)
    shape: Sequence[int] = (*x.shape[: x.ndim - axes], *sizes_out)
    result = reshape(gather_elements(values, 1, best), tuple(shape))
    if not return_indices:
        return result
    return result, reshape(gather_elements(reshape(flat, values.shape), 1, best), tuple(shape))


def fractional_max_pool2d(
    input: Tensor, kernel_size: IntOrTuple, output_size: IntOrTuple | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> CallResult:  # fmt: skip
    """The maxima of windows at random positions of images, to ``output_size`` or a share ``output_ratio`` of the size.

    ``return_indices``: also their positions in the flattened image. The samples are [N, C, 2], from [0, 1).

    >>> fractional_max_pool2d(arange(16.0).reshape(1, 1, 4, 4), 2, output_size=(2, 2)).shape
    (1, 1, 2, 2)
    """
    options = (kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return _pool("fractional_max_pool2d", input, *options)


def fractional_max_pool3d(
    input: Tensor, kernel_size: IntOrTuple, output_size: IntOrTuple | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> CallResult:  # fmt: skip
    """The maxima of windows at random positions of volumes; arguments as of ``fractional_max_pool2d``."""
    options = (kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return _pool("fractional_max_pool3d", input, *options)
