"""Slices and elements of a Parameter replaced or changed in place, and of a tensor as a new one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.core.errors import TypeArgument
from minigraph.core.op import apply
from minigraph.core.tensor import Parameter, Tensor
from minigraph.operators.families import axis_of, check_tensors
from minigraph.ops.functional import positions
from minigraph.ops.functional.array import EVERY, expand_dims, ones_like, reshape
from minigraph.ops.functional.making import diag_embed
from minigraph.ops.functional.math import cast, where
from minigraph.ops.functional.state import assign

__all__ = [
    "diagonal_scatter", "inplace_add", "inplace_index_add", "inplace_sub", "inplace_update", "scatter_add",
    "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd_add", "scatter_nd_div", "scatter_nd_max",
    "scatter_nd_min", "scatter_nd_mul", "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update",
    "select_scatter", "slice_scatter",
]  # fmt: skip

Change = Callable[[Any, Any, Any], Any]

CHANGES: dict[str, tuple[Change, str]] = {
    "update": (positions.tensor_scatter_update, "replaced by"),
    "add": (positions.tensor_scatter_add, "plus"),
    "sub": (positions.tensor_scatter_sub, "less"),
    "mul": (positions.tensor_scatter_mul, "times"),
    "div": (positions.tensor_scatter_div, "divided by"),
    "max": (positions.tensor_scatter_max, "or, where larger,"),
    "min": (positions.tensor_scatter_min, "or, where smaller,"),
}


def _checked(name: str, input_x: Any) -> None:
    if not isinstance(input_x, Parameter):
        told = f"a Parameter is wanted, got {type(input_x).__name__}; ops.tensor_scatter_... make a new tensor"
        raise TypeArgument(f"{name}: {told}")


def _by_rows(word: str) -> Callable[..., Any]:
    change, told = CHANGES[word]

    def scatter(input_x: Any, indices: Any, updates: Any) -> Any:
        _checked(f"scatter_{word}", input_x)
        return assign(input_x, change(input_x, expand_dims(indices, -1), cast(updates, input_x.dtype)))

    scatter.__name__ = f"scatter_{word}"
    scatter.__doc__ = f"The slices of a Parameter at ``indices`` of axis 0 {told} ``updates``, in place."
    return scatter


def _by_places(word: str) -> Callable[..., Any]:
    change, told = CHANGES[word]

    def scatter(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
        _checked(f"scatter_nd_{word}", input_x)
        return assign(input_x, change(input_x, indices, cast(updates, input_x.dtype)))

    scatter.__name__ = f"scatter_nd_{word}"
    scatter.__doc__ = f"The places of a Parameter that the last axis of ``indices`` names {told} ``updates``, in place."
    return scatter


scatter_update, scatter_add, scatter_sub = _by_rows("update"), _by_rows("add"), _by_rows("sub")
scatter_mul, scatter_div = _by_rows("mul"), _by_rows("div")
scatter_max, scatter_min = _by_rows("max"), _by_rows("min")
scatter_nd_update, scatter_nd_add, scatter_nd_sub = _by_places("update"), _by_places("add"), _by_places("sub")
scatter_nd_mul, scatter_nd_div = _by_places("mul"), _by_places("div")
scatter_nd_max, scatter_nd_min = _by_places("max"), _by_places("min")


# ---- new tensors, in spite of the name ---------------------------------------------------------------


def _rows(indices: Any) -> Any:
    found = indices if isinstance(indices, Tensor) else Tensor(indices)
    return reshape(found, (-1, 1))


def inplace_update(x: Any, v: Any, indices: Any) -> Any:
    """A tensor with the slices at ``indices`` (a number or several) of axis 0 replaced by those of ``v``.

    >>> print(inplace_update(Tensor([1.0, 2.0, 3.0]), Tensor([9.0]), 1))
    [1. 9. 3.]
    """
    return positions.tensor_scatter_update(x, _rows(indices), v)


def inplace_add(x: Any, v: Any, indices: Any) -> Any:
    """A tensor with ``v`` added to the slices at ``indices`` (a number or several) of axis 0."""
    return positions.tensor_scatter_add(x, _rows(indices), v)


def inplace_sub(x: Any, v: Any, indices: Any) -> Any:
    """A tensor with ``v`` subtracted from the slices at ``indices`` (a number or several) of axis 0."""
    return positions.tensor_scatter_sub(x, _rows(indices), v)


def inplace_index_add(var: Any, indices: Any, updates: Any, axis: int) -> Any:
    """The slices of a Parameter at ``indices`` of an axis plus ``updates``, in place."""
    _checked("inplace_index_add", var)
    return assign(var, positions.index_add(var, indices, updates, axis))


def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The elements on a diagonal of two axes replaced by those of ``src``."""
    check_tensors("diagonal_scatter", src)
    on, new = (_cut_to(diag_embed(one, offset, dim1, dim2), input) for one in (ones_like(src), src))
    return where(on != 0, new, input)


def _cut_to(square: Any, x: Any) -> Any:
    """A tensor cut to the shape of another, after zeros were put behind it where it is the smaller one."""
    widths = tuple((0, max(size - own, 0)) for own, size in zip(square.shape, x.shape, strict=True))
    return apply("pad", cast(square, x.dtype), widths=widths)[tuple(slice(size) for size in x.shape)]


def select_scatter(input: Any, src: Any, axis: int, index: int) -> Any:
    """One slice of an axis replaced.

    >>> print(select_scatter(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([8.0, 9.0]), 0, 1))
    [[1. 2.]
     [8. 9.]]
    """
    before = (EVERY,) * axis_of("select_scatter", axis, input.ndim)
    return apply("set_item", input, src, key=(*before, index, ...))


def slice_scatter(input: Any, src: Any, axis: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """The slices of an axis from ``start`` to ``end`` replaced."""
    return apply("set_item", input, src, key=(*(EVERY,) * (axis % input.ndim), (start, end, step), ...))
