"""Array manipulation: shapes, order of axes, broadcasting, tiling and rearranging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import ArrayLike, CallResult, Function, IntOrTuple
from minigraph.core.tensor import Tensor
from minigraph.numpy.conversion import as_ints, as_tensor, normalize_axis

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "expand_dims", "flip", "fliplr",
    "flipud", "moveaxis", "ravel", "repeat", "reshape", "roll", "rollaxis", "rot90", "squeeze", "swapaxes", "tile",
    "transpose",
]  # fmt: skip


# ---- shapes and axes -------------------------------------------------------------------------------


def reshape(x: ArrayLike, new_shape: int | Sequence[int]) -> Tensor:
    """The same elements in another shape; one size may be -1."""
    return ops.reshape(as_tensor(x), as_ints(new_shape))


def ravel(x: ArrayLike) -> Tensor:
    """All elements as a vector."""
    return ops.ravel(as_tensor(x))


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Tensor:
    """The axes permuted (``None``: reversed)."""
    a = as_tensor(a)
    return ops.transpose(a, tuple(reversed(range(a.ndim))) if axes is None else as_ints(axes))


def swapaxes(x: ArrayLike, axis1: int, axis2: int) -> Tensor:
    """Two axes swapped."""
    return ops.swapaxes(as_tensor(x), axis1, axis2)


def moveaxis(a: ArrayLike, source: IntOrTuple, destination: IntOrTuple) -> Tensor:
    """Moves axes to new positions; the other axes keep their order."""
    return ops.moveaxis(as_tensor(a), source, destination)


def rollaxis(x: ArrayLike, axis: int, start: int = 0) -> Tensor:
    """Moves an axis before axis ``start``.

    >>> rollaxis(ops.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = as_tensor(x)
    source, target = normalize_axis(axis, x.ndim), start + x.ndim if start < 0 else start
    return ops.moveaxis(x, source, target - 1 if source < target else target)


def expand_dims(a: ArrayLike, axis: IntOrTuple) -> Tensor:
    """Inserts an axis of size 1 at each position in ``axis``."""
    a, positions = as_tensor(a), as_ints(axis)
    for position in sorted(normalize_axis(position, a.ndim + len(positions)) for position in positions):
        a = ops.expand_dims(a, position)
    return a


def squeeze(a: ArrayLike, axis: IntOrTuple | None = None) -> Tensor:
    """Removes axes of size 1: all of them, or the given ones."""
    return ops.squeeze(as_tensor(a), axis)


def _rank_expander(rank: int, expand: Function) -> Function:
    def function(*arys: ArrayLike) -> CallResult:
        tensors = [expand(as_tensor(array)) for array in arys]
        return tensors[0] if len(tensors) == 1 else tensors

    function.__doc__ = f"Each tensor expanded to at least {rank} axes; several tensors as a list."
    return function


atleast_1d, atleast_2d = _rank_expander(1, ops.atleast_1d), _rank_expander(2, ops.atleast_2d)
atleast_3d = _rank_expander(3, ops.atleast_3d)

# ---- broadcasting and tiling -----------------------------------------------------------------------


def broadcast_to(array: ArrayLike, shape: int | Sequence[int]) -> Tensor:
    """Broadcasts a tensor to a shape."""
    return ops.broadcast_to(as_tensor(array), as_ints(shape))


def broadcast_arrays(*args: ArrayLike) -> list[Tensor]:
    """Broadcasts tensors to their common shape."""
    tensors = [as_tensor(array) for array in args]
    total: Any = sum((ops.zeros_like(tensor) for tensor in tensors), start=0)
    shape = total.shape if tensors else ()
    return [ops.broadcast_to(tensor, shape) for tensor in tensors]


def repeat(a: ArrayLike, repeats: int | Sequence[int], axis: int | None = None) -> Tensor:
    """Repeats each element ``repeats`` times, or by a count of its own, along an axis (``None``: flattened).

    >>> print(repeat([1, 2], 2), repeat([[1, 2]], [1, 2], 1))
    [1 1 2 2] [[1 2 2]]
    """
    a = as_tensor(a)
    return a.repeat(list(repeats) if isinstance(repeats, tuple) else repeats, axis)


def tile(a: ArrayLike, reps: int | Sequence[int]) -> Tensor:
    """Repeats the whole tensor along its last axes, or along new axes in front.

    >>> print(tile([1, 2], (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    a, counts = as_tensor(a), as_ints(reps)
    return ops.tile(a, (1,) * (a.ndim - len(counts)) + counts)


# ---- rearranging -----------------------------------------------------------------------------------


def flip(m: ArrayLike, axis: IntOrTuple | None = None) -> Tensor:
    """Reverses the elements along axes (``None``: all)."""
    m = as_tensor(m)
    return ops.flip(m, tuple(range(m.ndim)) if axis is None else as_ints(axis))


def fliplr(m: ArrayLike) -> Tensor:
    """Reverses the elements along axis 1."""
    return flip(m, 1)


def flipud(m: ArrayLike) -> Tensor:
    """Reverses the elements along axis 0."""
    return flip(m, 0)


def roll(a: ArrayLike, shift: IntOrTuple, axis: IntOrTuple | None = None) -> Tensor:
    """Rolls the elements by ``shift`` positions along axes (``None``: flattened)."""
    return ops.roll(as_tensor(a), shift, axis)


def rot90(a: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """Rotates k times by 90 degrees, from the first of two axes to the second."""
    return ops.rot90(as_tensor(a), k, tuple(axes))
