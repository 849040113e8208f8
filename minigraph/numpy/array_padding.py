"""Padding arrays in every mode of ``numpy.pad``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.aliases import ArrayLike, Function
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.numpy.conversion import as_tensor
from minigraph.numpy.functional_programming import apply_along_axis
from minigraph.numpy.reduction import max, min

__all__ = ["pad"]


INDEXED_MODES = ("edge", "reflect", "symmetric", "wrap")  # padding copies elements
WEIGHTED_MODES = ("mean", "linear_ramp", "reflect", "symmetric")  # padding is a weighted sum of elements
EXTREMES = {"maximum": max, "minimum": min}
MODES = ("constant", "empty", *INDEXED_MODES, "mean", "linear_ramp", *EXTREMES)


def pad(
    arr: ArrayLike,
    pad_width: ArrayLike,
    mode: str | Function = "constant",
    stat_length: int | Sequence[Sequence[int]] | None = None,
    constant_values: ArrayLike = 0,
    end_values: ArrayLike = 0,
    reflect_type: str = "even",
    **kwargs: object,
) -> Tensor:
    """Pads a tensor by ``pad_width``: one number, (before, after), or a pair per axis.

    >>> print(pad([1, 2], 1), pad([1, 2, 3], (0, 2), mode="reflect"))
    [0 1 2 0] [1 2 3 2 1]

    ``mode`` is "constant" (with ``constant_values``), "empty" (zeros), "edge", "reflect", "symmetric" (each
    ``reflect_type`` "even" or "odd"), "wrap", "mean", "maximum", "minimum" (each over ``stat_length`` elements
    of the edge), "linear_ramp" (to ``end_values``), or a function ``(vector, width, axis, kwargs)``.
    """
    arr = as_tensor(arr)
    widths = _pairs(pad_width, arr.ndim)
    if callable(mode):
        return _pad_by_function(ops.pad(arr, _flat_widths(widths)), widths, mode, kwargs)
    if mode not in MODES:
        raise UsageError(f"pad: no mode {mode!r}{did_you_mean(str(mode), MODES)}")
    odd = reflect_type == "odd"
    options = {"constant": constant_values, "empty": 0, "linear_ramp": end_values}.get(mode, stat_length)
    for axis, (width, option) in enumerate(zip(widths, _pairs(options, arr.ndim), strict=True)):
        arr = _pad_axis(arr, axis, width, option, mode, odd) if any(width) else arr
    return arr


def _pairs(value: ArrayLike | None, rank: int) -> list[tuple[Any, Any]]:
    """(before, after) of every axis.

    >>> _pairs(1, 2), _pairs(((1, 2), (3, 4)), 2)
    ([(1, 1), (1, 1)], [(1, 2), (3, 4)])
    """
    pairs = np.broadcast_to(np.array(value, dtype=object), (rank, 2))
    return [(before, after) for before, after in pairs.tolist()]


def _flat_widths(widths: list[tuple[int, int]]) -> list[int]:
    """Widths in the order of ``ops.pad``, the last axis first."""
    return [width for pair in reversed(widths) for width in pair]


def _pad_axis(arr: Tensor, axis: int, width: tuple[int, ...], option: object, mode: str, odd: bool) -> Tensor:
    if mode in EXTREMES:
        return _pad_with_extremes(arr, axis, width, option, EXTREMES[mode])
    if mode in WEIGHTED_MODES and (odd or mode not in INDEXED_MODES):
        return _pad_with_weights(arr, axis, width, option, mode)
    if mode in INDEXED_MODES:
        indices = np.pad(np.arange(arr.shape[axis]), width, mode=mode)  # type: ignore[call-overload]  # one of its modes
        return ops.index_select(arr, axis, Tensor(indices, int64))
    return _enclose(arr, axis, width, option)


def _enclose(arr: Tensor, axis: int, width: tuple[int, ...], values: Any) -> Tensor:
    """The tensor between two numbers, or two tensors with one element along the axis."""
    tensors = [arr]
    for side, (size, value) in enumerate(zip(width, values, strict=True)):
        shape = [size if other == axis else length for other, length in enumerate(arr.shape)]
        tensors.insert(side * len(tensors), ops.broadcast_to(as_tensor(value, arr.dtype), shape))
    return ops.concat(tensors, axis)


def _pad_with_extremes(arr: Tensor, axis: int, width: tuple[int, ...], lengths: Any, fn: Function) -> Tensor:
    size = arr.shape[axis]
    first, last = (size if length is None else length for length in lengths)
    begin, end = ops.narrow(arr, axis, 0, first), ops.narrow(arr, axis, size - last, last)
    return _enclose(arr, axis, width, (fn(begin, axis, True), fn(end, axis, True)))


def _pad_with_weights(arr: Tensor, axis: int, width: tuple[int, ...], arg: Any, mode: str) -> Tensor:
    """Padding that is linear in the elements: numpy's results for unit vectors are the weights, for 0 the offset."""
    options = {"mean": "stat_length", "linear_ramp": "end_values"}
    extra = {options[mode]: arg if mode == "linear_ramp" or arg[0] is not None else None} if mode in options else {}
    extra = extra or {"reflect_type": "odd"}
    pad_vector: Callable[..., np.ndarray] = partial(np.pad, pad_width=width, mode=mode, **extra)
    offset = pad_vector(np.zeros(arr.shape[axis]))
    columns = [pad_vector(unit) - offset for unit in np.eye(arr.shape[axis])]
    weights = Tensor(np.stack(columns).astype(np.float32))
    swapped = ops.swapaxes(arr, axis, -1)
    padded = ops.matmul(
        swapped if arr.dtype.is_float else ops.cast(swapped, weights.dtype), ops.cast(weights, arr.dtype)
    )
    return ops.swapaxes(padded + Tensor(offset.astype(np.float32)), axis, -1)


def _pad_by_function(arr: Tensor, widths: list[tuple[int, int]], mode: Function, kwargs: dict[str, object]) -> Tensor:
    for axis, width in enumerate(widths):
        arr = apply_along_axis(mode, axis, arr, width, axis, kwargs)
    return arr
