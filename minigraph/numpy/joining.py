"""Joining and splitting arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.numpy.conversion import as_tensor, normalize_axis
from minigraph.numpy.dtypes import result_type

__all__ = [
    "append", "array_split", "column_stack", "concatenate", "dsplit", "dstack", "hsplit", "hstack", "split", "stack",
    "vsplit", "vstack",
]  # fmt: skip


# ---- joining ---------------------------------------------------------------------------------------


def _parts(arrays: Any) -> list[Any]:
    """The tensors to join, in one dtype."""
    parts = list(as_tensor(arrays)) if isinstance(arrays, Tensor) else [as_tensor(one) for one in arrays]
    if not parts:
        raise ShapeError("there must be one tensor or more to join, got none")
    dtype = result_type(*parts)
    return [as_tensor(part, dtype) for part in parts]


def concatenate(arrays: Any, axis: int | None = 0) -> Any:
    """Tensors end to end along an axis they have (``None``: all of them flat).

    >>> print(concatenate(([1, 2], [3.5])))
    [1.  2.  3.5]
    """
    parts = _parts(arrays)
    return ops.concat([ops.ravel(part) for part in parts], 0) if axis is None else ops.concat(parts, axis)


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """A tensor and another behind it along an axis (``None``: both flat)."""
    return concatenate((arr, values), axis)


def stack(arrays: Any, axis: int = 0) -> Any:
    """Tensors of one shape side by side along a new axis."""
    return ops.stack(_parts(arrays), axis)


def vstack(tup: Any) -> Any:
    """Tensors below each other, along axis 0; vectors are rows."""
    return ops.vstack(_parts(tup))


def hstack(tup: Any) -> Any:
    """Tensors beside each other, along axis 1; vectors end to end."""
    return ops.hstack(_parts(tup))


def dstack(tup: Any) -> Any:
    """Tensors behind each other, along axis 2."""
    return ops.dstack(_parts(tup))


def column_stack(tup: Any) -> Any:
    """Tensors beside each other, along axis 1; vectors are columns."""
    return ops.column_stack(_parts(tup))


# ---- splitting -------------------------------------------------------------------------------------


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """A tuple of so many equal parts along an axis, or a list of the parts between the given places.

    >>> [part.shape for part in split(ops.zeros(4), 2)], [part.shape for part in split(ops.zeros(4), [1, 3])]
    ([(2,), (2,)], [(1,), (2,), (1,)])
    """
    x = as_tensor(x)
    if isinstance(indices_or_sections, int) and x.shape[normalize_axis(axis, x.ndim)] % indices_or_sections:
        raise ShapeError(f"an axis of {x.shape[axis]} does not split into {indices_or_sections} equal parts")
    return array_split(x, indices_or_sections, axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """A tuple of so many parts along an axis, the first ones longer, or a list of the parts between places."""
    x = as_tensor(x)
    parts = ops.tensor_split(x, indices_or_sections, normalize_axis(axis, x.ndim))
    return tuple(parts) if isinstance(indices_or_sections, int) else list(parts)


def _splitter(axis: int) -> Callable[..., Any]:
    def function(x: Any, indices_or_sections: Any) -> Any:
        return split(x, indices_or_sections, axis)

    function.__doc__ = f"``split`` along axis {axis}."
    return function


vsplit, hsplit, dsplit = _splitter(0), _splitter(1), _splitter(2)
