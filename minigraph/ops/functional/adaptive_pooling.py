"""Adaptive pooling: means or maxima of windows chosen so that the output has a given size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from minigraph.core.errors import ShapeError, UsageError, ValueArgument
from minigraph.core.op import apply
from minigraph.core.types import int64
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import stack

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]  # fmt: skip


def _cuts(name: str, x: Any, rank: int, output_size: Any) -> list[list[tuple[int, int]]]:
    """Per axis where each window begins and ends: i n / m, rounded down, and (i + 1) n / m, rounded up."""
    if x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(f"{name}: needs an input of rank {rank + 1} or {rank + 2}, got shape {list(x.shape)}")
    wanted = tuple(output_size) if isinstance(output_size, Sequence) else (output_size,) * rank
    if len(wanted) != rank or not all(one is None or (isinstance(one, int) and one > 0) for one in wanted):
        raise ValueArgument(f"{name}: output_size is a number, or one (or None) for each of {rank} axes, got {wanted}")
    sizes = zip(x.shape[-rank:], wanted, strict=True)
    return [[(i * n // m, -(-(i + 1) * n // m)) for i in range(m)] for n, m in ((n, m or n) for n, m in sizes)]


def _to_size(x: Any, cuts: list[list[tuple[int, int]]], fold: str) -> Any:
    """The windows folded axis by axis by an operator, "mean" or "first_max"."""
    for axis, parts in enumerate(cuts, x.ndim - len(cuts)):
        whole = (slice(None),) * axis
        x = stack([apply(fold, x[(*whole, slice(*part))], axis=axis) for part in parts], axis)
    return x


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """The mean of as many windows of sequences as there shall be elements."""
    return _to_size(input, _cuts("adaptive_avg_pool1d", input, 1, output_size), "mean")


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """The mean of as many windows of images as there shall be pixels; ``None`` keeps an axis.

    >>> from minigraph.ops import arange
    >>> print(adaptive_avg_pool2d(arange(8.0).reshape(1, 2, 4), (1, 2)))
    [[[2.5 4.5]]]
    """
    return _to_size(input, _cuts("adaptive_avg_pool2d", input, 2, output_size), "mean")


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """The mean of as many windows of volumes as there shall be elements; ``None`` keeps an axis."""
    return _to_size(input, _cuts("adaptive_avg_pool3d", input, 3, output_size), "mean")


def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """The largest element of as many windows of sequences as there shall be elements."""
    return _to_size(input, _cuts("adaptive_max_pool1d", input, 1, output_size), "first_max")


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of as many windows of images as there shall be pixels.

    With ``return_indices`` also where in its image, counted through, each one stands, Int64.
    """
    cuts = _cuts("adaptive_max_pool2d", input, 2, output_size)
    found = _to_size(input, cuts, "first_max")
    return (found, _places(input, cuts)) if return_indices else found


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of as many windows of volumes as there shall be elements."""
    if return_indices:
        raise UsageError("adaptive_max_pool3d: return_indices is not supported; leave it out")
    return _to_size(input, _cuts("adaptive_max_pool3d", input, 3, output_size), "first_max")


def _places(x: Any, cuts: list[list[tuple[int, int]]]) -> Any:
    width, found = x.shape[-1], []
    for (top, bottom), (left, right) in product(*cuts):
        window = x[..., top:bottom, left:right]
        at = cast(window.reshape(*x.shape[:-2], -1).argmax(-1), int64)
        found.append((at // (right - left) + top) * width + at % (right - left) + left)
    return stack(found, -1).reshape(*x.shape[:-2], *map(len, cuts))
