"""Differences, gradients, integrals and interpolation of sampled values."""

from __future__ import annotations

import math

from minigraph import ops
from minigraph.core.aliases import ArrayLike, CallResult, IntOrTuple, TensorLike
from minigraph.core.errors import ArgValueError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.numpy.conversion import as_float, as_ints, as_single_float, as_tensor, normalize_axis
from minigraph.numpy.joining import concatenate

__all__ = ["diff", "ediff1d", "gradient", "interp", "trapz", "unwrap"]


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None, append: ArrayLike | None = None
) -> Tensor:
    """The n-th discrete difference along an axis, after prepending ``prepend`` and appending ``append``.

    >>> print(diff([1, 4, 9]), diff([1, 4, 9], prepend=0))
    [3 5] [1 3 5]
    """
    a = as_tensor(a)
    axis = normalize_axis(axis, a.ndim)
    ends = [None if end is None else _as_slice(as_tensor(end, a.dtype), a, axis) for end in (prepend, append)]
    a = concatenate([part for part in (ends[0], a, ends[1]) if part is not None], axis)
    return ops.diff(a, n, axis)


def _as_slice(end: Tensor, a: Tensor, axis: int) -> Tensor:
    return end if end.ndim else ops.broadcast_to(end, [1 if at == axis else size for at, size in enumerate(a.shape)])


def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> Tensor:
    """The differences of neighbours in the flattened tensor, between two optional vectors."""
    differences = diff(ops.ravel(as_tensor(ary)))
    first, last = (None if end is None else ops.ravel(as_tensor(end)) for end in (to_begin, to_end))
    return concatenate([part for part in (first, differences, last) if part is not None])


def gradient(f: ArrayLike, *varargs: TensorLike, axis: IntOrTuple | None = None, edge_order: int = 1) -> CallResult:
    """The derivative of values at equal distances, along each axis: a list, or one tensor for one axis.

    Distances are 1, one number, or one per axis. It is second-order inside and first-order at the ends.

    >>> print(gradient([1.0, 2.0, 4.0]))
    [1.  1.5 2. ]
    """
    f = as_single_float(f)
    if edge_order != 1:
        raise UsageError(f"gradient: edge_order must be 1, got {edge_order}")
    axes = tuple(range(f.ndim)) if axis is None else tuple(normalize_axis(item, f.ndim) for item in as_ints(axis))
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(steps) != len(axes):
        raise ArgValueError(f"gradient: expected {len(axes)} distances (one per axis) or one, got {len(varargs)}")
    gradients = [_central_differences(f, dimension, step) for dimension, step in zip(axes, steps, strict=True)]
    return gradients[0] if len(gradients) == 1 else gradients


def _central_differences(f: Tensor, axis: int, step: TensorLike) -> Tensor:
    size = f.shape[axis]
    if size < 2:
        raise ArgValueError(f"gradient: needs at least two values along axis {axis}, got {size}")
    deltas = ops.diff(f, 1, axis)
    interior = (ops.narrow(deltas, axis, 1, size - 2) + ops.narrow(deltas, axis, 0, size - 2)) / 2 if size > 2 else None
    ends = ops.narrow(deltas, axis, 0, 1), ops.narrow(deltas, axis, size - 2, 1)
    return ops.concat([part for part in (ends[0], interior, ends[1]) if part is not None], axis) / step


def trapz(y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral by the trapezoidal rule, for points at distance ``dx`` or at positions ``x``."""
    y = as_float(y)
    return ops.trapz(y, None if x is None else as_tensor(x, y.dtype), dx=dx, dim=axis)


def interp(x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: float | None = None, right: float | None = None) -> Tensor:
    """Linear interpolation of the points (xp, fp) at ``x``; ``left`` and ``right`` are the values outside.

    >>> print(interp([0.0, 1.5, 9.0], [1.0, 2.0], [10.0, 20.0]))
    [10. 15. 20.]
    """
    x, xp, fp = map(as_single_float, (x, xp, fp))
    index = ops.clip(ops.searchsorted(xp, x) - 1, 0, xp.shape[0] - 2)
    (x0, x1), (y0, y1) = ((ops.gather(points, index, 0), ops.gather(points, index + 1, 0)) for points in (xp, fp))
    widths = ops.where(x0 == x1, 1.0, x1 - x0)  # of two points at one position the first counts
    values = y0 + (x - x0) / widths * (y1 - y0)
    values = ops.where(x < xp[0], fp[0] if left is None else left, values)
    return ops.where(x > xp[-1], fp[-1] if right is None else right, values)


def unwrap(p: ArrayLike, discont: float = math.pi, axis: int = -1) -> Tensor:
    """Angles without jumps: adds multiples of 2 pi where neighbours differ by more than ``discont``."""
    p = as_single_float(p)
    axis = normalize_axis(axis, p.ndim)
    differences = ops.diff(p, 1, axis)
    wrapped = ops.floor_mod(differences + math.pi, 2 * math.pi) - math.pi
    wrapped = ops.where(ops.logical_and(wrapped == -math.pi, differences > 0), math.pi, wrapped)
    corrections = ops.cumsum(ops.where(ops.abs(differences) < discont, 0.0, wrapped - differences), axis)
    first = ops.narrow(p, axis, 0, 1)
    return ops.concat([first, ops.narrow(p, axis, 1, p.shape[axis] - 1) + corrections], axis)
