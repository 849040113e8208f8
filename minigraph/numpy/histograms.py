"""Histograms, counts and bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.errors import ShapeError, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.numpy.conversion import as_tensor
from minigraph.numpy.creation import linspace
from minigraph.numpy.indexing import searchsorted

__all__ = ["bincount", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Any:
    """How often each of 0, 1, 2, ... stands in a vector, or the sum of its weights, Float32.

    >>> print(bincount([0, 1, 1, 3]))
    [1. 2. 0. 1.]

    There are as many counts as the largest number asks for, ``minlength`` or more; or ``length`` of them.
    """
    x = ops.ravel(as_tensor(x))
    size = max(minlength, int(ops.amax(x).item()) + 1) if length is None else length
    each = ops.ones(x.shape, float32) if weights is None else as_tensor(weights, float32)
    return ops.sum(ops.where(ops.expand_dims(x, 1) == ops.arange(size), ops.expand_dims(each, 1), 0.0), 0)


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The number of the bin of each element, Int32; bins rise or fall, their upper ends belong in by ``right``.

    >>> print(digitize([0.5, 1.0, 9.0], [1, 2, 3]), digitize([0.5, 1.0, 9.0], [3, 2, 1]))
    [0 1 3] [3 2 0]
    """
    x, bins = as_tensor(x), as_tensor(bins)
    rising = searchsorted(bins, x, "left" if right else "right")
    falling = bins.shape[0] - searchsorted(ops.flip(bins, (0,)), x, "left" if right else "right")
    return ops.cast(ops.where(bins[0] <= bins[-1], rising, falling), int32)


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of ``bins`` equal bins from the smallest to the largest element, or over ``range``."""
    if not isinstance(bins, int):
        return as_tensor(bins)
    a = as_tensor(a, float32)
    low, high = (ops.amin(a), ops.amax(a)) if range is None else (as_tensor(end, float32) for end in range)
    flat = low == high
    return linspace(ops.where(flat, low - 0.5, low), ops.where(flat, high + 0.5, high), bins + 1)


def _bins_of(a: Any, edges: Any) -> Any:
    """The number of each element's bin, -1 outside; the last edge belongs to the last bin."""
    edges = as_tensor(edges, float32)
    number = searchsorted(edges, a, "right") - 1
    number = ops.where(a == edges[-1], edges.shape[0] - 2, number)
    return ops.where(ops.logical_or(a < edges[0], a > edges[-1]), -1, number)


def histogram(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """(how many elements, or their weights, fall into each bin; the edges of the bins).

    With ``density`` they are divided so that the area is 1.

    >>> print(histogram([1, 2, 1], [0, 1, 2, 3])[0])
    [0. 2. 1.]
    """
    edges = histogram_bin_edges(a, bins, range)
    counts, _ = histogramdd([ops.ravel(as_tensor(a))], [edges], weights=weights, density=density)
    return counts, edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Any, Any, Any]:
    """(how many points (x, y) fall into each bin; the edges along x; the edges along y)."""
    counts, (first, second) = histogramdd(
        [ops.ravel(as_tensor(x)), ops.ravel(as_tensor(y))], bins, range, weights, density
    )
    return counts, first, second


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """(how many points fall into each bin; a list of the edges along each axis).

    Points are the rows of a tensor; a list has a vector per axis.
    """
    axes = _axes_of(sample)
    kinds = bins if isinstance(bins, Sequence) else [bins] * len(axes)
    if len(kinds) != len(axes):
        raise ShapeError(f"histogramdd needs bins for each of {len(axes)} axes, got {len(kinds)}")
    ranges = [None] * len(axes) if range is None else range
    edges = [histogram_bin_edges(*each) for each in zip(axes, kinds, ranges, strict=True)]
    counts = _counted(axes, edges, None if weights is None else ops.ravel(as_tensor(weights, float32)))
    return (_dense(counts, edges) if density else counts), edges


def _axes_of(sample: Any) -> list[Any]:
    if isinstance(sample, Tensor):
        if sample.ndim != 2:
            raise ValueArgument(f"histogramdd takes points in rows, got shape {list(sample.shape)}")
        return [as_tensor(sample[:, at], float32) for at in range(sample.shape[1])]
    return [as_tensor(one, float32) for one in sample]


def _counted(axes: list[Any], edges: list[Any], weights: Any) -> Any:
    sizes = [one.shape[0] - 1 for one in edges]
    number: Any = 0
    inside: Any = True
    for axis, edge, size in zip(axes, edges, sizes, strict=True):
        own = _bins_of(axis, edge)
        number, inside = number * size + own, ops.logical_and(own >= 0, inside)
    counts = bincount(ops.where(inside, number, -1), weights, length=math.prod(sizes))
    return ops.reshape(counts, sizes)


def _dense(counts: Any, edges: list[Any]) -> Any:
    for at, edge in enumerate(edges):
        widths = as_tensor(edge[1:] - edge[:-1], float32)
        counts = counts / ops.reshape(widths, [-1 if axis == at else 1 for axis in range(len(edges))])
    return counts / ops.sum(counts * _volumes(edges))


def _volumes(edges: list[Any]) -> Any:
    found: Any = 1.0
    for edge in edges:
        found = ops.expand_dims(found, -1) if isinstance(found, Tensor) else found
        found = found * as_tensor(edge[1:] - edge[:-1], float32)
    return found
