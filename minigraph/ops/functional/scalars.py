"""Functions of Python numbers, strings and tuples."""

from __future__ import annotations

import operator
from typing import Any

from minigraph.core.aliases import Function, Number, PyTree
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bool_
from minigraph.ops.functional.forms import export

FORMS = """
function: array_to_scalar is_ is_not isconstant make_list make_range make_tuple scalar_add scalar_cast:ScalarCast
    scalar_div scalar_eq scalar_floordiv scalar_ge scalar_gt scalar_le scalar_lt scalar_mod scalar_mul scalar_ne
    scalar_pow scalar_sub scalar_to_array:ScalarToArray scalar_uadd scalar_usub string_concat string_eq tuple_getitem
    tuple_len tuple_reversed
"""
export(globals())


# ---- numbers and strings ---------------------------------------------------------------------------


def _scalar_function(fn: Function, formula: str) -> Function:
    def function(x: object, y: object) -> Any:
        return fn(x, y)

    function.__doc__ = f"{formula}, of Python numbers.\n"
    return function


scalar_add, scalar_sub = _scalar_function(operator.add, "x + y"), _scalar_function(operator.sub, "x - y")
scalar_mul, scalar_div = _scalar_function(operator.mul, "x * y"), _scalar_function(operator.truediv, "x / y")
scalar_pow, scalar_mod = _scalar_function(operator.pow, "x ** y"), _scalar_function(operator.mod, "x % y")
scalar_floordiv = _scalar_function(operator.floordiv, "x // y")
scalar_eq, scalar_ne = _scalar_function(operator.eq, "x == y"), _scalar_function(operator.ne, "x != y")
scalar_lt, scalar_le = _scalar_function(operator.lt, "x < y"), _scalar_function(operator.le, "x <= y")
scalar_gt, scalar_ge = _scalar_function(operator.gt, "x > y"), _scalar_function(operator.ge, "x >= y")
string_concat, string_eq = _scalar_function(operator.add, "x + y"), _scalar_function(operator.eq, "x == y")
is_, is_not = _scalar_function(operator.is_, "x is y"), _scalar_function(operator.is_not, "x is not y")


def scalar_uadd(x: Number) -> Number:
    """The number itself."""
    return x


def scalar_usub(x: Number) -> Number:
    """-x, of a Python number."""
    return -x


def scalar_cast(input_x: float, input_y: DType) -> float:
    """A Python number converted to the bool, int or float that corresponds to a dtype."""
    return bool(input_x) if input_y is bool_ else float(input_x) if input_y.is_float else int(input_x)


def scalar_to_array(input_x: Number) -> Tensor:
    """A number as a tensor of rank 0."""
    return Tensor(input_x)


def array_to_scalar(x: Tensor) -> Number:
    """The only element of a tensor, as a number."""
    return x.item()


def isconstant(x: Tensor) -> bool:
    """Whether a value is known before a graph runs: anything but a traced tensor."""
    return not (isinstance(x, Tensor) and x.is_traced)


# ---- tuples ----------------------------------------------------------------------------------------


def make_tuple(*items: PyTree) -> tuple[PyTree, ...]:
    """The items as a tuple."""
    return items


def make_list(*items: PyTree) -> list[PyTree]:
    """The items as a list."""
    return list(items)


def make_range(*limits: int) -> tuple[int, ...]:
    """The numbers of ``range`` as a tuple.

    >>> make_range(1, 4)
    (1, 2, 3)
    """
    return tuple(range(*limits))


def tuple_len(items: tuple[PyTree, ...]) -> int:
    """How many items there are."""
    return len(items)


def tuple_getitem(items: tuple[PyTree, ...], index: int) -> PyTree:
    """One of the items."""
    return items[index]


def tuple_reversed(items: tuple[PyTree, ...]) -> tuple[PyTree, ...]:
    """The items, the last one first."""
    return tuple(reversed(items))
