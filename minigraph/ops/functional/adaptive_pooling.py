"""Adaptive pooling: the mean or maximum of windows whose bounds follow from the output size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from minigraph.core.aliases import CallResult
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.ops.functional.arithmetic import truncate_div
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import stack

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]  # fmt: skip


def _window_bounds(
    name: str, x: Tensor, rank: int, output_size: int | tuple[int | None, ...]
) -> list[list[tuple[int, int]]]:
    """Per axis, the [start, stop) of window i of m over n elements: floor(i n / m) and ceil((i + 1) n / m)."""
    if x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(f"{name}: needs an input of rank {rank + 1} or {rank + 2}, got shape {list(x.shape)}")
    sizes = tuple(output_size) if isinstance(output_size, Sequence) else (output_size,) * rank
    if len(sizes) != rank or not all(size is None or (isinstance(size, int) and size > 0) for size in sizes):
        raise ArgValueError(f"{name}: output_size must be a positive integer, or one (or None) per axis, got {sizes}")
    axes = zip(x.shape[-rank:], sizes, strict=True)
    return [[(i * n // m, -(-(i + 1) * n // m)) for i in range(m)] for n, m in ((n, m or n) for n, m in axes)]


def _pool_windows(x: Tensor, bounds: list[list[tuple[int, int]]], operator: str) -> Tensor:
    """Reduces the windows, axis by axis, with an operator: "mean", "sum" or "first_max"."""
    for axis, windows in enumerate(bounds, x.ndim - len(bounds)):
        leading = (slice(None),) * axis
        x = stack([apply(operator, x[(*leading, slice(*window))], axis=axis) for window in windows], axis)
    return x


def _average_windows(x: Tensor, bounds: list[list[tuple[int, int]]]) -> Tensor:
    """The means of the windows; those of integers are truncated once, not once for each axis."""
    if x.dtype.numpy.kind not in "iu":
        return _pool_windows(x, bounds, "mean")
    sizes = [np.array([stop - start for start, stop in windows]) for windows in bounds]
    counts = Tensor(np.prod(np.meshgrid(*sizes, indexing="ij"), axis=0))
    return cast(truncate_div(_pool_windows(x, bounds, "sum"), counts), x.dtype)


def adaptive_avg_pool1d(input: Tensor, output_size: int | tuple[int | None, ...]) -> Tensor:
    """Adaptive average pooling of sequences to ``output_size`` elements."""
    return _average_windows(input, _window_bounds("adaptive_avg_pool1d", input, 1, output_size))


def adaptive_avg_pool2d(input: Tensor, output_size: int | tuple[int | None, ...]) -> Tensor:
    """Adaptive average pooling of images to ``output_size`` pixels; ``None`` keeps the size of an axis.

    >>> from minigraph.ops import arange
    >>> print(adaptive_avg_pool2d(arange(8.0).reshape(1, 2, 4), (1, 2)))
    [[[2.5 4.5]]]
    """
    return _average_windows(input, _window_bounds("adaptive_avg_pool2d", input, 2, output_size))


def adaptive_avg_pool3d(input: Tensor, output_size: int | tuple[int | None, ...]) -> Tensor:
    """Adaptive average pooling of volumes to ``output_size`` elements; ``None`` keeps the size of an axis."""
    return _average_windows(input, _window_bounds("adaptive_avg_pool3d", input, 3, output_size))


def adaptive_max_pool1d(input: Tensor, output_size: int | tuple[int | None, ...]) -> Tensor:
    """Adaptive max pooling of sequences to ``output_size`` elements."""
    return _pool_windows(input, _window_bounds("adaptive_max_pool1d", input, 1, output_size), "first_max")


def adaptive_max_pool2d(
    input: Tensor, output_size: int | tuple[int | None, ...], return_indices: bool = False
) -> CallResult:
    """Adaptive max pooling of images to ``output_size`` pixels.

    With ``return_indices`` also the Int64 position of each maximum in its flattened image.
    """
    bounds = _window_bounds("adaptive_max_pool2d", input, 2, output_size)
    maxima = _pool_windows(input, bounds, "first_max")
    return (maxima, _max_positions(input, bounds)) if return_indices else maxima


def adaptive_max_pool3d(
    input: Tensor, output_size: int | tuple[int | None, ...], return_indices: bool = False
) -> CallResult:
    """Adaptive max pooling of volumes to ``output_size`` elements; with ``return_indices`` also Int32 positions."""
    bounds = _window_bounds("adaptive_max_pool3d", input, 3, output_size)
    maxima = _pool_windows(input, bounds, "first_max")
    return (maxima, _max_positions(input, bounds).astype(int32)) if return_indices else maxima


def _max_positions(x: Tensor, bounds: list[list[tuple[int, int]]]) -> Tensor:
    """The position of the maximum of each window in the flattened last axes."""
    lead, sizes = x.shape[: x.ndim - len(bounds)], x.shape[x.ndim - len(bounds) :]
    everywhere, positions = np.arange(math.prod(sizes)).reshape(sizes), []
    for window in product(*bounds):
        part = tuple(slice(*bounds) for bounds in window)
        best = x[(..., *part)].reshape(*lead, -1).argmax(-1)
        positions.append(Tensor(everywhere[part].reshape(-1))[best])
    return stack(positions, -1).reshape(*lead, *map(len, bounds))
