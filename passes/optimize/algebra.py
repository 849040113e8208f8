"""Algebra that keeps every bit: signs that cancel, quotients that are products, roots that are one operator.

::

    %2 = neg(%1)
    %3 = add(%0, %2)                          ->    %6 = sub(%0, %1)
    %5 = div(%3, %4)  (%4 the constant 8.0)         %8 = mul(%6, %7)  (%7 the constant 0.125)

What is equal on paper and not in floating point is in ``algebra_near``: sums and products in another order,
distribution, reciprocals of what is no power of two. ``x - x``, ``x / x``, ``x * 0`` and ``0 / x`` are in neither,
because of NaN and infinity; ``x + 0`` because -0 + 0 is +0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigraph.core.op import apply
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.records import CONST, Literal
from minigraph.operators.elementwise import DIV, MUL
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import rule


def _is_real(match: Match) -> bool:
    return match.out.dtype.kind != "c"


@rule
def add_neg(x: Any, y: Any) -> Any:
    """A difference is defined as the sum with the sign turned, of integers as well."""
    return x + -y, x - y


@rule
def sub_neg(x: Any, y: Any) -> Any:
    """The sign turned twice."""
    return x - -y, x + y


@rule(where=_is_real)
def mul_negs(x: Any, y: Any) -> Any:
    """The sign of a product is that of both signs; complex parts would be added in another order."""
    return -x * -y, x * y


@rule(where=_is_real)
def div_negs(x: Any, y: Any) -> Any:
    """As of a product."""
    return -x / -y, x / y


@rule(where=_is_real)
def square_of_neg(x: Any) -> Any:
    """The sign goes, whatever it was."""
    return apply("square", -x), apply("square", x)


@rule(where=_is_real)
def square_of_abs(x: Any) -> Any:
    """The sign goes, whatever it was."""
    return apply("square", apply("abs", x)), apply("square", x)


@rule(where=lambda m: m.out.dtype.kind == "f")
def one_over_root(x: Any) -> Any:
    """rsqrt takes the root, then the quotient."""
    return 1 / apply("sqrt", x), apply("rsqrt", x)


@rule(root=DIV, on=examples(lambda x: x / 8.0, ((2, 3),), ((),), ((4,),)))
def div_power_of_two(graph: Graph, node: int) -> Ref | None:
    """div(x, 8) -> mul(x, 0.125), for powers of two, whose reciprocal is exact.

    Both round the same real number to the nearest then; a product is cheaper.
    """
    x, by = graph.ins(node)
    if graph.op(producer(by)).role != "const" or graph.type(node).dtype.kind != "f" or graph.type(by).size != 1:
        return None
    array = graph.attrs(producer(by))["value"].array
    inverse = _reciprocal(array)
    if inverse is None:
        return None
    made = graph.emit(CONST, (), {"value": Literal(inverse)}, [graph.type(by)], sources=(producer(by),))
    return graph.emit(MUL, (x, made), sources=(node,))


def _reciprocal(array: np.ndarray) -> np.ndarray | None:
    """1 / a power of two that is a normal number in the dtype, else ``None``; a subnormal may be flushed somewhere."""
    value = float(array.item())
    if not math.isfinite(value) or abs(math.frexp(value)[0]) != 0.5:
        return None
    inverse, limits = 1 / value, np.finfo(array.dtype)
    within = all(float(limits.tiny) <= abs(number) <= float(limits.max) for number in (value, inverse))
    return np.full(array.shape, inverse, array.dtype) if within else None


RULES = (
    add_neg, sub_neg, mul_negs, div_negs, square_of_neg, square_of_abs, one_over_root, div_power_of_two,
)  # fmt: skip


@graph_pass
def algebra(graph: Graph, *, options: Options) -> None:
    """x + -y -> x - y, x / 8 -> x * 0.125, 1 / sqrt(x) -> rsqrt(x): algebra that keeps every bit."""
    apply_rules(graph, RULES, options.tally)
