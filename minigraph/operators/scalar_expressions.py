"""Operators as expressions of one element, and reductions as steps from one element to the next.

The pass ``fuse_loops`` asks which operators a loop can compute, and a compiler of loops writes them down.
"""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.op import Op
from minigraph.operators import compare, elementary, elementwise, nn, reduce

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
DTYPES = frozenset(f"bool {INTEGERS} float32 float64".split())  # numpy's names of what a loop can be compiled for
MAX_AXES = 8  # of the tensors of a loop


class Scalar(NamedTuple):
    """An elementwise operator as an expression of one element each of its operands, ``x``, ``y`` and ``z``.

    ``text`` is Python that numba compiles; it is brought to the result's dtype afterwards, and gives the bits of
    ``forward`` for operands of ``kinds``, letters of ``DType.kind``; of NaNs, a NaN. One that is not ``exact`` is a
    polynomial that a compiler of loops brings along, for float32 only.
    """

    text: str
    kinds: str = "if"
    exact: bool = True


class Fold(NamedTuple):
    """A reduction as what is done with its elements, one after the other.

    ``text`` takes one more element ``y`` into what was found so far, ``x``; that begins as ``start`` ("0", "lowest" or
    "highest"). ``end`` makes the result of it and of how many there were, ``n``. ``kinds`` are letters of
    ``DType.kind``; for those that are not ``exact`` the order of elements shows in the bits. ``wide`` ones are folded
    in the widest dtype of their kind, and rounded once.
    """

    start: str
    text: str
    end: str = "x"
    kinds: str = "if"
    exact: str = "i"
    wide: bool = False


# For an operator of your own: ``SCALARS[op] = Scalar("x * x + 1")`` makes it a part of loops from the next compile on.
SCALARS: dict[Op, Scalar] = {
    compare.EQUAL: Scalar("x == y", "bif"),
    compare.NOT_EQUAL: Scalar("x != y", "bif"),
    compare.LESS: Scalar("x < y", "bif"),
    compare.LESS_EQUAL: Scalar("x <= y", "bif"),
    compare.GREATER: Scalar("x > y", "bif"),
    compare.GREATER_EQUAL: Scalar("x >= y", "bif"),
    compare.LOGICAL_NOT: Scalar("x == 0", "bif"),
    compare.LOGICAL_AND: Scalar("(x != 0) & (y != 0)", "bif"),
    compare.LOGICAL_OR: Scalar("(x != 0) | (y != 0)", "bif"),
    compare.LOGICAL_XOR: Scalar("(x != 0) != (y != 0)", "bif"),
    compare.ISNAN: Scalar("x != x", "f"),
    compare.ISINF: Scalar("x == x and x - x != x - x", "f"),
    compare.ISFINITE: Scalar("x - x == x - x", "f"),
    compare.WHERE: Scalar("y if x else z", "bif"),
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
    nn.RELU: Scalar("x if x >= 0 or x != x else 0"),
    nn.SIGMOID: Scalar("sigmoid(x)", "f", exact=False),
    nn.SILU: Scalar("x * sigmoid(x)", "f", exact=False),
}
FOLDS: dict[Op, Fold] = {
    reduce.SUM: Fold("0", "plus(x, y)", kinds="bif", exact="bi", wide=True),
    reduce.MEAN: Fold("0", "plus(x, y)", "x / n", kinds="f", exact="", wide=True),
    reduce.MAX: Fold("lowest", "largest(x, y)"),
    reduce.MIN: Fold("highest", "smallest(x, y)"),
    reduce.FIRST_MAX: Fold("lowest", "largest(x, y)"),
    reduce.FIRST_MIN: Fold("highest", "smallest(x, y)"),
}
