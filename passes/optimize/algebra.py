"""Exact algebra: rules on negation, division by powers of two and square roots that keep every bit.

::

    %2 = neg(%1)
    %3 = add(%0, %2)                          ->    %6 = sub(%0, %1)
    %5 = div(%3, %4)  (%4 the constant 8.0)         %8 = mul(%6, %7)  (%7 the constant 0.125)

Algebra that changes rounding is in ``algebra_inexact``: reassociation, distribution, reciprocals of other numbers than
powers of two. Neither pass simplifies ``x - x``, ``x / x``, ``x * 0`` and ``0 / x``, because of NaN and infinity, nor
``x + 0``, because -0 + 0 is +0.
"""

from __future__ import annotations

import math

import numpy as np

from minigraph.core.float_limits import float_limits
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.structural_ops import CONST, Literal
from minigraph.operators.elementwise import DIV, MUL
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import rule


def _is_real(match: Match) -> bool:
    return match.out.dtype.kind != "c"


@rule
def add_neg(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """IEEE 754 defines a difference as the sum with the negated operand; the same holds for integers."""
    return x + -y, x - y


@rule
def sub_neg(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The two negations cancel."""
    return x - -y, x + y


@rule(where=_is_real)
def mul_negs(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The signs cancel in the sign of the product; complex parts would be added in another order."""
    return -x * -y, x * y


@rule(where=_is_real)
def div_negs(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The signs cancel in the sign of the quotient; complex parts would be added in another order."""
    return -x / -y, x / y


@rule(where=_is_real)
def square_of_neg(x: Tensor) -> tuple[Tensor, Tensor]:
    """A square does not depend on the sign."""
    return apply("square", -x), apply("square", x)


@rule(where=_is_real)
def square_of_abs(x: Tensor) -> tuple[Tensor, Tensor]:
    """A square does not depend on the sign."""
    return apply("square", apply("abs", x)), apply("square", x)


@rule(where=lambda m: m.out.dtype.kind == "f")
def one_over_root(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator rsqrt computes the root, then the quotient."""
    return 1 / apply("sqrt", x), apply("rsqrt", x)


@rule(root=DIV, examples=examples(lambda x: x / 8.0, ((2, 3),), ((),), ((4,),)))
def div_power_of_two(graph: Graph, node: int) -> Ref | None:
    """div(x, 8) -> mul(x, 0.125), for powers of two, whose reciprocal is exact.

    Both round the same real number to nearest; a product is cheaper.
    """
    x, divisor = graph.ins(node)
    is_const = graph.op(producer(divisor)).role == "const" and graph.type(divisor).size == 1
    if not is_const or graph.type(node).dtype.kind != "f":
        return None
    inverse = _reciprocal(graph.attrs(producer(divisor))["value"].array)
    if inverse is None:
        return None
    value, sources = {"value": Literal(inverse)}, (producer(divisor),)
    return graph.emit(MUL, (x, graph.emit(CONST, (), value, [graph.type(divisor)], sources=sources)), sources=(node,))


def _reciprocal(array: np.ndarray) -> np.ndarray | None:
    """The reciprocal of a power of two if both are normal in the dtype, else ``None``: subnormals may be flushed."""
    value = float(array.item())
    if not math.isfinite(value) or abs(math.frexp(value)[0]) != 0.5:
        return None
    inverse, limits = 1 / value, float_limits(array.dtype)
    are_normal = all(limits.tiny <= abs(number) <= limits.max for number in (value, inverse))
    return np.full(array.shape, inverse, array.dtype) if are_normal else None


RULES = (
    add_neg, sub_neg, mul_negs, div_negs, square_of_neg, square_of_abs, one_over_root, div_power_of_two,
)  # fmt: skip


@graph_pass
def algebra(graph: Graph, *, options: Options) -> None:
    """x + -y -> x - y, x / 8 -> x * 0.125, 1 / sqrt(x) -> rsqrt(x): exact algebra; keeps every bit."""
    apply_rules(graph, RULES, options.statistics)
