"""Differences, gradients, integrals and interpolation of sampled values."""

from __future__ import annotations

import math
from typing import Any

from minigraph import ops
from minigraph.core.errors import UsageError, ValueArgument
from minigraph.numpy.conversion import as_float, as_ints, as_tensor, normalize_axis
from minigraph.numpy.joining import concatenate

__all__ = ["diff", "ediff1d", "gradient", "interp", "trapz", "unwrap"]


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Each element less the one before along an axis, n times; ``prepend`` and ``append`` are joined first.

    >>> print(diff([1, 4, 9]), diff([1, 4, 9], prepend=0))
    [3 5] [1 3 5]
    """
    a = as_tensor(a)
    axis = normalize_axis(axis, a.ndim)
    joined = [None if end is None else _as_border(as_tensor(end, a.dtype), a, axis) for end in (prepend, append)]
    a = concatenate([part for part in (joined[0], a, joined[1]) if part is not None], axis)
    return ops.diff(a, n, axis)


def _as_border(end: Any, a: Any, axis: int) -> Any:
    return end if end.ndim else ops.broadcast_to(end, [1 if at == axis else size for at, size in enumerate(a.shape)])


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Each element less the one before, taken flat, between two other vectors."""
    inside = diff(ops.ravel(as_tensor(ary)))
    first, last = (None if end is None else ops.ravel(as_tensor(end)) for end in (to_begin, to_end))
    return concatenate([part for part in (first, inside, last) if part is not None])


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slope of values at equal distances, along each axis: a list, or one tensor of one axis.

    Distances are 1, one number, or a number per axis; at the ends the slope is that of two neighbours.

    >>> print(gradient([1.0, 2.0, 4.0]))
    [1.  1.5 2. ]
    """
    f = as_float(f)
    if edge_order != 1:
        raise UsageError(f"gradient: edge_order must be 1, got {edge_order}")
    axes = tuple(range(f.ndim)) if axis is None else tuple(normalize_axis(one, f.ndim) for one in as_ints(axis))
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(steps) != len(axes):
        raise ValueArgument(f"gradient: a distance for each of {len(axes)} axes or one for all, got {len(varargs)}")
    found = [_slope(f, one, step) for one, step in zip(axes, steps, strict=True)]
    return found[0] if len(found) == 1 else found


def _slope(f: Any, axis: int, step: Any) -> Any:
    size = f.shape[axis]
    if size < 2:
        raise ValueArgument(f"gradient: needs two values or more along axis {axis}, got {size}")
    apart = ops.diff(f, 1, axis)
    inside = (ops.narrow(apart, axis, 1, size - 2) + ops.narrow(apart, axis, 0, size - 2)) / 2 if size > 2 else None
    ends = ops.narrow(apart, axis, 0, 1), ops.narrow(apart, axis, size - 2, 1)
    return ops.concat([part for part in (ends[0], inside, ends[1]) if part is not None], axis) / step


def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The area under values by trapezoids, ``dx`` apart or at the places ``x``."""
    y = as_float(y)
    return ops.trapz(y, None if x is None else as_tensor(x, y.dtype), dx=dx, dim=axis)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """The values at ``x`` of a line from point to point (xp, fp); ``left`` and ``right`` of them other values.

    >>> print(interp([0.0, 1.5, 9.0], [1.0, 2.0], [10.0, 20.0]))
    [10. 15. 20.]
    """
    x, xp, fp = as_float(x), as_float(xp), as_float(fp)
    place = ops.clip(ops.searchsorted(xp, x) - 1, 0, xp.shape[0] - 2)
    (x0, x1), (y0, y1) = ((ops.gather(one, place, 0), ops.gather(one, place + 1, 0)) for one in (xp, fp))
    found = y0 + (x - x0) / (x1 - x0) * (y1 - y0)
    found = ops.where(x < xp[0], fp[0] if left is None else left, found)
    return ops.where(x > xp[-1], fp[-1] if right is None else right, found)


def unwrap(p: Any, discont: float = math.pi, axis: int = -1) -> Any:
    """Angles without jumps: whole turns added where neighbours are more than ``discont`` apart."""
    p = as_float(p)
    axis = normalize_axis(axis, p.ndim)
    apart = ops.diff(p, 1, axis)
    short = ops.floor_mod(apart + math.pi, 2 * math.pi) - math.pi
    short = ops.where(ops.logical_and(short == -math.pi, apart > 0), math.pi, short)
    turns = ops.cumsum(ops.where(ops.abs(apart) < discont, 0.0, short - apart), axis)
    first = ops.narrow(p, axis, 0, 1)
    return ops.concat([first, ops.narrow(p, axis, 1, p.shape[axis] - 1) + turns], axis)
