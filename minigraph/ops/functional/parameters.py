"""Assigning to Parameters, and scatter updates of Parameters in place."""

from __future__ import annotations

from collections.abc import Callable

from minigraph.core.aliases import Function, TensorLike
from minigraph.core.errors import ArgTypeError
from minigraph.core.op import active_observers, apply, is_eager
from minigraph.core.tensor import Parameter, Tensor
from minigraph.operators import effects, elementwise
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
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

FORMS = """
function: assign assign_add:AssignAdd assign_sub:AssignSub inplace_index_add scatter_add scatter_div scatter_max
    scatter_min scatter_mul scatter_nd_add scatter_nd_div scatter_nd_max scatter_nd_min scatter_nd_mul scatter_nd_sub
    scatter_nd_update scatter_sub scatter_update
"""
export(globals())


# ---- assigning -------------------------------------------------------------------------------------


def assign(variable: Tensor, value: TensorLike) -> Tensor:
    """Assigns a value, cast to its dtype, to a Parameter (or a tensor); returns the value.

    To gradients, as in MindSpore, the assigned value is a constant: the cotangents of later reads belong to
    ``variable``. Raises ``ShapeError`` for another shape and changes nothing.

    >>> from minigraph import Parameter, Tensor, grad
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> def loss(x):
    ...     assign(w, x * x)
    ...     return (w * x).sum()
    >>> by_x, by_w = grad(loss, 0, w)(Tensor([3.0, 4.0]))
    >>> print(by_x, by_w)
    [ 9. 16.] [3. 4.]
    """
    tensor = value if isinstance(value, Tensor) else Tensor(value)
    new = tensor if tensor.dtype is variable.dtype else apply(elementwise.CAST, tensor, dtype=variable.dtype)
    name = variable.name if isinstance(variable, Parameter) else "tensor"
    if (not is_eager() or active_observers()) and variable.shape == new.shape:
        new = apply(effects.NEW_VALUE, new, variable)
    return apply(effects.ASSIGN, variable, new, name=name)


def assign_add(variable: Tensor, value: TensorLike) -> Tensor:
    """Adds to a Parameter (or a tensor) in place; returns the new value."""
    return assign(variable, variable + value)


def assign_sub(variable: Tensor, value: TensorLike) -> Tensor:
    """Subtracts from a Parameter (or a tensor) in place; returns the new value."""
    return assign(variable, variable - value)


# ---- scatter updates -------------------------------------------------------------------------------


Scatter = Callable[[Tensor, Tensor, Tensor], Tensor]
SCATTER_FUNCTIONS: dict[str, tuple[Scatter, str]] = {
    "update": (tensor_scatter_update, "replaced by"),
    "add": (tensor_scatter_add, "plus"),
    "sub": (tensor_scatter_sub, "less"),
    "mul": (tensor_scatter_mul, "times"),
    "div": (tensor_scatter_div, "divided by"),
    "max": (tensor_scatter_max, "or, where larger,"),
    "min": (tensor_scatter_min, "or, where smaller,"),
}


def _check_parameter(name: str, input_x: Tensor) -> None:
    if not isinstance(input_x, Parameter):
        kind = type(input_x).__name__
        raise ArgTypeError(f"{name}: expected a Parameter, got {kind}; ops.tensor_scatter_... return a new tensor")


def _row_scatter(update: str) -> Function:
    function, phrase = SCATTER_FUNCTIONS[update]

    def scatter(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        _check_parameter(f"scatter_{update}", input_x)
        return assign(input_x, function(input_x, expand_dims(indices, -1), cast(updates, input_x.dtype)))

    scatter.__name__ = f"scatter_{update}"
    scatter.__doc__ = f"The slices of a Parameter at ``indices`` of axis 0 {phrase} ``updates``, in place."
    return scatter


def _nd_scatter(update: str) -> Function:
    function, phrase = SCATTER_FUNCTIONS[update]

    def scatter(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
        _check_parameter(f"scatter_nd_{update}", input_x)
        return assign(input_x, function(input_x, indices, cast(updates, input_x.dtype)))

    scatter.__name__ = f"scatter_nd_{update}"
    scatter.__doc__ = f"The elements of a Parameter at the coordinates ``indices`` {phrase} ``updates``, in place."
    return scatter


scatter_update, scatter_add, scatter_sub = _row_scatter("update"), _row_scatter("add"), _row_scatter("sub")
scatter_mul, scatter_div = _row_scatter("mul"), _row_scatter("div")
scatter_max, scatter_min = _row_scatter("max"), _row_scatter("min")
scatter_nd_update, scatter_nd_add, scatter_nd_sub = _nd_scatter("update"), _nd_scatter("add"), _nd_scatter("sub")
scatter_nd_mul, scatter_nd_div = _nd_scatter("mul"), _nd_scatter("div")
scatter_nd_max, scatter_nd_min = _nd_scatter("max"), _nd_scatter("min")


def inplace_index_add(var: Tensor, indices: Tensor, updates: TensorLike, axis: int) -> Tensor:
    """The slices of a Parameter at ``indices`` of an axis plus ``updates``, in place."""
    _check_parameter("inplace_index_add", var)
    return assign(var, index_add(var, indices, updates, axis))
