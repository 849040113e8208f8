"""Joining and splitting arrays."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph import ops
from minigraph.core.aliases import ArrayLike, CallResult, Function
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.numpy.conversion import as_tensor, normalize_axis
from minigraph.numpy.dtypes import result_type

__all__ = [
    "append", "array_split", "column_stack", "concatenate", "dsplit", "dstack", "hsplit", "hstack", "split", "stack",
    "vsplit", "vstack",
]  # fmt: skip


# ---- joining ---------------------------------------------------------------------------------------


def _operands(arrays: Sequence[ArrayLike]) -> list[Tensor]:
    """The tensors to join, in their common dtype."""
    tensors = list(as_tensor(arrays)) if isinstance(arrays, Tensor) else [as_tensor(array) for array in arrays]
    if not tensors:
        raise ShapeError("there must be one tensor or more to join, got none")
    dtype = result_type(*tensors)
    return [as_tensor(tensor, dtype) for tensor in tensors]


def concatenate(arrays: Sequence[ArrayLike], axis: int | None = 0) -> Tensor:
    """Joins tensors along an existing axis (``None``: all flattened).

    >>> print(concatenate(([1, 2], [3.5])))
    [1.  2.  3.5]
    """
    parts = _operands(arrays)
    return ops.concat([ops.ravel(part) for part in parts], 0) if axis is None else ops.concat(parts, axis)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Tensor:
    """Appends one tensor to another along an axis (``None``: both flattened)."""
    return concatenate((arr, values), axis)


def stack(arrays: Sequence[ArrayLike], axis: int = 0) -> Tensor:
    """Joins tensors of one shape along a new axis."""
    return ops.stack(_operands(arrays), axis)


def vstack(tup: Sequence[ArrayLike]) -> Tensor:
    """Joins tensors vertically, along axis 0; vectors are rows."""
    return ops.vstack(_operands(tup))


def hstack(tup: Sequence[Tensor]) -> Tensor:
    """Joins tensors horizontally, along axis 1; vectors along axis 0."""
    return ops.hstack(_operands(tup))


def dstack(tup: Sequence[Tensor]) -> Tensor:
    """Joins tensors along axis 2."""
    return ops.dstack(_operands(tup))


def column_stack(tup: Sequence[Tensor]) -> Tensor:
    """Joins tensors along axis 1; vectors are columns."""
    return ops.column_stack(_operands(tup))


# ---- splitting -------------------------------------------------------------------------------------


def split(x: ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> CallResult:
    """A tuple of equal sections along an axis, or a list of the sections between indices.

    >>> [part.shape for part in split(ops.zeros(4), 2)], [part.shape for part in split(ops.zeros(4), [1, 3])]
    ([(2,), (2,)], [(1,), (2,), (1,)])
    """
    x = as_tensor(x)
    if isinstance(indices_or_sections, int) and x.shape[normalize_axis(axis, x.ndim)] % indices_or_sections:
        raise ShapeError(f"an axis of {x.shape[axis]} does not split into {indices_or_sections} equal parts")
    return array_split(x, indices_or_sections, axis)


def array_split(x: ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> CallResult:
    """A tuple of sections along an axis, longer ones first, or a list of the sections between indices."""
    x = as_tensor(x)
    parts = ops.tensor_split(x, indices_or_sections, normalize_axis(axis, x.ndim))
    return tuple(parts) if isinstance(indices_or_sections, int) else list(parts)


def _splitter(axis: int) -> Function:
    def function(x: ArrayLike, indices_or_sections: int | Sequence[int]) -> CallResult:
        return split(x, indices_or_sections, axis)

    function.__doc__ = f"``split`` along axis {axis}."
    return function


vsplit, hsplit, dsplit = _splitter(0), _splitter(1), _splitter(2)
