"""Python numbers and tuples, and tensors by the names of Python's operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, int64
from minigraph.ops.functional import math
from minigraph.ops.functional.calls import spelled

__all__ = [
    "accumulate_n", "approximate_equal", "array_to_scalar", "deepcopy", "floordiv", "floormod", "is_", "is_nonzero",
    "is_not", "isconstant", "make_list", "make_range", "make_tuple", "pows", "scalar_add", "scalar_cast",
    "scalar_div", "scalar_eq", "scalar_floordiv", "scalar_ge", "scalar_gt", "scalar_le", "scalar_lt", "scalar_mod",
    "scalar_mul", "scalar_ne", "scalar_pow", "scalar_sub", "scalar_to_array", "scalar_uadd", "scalar_usub",
    "string_concat", "string_eq", "tensor_add", "tensor_div", "tensor_exp", "tensor_expm1", "tensor_floordiv",
    "tensor_ge", "tensor_gt", "tensor_le", "tensor_lt", "tensor_mod", "tensor_mul", "tensor_pow", "tensor_range",
    "tensor_sub", "tuple_getitem", "tuple_len", "tuple_reversed", "xdivy",
]  # fmt: skip

Function = Callable[..., Any]

# ---- tensors ---------------------------------------------------------------------------------------

tensor_add, tensor_sub, tensor_mul = math.add, math.sub, math.mul
tensor_div = spelled(math.true_divide, x="dividend", y="divisor")
tensor_pow = pows = math.pow
tensor_mod = floormod = math.floor_mod
tensor_floordiv = floordiv = math.floor_divide
tensor_exp, tensor_expm1 = math.exp, math.expm1
tensor_lt, tensor_le, tensor_gt, tensor_ge = math.less, math.less_equal, math.greater, math.greater_equal


def accumulate_n(x: Any) -> Any:
    """The sum of several tensors.

    >>> print(accumulate_n((Tensor([1.0]), Tensor([2.0]))))
    [3.]
    """
    found = x[0]
    for one in x[1:]:
        found = math.add(found, one)
    return found


def approximate_equal(x: Any, y: Any, tolerance: float = 1e-5) -> Any:
    """Whether elements differ by less than ``tolerance``."""
    return math.less(math.abs(math.sub(x, y)), tolerance)


def xdivy(x: Any, y: Any) -> Any:
    """x / y, and 0 wherever x is 0."""
    none = math.equal(x, 0)
    return math.where(none, 0.0, math.div(x, math.where(none, 1.0, y)))


def deepcopy(input_x: Any) -> Any:
    """A tensor of its own with the same values."""
    return math.cast(input_x, input_x.dtype)


def is_nonzero(input: Any) -> bool:
    """Whether the only element of a tensor is not 0.

    >>> is_nonzero(Tensor([0.0]))
    False
    """
    return bool(input.item() != 0)


def tensor_range(start: Any, end: Any, step: Any) -> Any:
    """Numbers from ``start`` by ``step`` up to, without, ``end``."""
    return Tensor(list(range(*(_whole(one) for one in (start, end, step)))), int64)


def _whole(number: Any) -> Any:
    return number.item() if isinstance(number, Tensor) else number


# ---- numbers ---------------------------------------------------------------------------------------


def _of_numbers(fn: Function, what: str) -> Function:
    def function(x: Any, y: Any) -> Any:
        return fn(x, y)

    function.__doc__ = f"{what}, of Python numbers.\n"
    return function


scalar_add, scalar_sub = _of_numbers(operator.add, "x + y"), _of_numbers(operator.sub, "x - y")
scalar_mul, scalar_div = _of_numbers(operator.mul, "x * y"), _of_numbers(operator.truediv, "x / y")
scalar_pow, scalar_mod = _of_numbers(operator.pow, "x ** y"), _of_numbers(operator.mod, "x % y")
scalar_floordiv = _of_numbers(operator.floordiv, "x // y")
scalar_eq, scalar_ne = _of_numbers(operator.eq, "x == y"), _of_numbers(operator.ne, "x != y")
scalar_lt, scalar_le = _of_numbers(operator.lt, "x < y"), _of_numbers(operator.le, "x <= y")
scalar_gt, scalar_ge = _of_numbers(operator.gt, "x > y"), _of_numbers(operator.ge, "x >= y")
string_concat, string_eq = _of_numbers(operator.add, "x + y"), _of_numbers(operator.eq, "x == y")
is_, is_not = _of_numbers(operator.is_, "x is y"), _of_numbers(operator.is_not, "x is not y")


def scalar_uadd(x: Any) -> Any:
    """A number itself."""
    return x


def scalar_usub(x: Any) -> Any:
    """-x, of a Python number."""
    return -x


def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """A Python number as a bool, an int or a float, as a dtype says."""
    return bool(input_x) if input_y is bool_ else float(input_x) if input_y.is_float else int(input_x)


def scalar_to_array(input_x: Any) -> Tensor:
    """A number as a tensor of rank 0."""
    return Tensor(input_x)


def array_to_scalar(x: Any) -> Any:
    """The only element of a tensor, as a number."""
    return x.item()


def isconstant(x: Any) -> bool:
    """Whether something is known before a graph runs: not a tensor that is computed."""
    return not (isinstance(x, Tensor) and x.traced)


# ---- tuples ----------------------------------------------------------------------------------------


def make_tuple(*items: Any) -> tuple[Any, ...]:
    """The items as a tuple."""
    return items


def make_list(*items: Any) -> list[Any]:
    """The items as a list."""
    return list(items)


def make_range(*limits: int) -> tuple[int, ...]:
    """The numbers of ``range`` as a tuple.

    >>> make_range(1, 4)
    (1, 2, 3)
    """
    return tuple(range(*limits))


def tuple_len(items: Any) -> int:
    """How many items there are."""
    return len(items)


def tuple_getitem(items: Any, index: int) -> Any:
    """One of the items."""
    return items[index]


def tuple_reversed(items: Any) -> tuple[Any, ...]:
    """The items, the last one first."""
    return tuple(reversed(items))
