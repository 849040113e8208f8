"""Histograms, counts and bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import ArrayLike, TensorLike
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.numpy.conversion import as_tensor
from minigraph.numpy.creation import linspace
from minigraph.numpy.indexing import searchsorted

__all__ = ["bincount", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def bincount(x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """The number of occurrences of 0, 1, 2, ... in a vector, or the sum of their weights, Float32.

    >>> print(bincount([0, 1, 1, 3]))
    [1. 2. 0. 1.]

    The number of counts is the maximum plus 1, at least ``minlength``, or exactly ``length``.
    """
    x = ops.ravel(as_tensor(x))
    size = max(minlength, int(ops.amax(x).item()) + 1) if length is None else length  # type: ignore[arg-type]
    counts = ops.ones(x.shape, float32) if weights is None else as_tensor(weights, float32)
    return ops.sum(ops.where(ops.expand_dims(x, 1) == ops.arange(size), ops.expand_dims(counts, 1), 0.0), 0)


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Tensor:
    """The index of the bin of each element, Int32; bins increase or decrease, ``right`` includes their upper ends.

    >>> print(digitize([0.5, 1.0, 9.0], [1, 2, 3]), digitize([0.5, 1.0, 9.0], [3, 2, 1]))
    [0 1 3] [3 2 0]
    """
    x, bins = as_tensor(x), as_tensor(bins)
    increasing = searchsorted(bins, x, "left" if right else "right")
    decreasing = bins.shape[0] - searchsorted(ops.flip(bins, (0,)), x, "left" if right else "right")
    return ops.cast(ops.where(bins[0] <= bins[-1], increasing, decreasing), int32)


def histogram_bin_edges(
    a: ArrayLike, bins: ArrayLike = 10, range: Sequence[float] | None = None, weights: ArrayLike | None = None
) -> Tensor:
    """The edges of ``bins`` equal bins from the minimum to the maximum, or over ``range``."""
    if not isinstance(bins, int):
        return as_tensor(bins)
    a = as_tensor(a, float32)
    low, high = (ops.amin(a), ops.amax(a)) if range is None else (as_tensor(end, float32) for end in range)
    is_constant = low == high
    return linspace(ops.where(is_constant, low - 0.5, low), ops.where(is_constant, high + 0.5, high), bins + 1)


def _bin_indices(a: Tensor, edges: Tensor) -> Tensor:
    """The bin index of each element, -1 outside; the last edge belongs to the last bin."""
    edges = as_tensor(edges, float32)
    index = searchsorted(edges, a, "right") - 1
    index = ops.where(a == edges[-1], edges.shape[0] - 2, index)
    return ops.where(ops.logical_or(a < edges[0], a > edges[-1]), -1, index)


def histogram(
    a: ArrayLike, bins: ArrayLike = 10, range: Sequence[float] | None = None, weights: ArrayLike | None = None,
    density: bool = False,
) -> tuple[Tensor, ...]:  # fmt: skip
    """(the number of elements in each bin, or the sum of their weights; the edges of the bins).

    With ``density`` the histogram integrates to 1.

    >>> print(histogram([1, 2, 1], [0, 1, 2, 3])[0])
    [0. 2. 1.]
    """
    edges = histogram_bin_edges(a, bins, range)
    counts, _ = histogramdd([ops.ravel(as_tensor(a))], [edges], weights=weights, density=density)
    return counts, edges


def histogram2d(
    x: ArrayLike, y: ArrayLike, bins: ArrayLike = 10, range: Sequence[Sequence[float]] | None = None,
    weights: ArrayLike | None = None, density: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """(the number of points (x, y) in each bin; the edges along x; the edges along y)."""
    counts, (first, second) = histogramdd(
        [ops.ravel(as_tensor(x)), ops.ravel(as_tensor(y))], bins, range, weights, density
    )
    return counts, first, second


def histogramdd(
    sample: Tensor | Sequence[ArrayLike], bins: ArrayLike = 10, range: Sequence[Sequence[float]] | None = None,
    weights: ArrayLike | None = None, density: bool = False,
) -> tuple[Tensor, list[Tensor]]:  # fmt: skip
    """(the number of points in each bin; a list of the edges along each axis).

    Points are the rows of a tensor, or a list with one vector per axis.
    """
    axes = _coordinates(sample)
    bins_per_axis = bins if isinstance(bins, Sequence) else [bins] * len(axes)
    if len(bins_per_axis) != len(axes):
        raise ShapeError(f"histogramdd needs bins for each of {len(axes)} axes, got {len(bins_per_axis)}")
    ranges = [None] * len(axes) if range is None else range
    edges = [histogram_bin_edges(*arguments) for arguments in zip(axes, bins_per_axis, ranges, strict=True)]
    counts = _count_points(axes, edges, None if weights is None else ops.ravel(as_tensor(weights, float32)))
    return (_density(counts, edges) if density else counts), edges


def _coordinates(sample: Tensor | Sequence[ArrayLike]) -> list[Tensor]:
    if isinstance(sample, Tensor):
        if sample.ndim != 2:
            raise ArgValueError(f"histogramdd expects points in rows, got shape {list(sample.shape)}")
        return [as_tensor(sample[:, i], float32) for i in range(sample.shape[1])]
    return [as_tensor(coordinates, float32) for coordinates in sample]


def _count_points(axes: list[Tensor], edges: list[Tensor], weights: ArrayLike | None) -> Tensor:
    sizes = [bounds.shape[0] - 1 for bounds in edges]
    flat_index: TensorLike = 0
    in_range: Any = True
    for axis, edge, size in zip(axes, edges, sizes, strict=True):
        index = _bin_indices(axis, edge)
        flat_index, in_range = flat_index * size + index, ops.logical_and(index >= 0, in_range)
    counts = bincount(ops.where(in_range, flat_index, -1), weights, length=math.prod(sizes))
    return ops.reshape(counts, sizes)


def _density(counts: Tensor, edges: list[Tensor]) -> Tensor:
    for i, edge in enumerate(edges):
        widths = as_tensor(edge[1:] - edge[:-1], float32)
        counts = counts / ops.reshape(widths, [-1 if axis == i else 1 for axis in range(len(edges))])
    return counts / ops.sum(counts * _volumes(edges))


def _volumes(edges: list[Tensor]) -> Tensor:
    """The volume of every bin."""
    volumes: Any = 1.0
    for edge in edges:
        volumes = ops.expand_dims(volumes, -1) if isinstance(volumes, Tensor) else volumes
        volumes = volumes * as_tensor(edge[1:] - edge[:-1], float32)
    return volumes
