"""Array manipulation: shapes, order of axes, broadcasting, tiling and rearranging."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.numpy.conversion import as_ints, as_tensor, normalize_axis

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "expand_dims", "flip", "fliplr",
    "flipud", "moveaxis", "ravel", "repeat", "reshape", "roll", "rollaxis", "rot90", "squeeze", "swapaxes", "tile",
    "transpose",
]  # fmt: skip


# ---- shapes and axes -------------------------------------------------------------------------------


def reshape(x: Any, new_shape: Any) -> Any:
    """The same elements in another shape; one size may be -1."""
    return ops.reshape(as_tensor(x), as_ints(new_shape))


def ravel(x: Any) -> Any:
    """All elements in a row."""
    return ops.ravel(as_tensor(x))


def transpose(a: Any, axes: Any = None) -> Any:
    """The axes in another order (``None``: the last one first)."""
    a = as_tensor(a)
    return ops.transpose(a, tuple(reversed(range(a.ndim))) if axes is None else as_ints(axes))


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    return ops.swapaxes(as_tensor(x), axis1, axis2)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Axes moved to other places, the others in their order."""
    return ops.moveaxis(as_tensor(a), source, destination)


def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    """An axis moved before axis ``start``.

    >>> rollaxis(ops.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = as_tensor(x)
    source, target = normalize_axis(axis, x.ndim), start + x.ndim if start < 0 else start
    return ops.moveaxis(x, source, target - 1 if source < target else target)


def expand_dims(a: Any, axis: Any) -> Any:
    """An axis of size 1 more at each place of ``axis``."""
    a, places = as_tensor(a), as_ints(axis)
    for place in sorted(normalize_axis(place, a.ndim + len(places)) for place in places):
        a = ops.expand_dims(a, place)
    return a


def squeeze(a: Any, axis: Any = None) -> Any:
    """Without axes of size 1: all of them, or those given."""
    return ops.squeeze(as_tensor(a), axis)


def _at_least(rank: int, grow: Callable[..., Any]) -> Callable[..., Any]:
    def function(*arys: Any) -> Any:
        found = [grow(as_tensor(one)) for one in arys]
        return found[0] if len(found) == 1 else found

    function.__doc__ = f"Each tensor with axes of size 1 more where it has fewer than {rank}; several are a list."
    return function


atleast_1d, atleast_2d = _at_least(1, ops.atleast_1d), _at_least(2, ops.atleast_2d)
atleast_3d = _at_least(3, ops.atleast_3d)

# ---- broadcasting and tiling -----------------------------------------------------------------------


def broadcast_to(array: Any, shape: Any) -> Any:
    """The elements repeated along new axes and axes of size 1 so that the shape is another."""
    return ops.broadcast_to(as_tensor(array), as_ints(shape))


def broadcast_arrays(*args: Any) -> list[Any]:
    """The tensors repeated so that all have the shape of their sum."""
    tensors = [as_tensor(one) for one in args]
    shape = sum((ops.zeros_like(one) for one in tensors), start=0).shape if tensors else ()
    return [ops.broadcast_to(one, shape) for one in tensors]


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element ``repeats`` times, or each its own number of times, along an axis (``None``: flat).

    >>> print(repeat([1, 2], 2), repeat([[1, 2]], [1, 2], 1))
    [1 1 2 2] [[1 2 2]]
    """
    a = as_tensor(a)
    return a.repeat(list(repeats) if isinstance(repeats, tuple) else repeats, axis)


def tile(a: Any, reps: Any) -> Any:
    """The whole tensor repeated along its last axes, or along new ones in front.

    >>> print(tile([1, 2], (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    a, counts = as_tensor(a), as_ints(reps)
    return ops.tile(a, (1,) * (a.ndim - len(counts)) + counts)


# ---- rearranging -----------------------------------------------------------------------------------


def flip(m: Any, axis: Any = None) -> Any:
    """The elements in reverse order along axes (``None``: all)."""
    m = as_tensor(m)
    return ops.flip(m, tuple(range(m.ndim)) if axis is None else as_ints(axis))


def fliplr(m: Any) -> Any:
    """The elements in reverse order along axis 1."""
    return flip(m, 1)


def flipud(m: Any) -> Any:
    """The elements in reverse order along axis 0."""
    return flip(m, 0)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved on by ``shift`` places along axes (``None``: flat), the last ones to the front."""
    return ops.roll(as_tensor(a), shift, axis)


def rot90(a: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turned k times by 90 degrees, from the first of two axes to the second."""
    return ops.rot90(as_tensor(a), k, tuple(axes))
