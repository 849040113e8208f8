"""The pass ``algebra_inexact``: algebra that holds for real numbers but changes rounding (LLVM: fast-math).

::

    %3 = mul(%0, %2)
    %4 = mul(%1, %2)                          ->    %6 = add(%0, %1)
    %5 = add(%3, %4)                                %7 = mul(%6, %2)

Each rule changes a result by a few roundings; with cancellation, as in (1e8 + x) - 1e8, by more. So the pass is not
part of a default pipeline. The rules apply to floats only.
"""

from __future__ import annotations

import math

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import rule
from passes.rewrite.tracing import S

RELATIVE_TOLERANCE = 1e-5  # in float32


def _is_float(match: Match) -> bool:
    return match.out.dtype.kind == "f"


def _are_constants(match: Match) -> bool:
    """Whether both operands are constant numbers, which constant folding can combine."""
    return _is_float(match) and all(v.const is not None and v.const.shape == () for v in (match.c, match.d))


def _has_equal_types(match: Match) -> bool:
    return _is_float(match) and match.x.type == match.y.type


OPERAND_SHAPES = (((3,),), ((2, 3),), ((),))  # for the examples of rules with constant numbers


@rule(
    where=_are_constants, exact=False, tol=RELATIVE_TOLERANCE,
    examples=examples(lambda x: (x + 0.1) + 0.3, *OPERAND_SHAPES),
)  # fmt: skip
def add_add(x: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
    """Reassociation; the sum of the two constants is folded later."""
    return (x + c) + d, x + (c + d)


@rule(
    where=_are_constants, exact=False, tol=RELATIVE_TOLERANCE,
    examples=examples(lambda x: (x * 0.1) * 0.3, *OPERAND_SHAPES),
)  # fmt: skip
def mul_mul(x: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
    """Reassociation; the product of the two constants may overflow."""
    return (x * c) * d, x * (c * d)


@rule(where=lambda m: _is_float(m) and _is_divisor(m), exact=False, tol=RELATIVE_TOLERANCE,
      examples=examples(lambda x: x / 3.0, *OPERAND_SHAPES))  # fmt: skip
def div_number(x: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """A product with the reciprocal, which adds one rounding."""
    return x / c, x * apply("reciprocal", c)


def _is_divisor(match: Match) -> bool:
    """Whether the divisor is a constant with a finite reciprocal and no power of two, which ``algebra`` handles."""
    const = match.c.const
    if const is None or const.shape != () or not const or not math.isfinite(1 / float(const)):
        return False
    return abs(math.frexp(float(const))[0]) != 0.5


@rule(where=_has_equal_types, exact=False, tol=RELATIVE_TOLERANCE)
def factor(x: Tensor, y: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """The distributive law: one product instead of two."""
    return x * c + y * c, (x + y) * c


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def exp_exp(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """One exponential instead of two, and overflow only for larger operands."""
    return apply("exp", x) * apply("exp", y), apply("exp", x + y)


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def log_exp(x: Tensor) -> tuple[Tensor, Tensor]:
    """Equal unless exp overflows or underflows; then the replacement is more accurate."""
    return apply("log", apply("exp", x)), x


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def pow_two(x: Tensor) -> tuple[Tensor, Tensor]:
    """The pow function rounds differently from a product."""
    return apply("pow", x, 2.0), apply("square", x)


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def pow_three(x: Tensor) -> tuple[Tensor, Tensor]:
    """The pow function rounds differently from two products."""
    return apply("pow", x, 3.0), x * x * x


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def times_rsqrt(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A quotient by the root; the reciprocal root is not rounded before the product."""
    return x * apply("rsqrt", y), x / apply("sqrt", y)


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def sum_of_negs(x: Tensor) -> tuple[Tensor, Tensor]:
    """One negation per result instead of one per element; the sign of a zero sum may differ."""
    return apply("sum", -x, axis=S.axis, keepdims=S.keep), -apply("sum", x, axis=S.axis, keepdims=S.keep)


CONV_BN_SHAPES = (
    ((2, 3, 4, 4), (5, 3, 2, 2), (5,), (5,), (5,), (5,)),
    ((1, 1, 2, 2), (1, 1, 1, 1), (1,), (1,), (1,), (1,)),
)


def _conv_batch_norm(x: Tensor, w: Tensor, *statistics: Tensor) -> Tensor:
    return apply("batch_norm", apply("conv2d", x, w), *statistics)


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE, examples=examples(_conv_batch_norm, *CONV_BN_SHAPES))
def fold_batch_norm(
    x: Tensor, w: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor
) -> tuple[Tensor, Tensor]:
    """For inference: the scale is folded into the kernel, which leaves one elementwise addition on the image."""
    window = {"stride": S.stride, "padding": S.padding, "dilation": S.dilation, "group": S.group}
    scale = gamma / apply("sqrt", variance + S.eps)
    kernel = w * apply("reshape", scale, shape=(-1, 1, 1, 1))
    shift = apply("reshape", beta - mean * scale, shape=(-1, 1, 1))
    normalized = apply("batch_norm", apply("conv2d", x, w, **window), gamma, beta, mean, variance, eps=S.eps)
    return normalized, apply("conv2d", x, kernel, **window) + shift


RULES = (
    add_add, mul_mul, div_number, factor, exp_exp, log_exp, pow_two, pow_three, times_rsqrt, sum_of_negs,
    fold_batch_norm,
)  # fmt: skip


@graph_pass(tol=RELATIVE_TOLERANCE)
def algebra_inexact(graph: Graph, *, options: Options) -> None:
    """x * c + y * c -> (x + y) * c, x / 3 -> x * (1 / 3), x**3 -> x * x * x; within 1e-5 without cancellation.

    Also folds the batch norm after a convolution into the kernel, for inference.
    """
    apply_rules(graph, RULES, options.statistics)
