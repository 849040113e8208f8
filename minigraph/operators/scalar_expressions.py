"""Operators as scalar expressions, and reductions as accumulations, from which fused loops are generated.

The pass ``fuse_loops`` looks up which operators a loop can compute; the accelerator's code generator uses the text.
"""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.op import Op
from minigraph.operators import activation, comparison, elementary, elementwise, reduce

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
DTYPES = frozenset(f"bool {INTEGERS} float32 float64".split())  # numpy's names of the dtypes of loops
MAX_AXES = 8  # of the tensors of a loop


class Scalar(NamedTuple):
    """An elementwise operator as an expression of one element of each operand, ``x``, ``y`` and ``z``.

    ``text`` is Python that numba compiles; its value is cast to the result's dtype. It gives the bits of ``forward``
    for operands of ``kinds`` (letters of ``DType.kind``), but for the payload of NaNs. One that is not ``exact`` is
    computed by a polynomial, for float32 only.
    """

    text: str
    kinds: str = "if"
    exact: bool = True


class Reduction(NamedTuple):
    """A reduction as an accumulation over its elements.

    ``text`` combines the accumulator ``x`` with one more element ``y``; the accumulator starts as ``start`` ("0",
    "lowest" or "highest"). ``end`` computes the result from it and the number of elements ``n``. ``kinds`` are letters
    of ``DType.kind``; for those that are not ``exact`` the bits depend on the order of elements. With ``wide`` the
    accumulator has the widest dtype of its kind, and the result is rounded once.
    """

    start: str
    text: str
    end: str = "x"
    kinds: str = "if"
    exact: str = "i"
    wide: bool = False


# For an operator of your own: ``SCALARS[op] = Scalar("x * x + 1")`` lets loops compute it from the next compile on.
SCALARS: dict[Op, Scalar] = {
    comparison.EQUAL: Scalar("x == y", "bif"),
    comparison.NOT_EQUAL: Scalar("x != y", "bif"),
    comparison.LESS: Scalar("x < y", "bif"),
    comparison.LESS_EQUAL: Scalar("x <= y", "bif"),
    comparison.GREATER: Scalar("x > y", "bif"),
    comparison.GREATER_EQUAL: Scalar("x >= y", "bif"),
    comparison.LOGICAL_NOT: Scalar("x == 0", "bif"),
    comparison.LOGICAL_AND: Scalar("(x != 0) & (y != 0)", "bif"),
    comparison.LOGICAL_OR: Scalar("(x != 0) | (y != 0)", "bif"),
    comparison.LOGICAL_XOR: Scalar("(x != 0) != (y != 0)", "bif"),
    comparison.ISNAN: Scalar("x != x", "f"),
    comparison.ISINF: Scalar("x == x and x - x != x - x", "f"),
    comparison.ISFINITE: Scalar("x - x == x - x", "f"),
    comparison.WHERE: Scalar("y if x else z", "bif"),
    elementwise.ADD: Scalar("x + y"),
    elementwise.SUB: Scalar("x - y"),
    elementwise.MUL: Scalar("x * y"),
    elementwise.DIV: Scalar("x / y", "f"),
    elementwise.MAXIMUM: Scalar("x if x > y or x != x else y"),
    elementwise.MINIMUM: Scalar("x if x < y or x != x else y"),
    elementwise.NEG: Scalar("-x"),
    elementwise.ABS: Scalar("abs(x)"),
    elementwise.SIGN: Scalar("x if x != x else (x > 0) - (x < 0)"),
    elementwise.BITWISE_AND: Scalar("x & y", "bi"),
    elementwise.BITWISE_OR: Scalar("x | y", "bi"),
    elementwise.BITWISE_XOR: Scalar("x ^ y", "bi"),
    elementwise.SQUARE: Scalar("x * x"),
    elementwise.EXP: Scalar("exp(x)", "f", exact=False),
    elementwise.LOG: Scalar("log(x)", "f", exact=False),
    elementwise.SQRT: Scalar("sqrt(x)", "f"),
    elementwise.RSQRT: Scalar("1 / sqrt(x)", "f"),
    elementwise.RECIPROCAL: Scalar("1 / x", "f"),
    elementwise.TANH: Scalar("tanh(x)", "f", exact=False),
    elementwise.FLOOR: Scalar("floor(x)", "f"),
    elementwise.CEIL: Scalar("ceil(x)", "f"),
    elementwise.CAST: Scalar("x"),
    elementary.TRUNC: Scalar("trunc(x)", "f"),
    elementary.INVERT: Scalar("~x", "i"),
    activation.RELU: Scalar("x if x >= 0 or x != x else 0"),
    activation.SIGMOID: Scalar("sigmoid(x)", "f", exact=False),
    activation.SILU: Scalar("x * sigmoid(x)", "f", exact=False),
}
REDUCTIONS: dict[Op, Reduction] = {
    reduce.SUM: Reduction("0", "add(x, y)", kinds="bif", exact="bi", wide=True),
    reduce.MEAN: Reduction("0", "add(x, y)", "x / n", kinds="f", exact="", wide=True),
    reduce.MAX: Reduction("lowest", "maximum(x, y)"),
    reduce.MIN: Reduction("highest", "minimum(x, y)"),
    reduce.FIRST_MAX: Reduction("lowest", "maximum(x, y)"),
    reduce.FIRST_MIN: Reduction("highest", "minimum(x, y)"),
}
