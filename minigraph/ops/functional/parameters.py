"""Assigning to Parameters, and scattering updates into them in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.core.errors import TypeArgument
from minigraph.core.op import apply
from minigraph.core.tensor import Parameter, Tensor
from minigraph.operators import effects, elementwise
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.scattering import (
    index_add,
    tensor_scatter_add,
    tensor_scatter_div,
    tensor_scatter_max,
    tensor_scatter_min,
    tensor_scatter_mul,
    tensor_scatter_sub,
    tensor_scatter_update,
)
from minigraph.ops.functional.shapes import expand_dims

__all__ = [
    "assign", "assign_add", "assign_sub", "inplace_index_add", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd_add", "scatter_nd_div", "scatter_nd_max", "scatter_nd_min",
    "scatter_nd_mul", "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update",
]  # fmt: skip


# ---- assigning -------------------------------------------------------------------------------------


def assign(variable: Any, value: Any) -> Any:
    """Give a Parameter (or a tensor) a new value, cast to its dtype; returns the value.

    Raises ``ShapeError`` for another shape, with nothing changed.
    """
    given = value if isinstance(value, Tensor) else Tensor(value)
    new = given if given.dtype is variable.dtype else apply(elementwise.CAST, given, dtype=variable.dtype)
    name = variable.name if isinstance(variable, Parameter) else "tensor"
    return apply(effects.ASSIGN, variable, new, name=name)


def assign_add(variable: Any, value: Any) -> Any:
    """Add to a Parameter (or a tensor) in place; returns the new value."""
    return assign(variable, variable + value)


def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract from a Parameter (or a tensor) in place; returns the new value."""
    return assign(variable, variable - value)


# ---- scattering ------------------------------------------------------------------------------------


Change = Callable[[Any, Any, Any], Any]
CHANGES: dict[str, tuple[Change, str]] = {
    "update": (tensor_scatter_update, "replaced by"),
    "add": (tensor_scatter_add, "plus"),
    "sub": (tensor_scatter_sub, "less"),
    "mul": (tensor_scatter_mul, "times"),
    "div": (tensor_scatter_div, "divided by"),
    "max": (tensor_scatter_max, "or, where larger,"),
    "min": (tensor_scatter_min, "or, where smaller,"),
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


def inplace_index_add(var: Any, indices: Any, updates: Any, axis: int) -> Any:
    """The slices of a Parameter at ``indices`` of an axis plus ``updates``, in place."""
    _checked("inplace_index_add", var)
    return assign(var, index_add(var, indices, updates, axis))
