"""The pass ``recognize_inexact``: recognises forms of activations, softmax and norms that round differently.

::

    %1 = erf(%0 / 1.4142135)                  ->    %5 = gelu(%0)
    %4 = mul(mul(%0, 0.5), add(1.0, %1))

Results may change by rounding, and overflows may become finite, because the operators subtract the maximum before exp.
So the pass is not part of a default pipeline; run it before ``recognize``.
"""

from __future__ import annotations

from minigraph.core.aliases import TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from minigraph.operators.activation import GELU_CUBIC, ROOT_2_PI, ROOT_HALF
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import rule
from passes.rewrite.tracing import S

RELATIVE_TOLERANCE = 1e-5  # in float32
ROOT_2 = 2**0.5
OPERAND_SHAPES = (((3,),), ((2, 3),), ((2, 3, 2),))  # for the examples of rules


def _is_float(match: Match) -> bool:
    return match.x.dtype.kind == "f"


def _one_plus_erf(x: Tensor) -> Tensor:
    """1 + erf(x / sqrt(2)), with a quotient or a product."""
    return 1 + apply("erf", x / ROOT_2 | x * ROOT_HALF)


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def gelu_halved(x: Tensor) -> tuple[Tensor, Tensor]:
    """x is halved first; the operator halves the probability."""
    return 0.5 * x * _one_plus_erf(x), apply("gelu", x)


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def gelu_halved_last(x: Tensor) -> tuple[Tensor, Tensor]:
    """The product is halved last."""
    return 0.5 * (x * _one_plus_erf(x)), apply("gelu", x)


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def gelu_divided(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator multiplies by sqrt(1/2)."""
    return x * (0.5 * (1 + apply("erf", x / ROOT_2))), apply("gelu", x)


def _one_plus_tanh(x: Tensor) -> Tensor:
    """1 + tanh(...), with the cube as a power or as products."""
    cube = apply("pow", x, 3.0) | x * (x * x) | x * x * x
    return 1 + apply("tanh", ROOT_2_PI * (x + GELU_CUBIC * cube))


@rule(where=_is_float, exact=False, tol=RELATIVE_TOLERANCE)
def gelu_tanh_halved(x: Tensor) -> tuple[Tensor, Tensor]:
    """The cube, or the position of the factor 0.5, differs from the operator's."""
    gelu = apply("gelu", x, approximate="tanh")
    return 0.5 * x * _one_plus_tanh(x) | 0.5 * (x * _one_plus_tanh(x)) | x * (0.5 * _one_plus_tanh(x)), gelu


# ---- softmax -----------------------------------------------------------------------------------------


def _is_float_along_one_axis(match: Match) -> bool:
    return match.x.dtype.kind == "f" and len(match.attrs["axis"]) == 1


def _only_axis(match: Match) -> int:
    return int(match.attrs["axis"][0])


def _unshifted_softmax(x: Tensor, axis: object) -> Tensor:
    exps = apply("exp", x)
    return exps / apply("sum", exps, axis=axis, keepdims=True)


@rule(where=_is_float_along_one_axis, exact=False, tol=RELATIVE_TOLERANCE,
      examples=examples(lambda x: _unshifted_softmax(x, -1), *OPERAND_SHAPES))  # fmt: skip
def softmax_unshifted(x: Tensor) -> tuple[Tensor, Tensor]:
    """Without the shift, exp overflows above 88 in float32."""
    return _unshifted_softmax(x, S.axis), apply("softmax", x, axis=S(_only_axis))


@rule(exact=False, tol=RELATIVE_TOLERANCE)
def log_of_softmax(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator needs no quotient, and gives no minus infinity where softmax underflows to zero."""
    return apply("log", apply("softmax", x, axis=S.axis)), apply("log_softmax", x, axis=S.axis)


@rule(where=_is_float_along_one_axis, exact=False, tol=RELATIVE_TOLERANCE,
      examples=examples(lambda x: x - apply("logsumexp", x, axis=-1, keepdims=True), *OPERAND_SHAPES))  # fmt: skip
def minus_logsumexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator subtracts the shift and the logarithm one after the other."""
    return x - apply("logsumexp", x, axis=S.axis, keepdims=True), apply("log_softmax", x, axis=S(_only_axis))


# ---- norms -------------------------------------------------------------------------------------------


def _is_float_with_constant_eps(match: Match) -> bool:
    return match.x.dtype.kind == "f" and match.eps.const is not None and match.eps.const.shape == ()


def _eps(match: Match) -> float:
    return float(match.eps.const)


def _mean(x: Tensor, axis: object) -> Tensor:
    return apply("mean", x, axis=axis, keepdims=True)


@rule(
    where=_is_float_with_constant_eps,
    exact=False,
    tol=RELATIVE_TOLERANCE,
    examples=examples(lambda x: _example_by_rsqrt(x), *OPERAND_SHAPES),
)
def normalize_by_rsqrt(x: Tensor, eps: TensorLike) -> tuple[Tensor, Tensor]:
    """A product with the reciprocal root, where the operator divides by the root."""
    centered = x - _mean(x, S.axis)
    variance = _mean(centered * centered | apply("square", centered) | apply("pow", centered, 2.0), S.axis)
    normalized = centered * apply("rsqrt", variance + eps) | centered * (1 / apply("sqrt", variance + eps))
    return normalized, apply("normalize", x, axis=S.axis, eps=S(_eps))


@rule(
    where=_is_float_with_constant_eps,
    exact=False,
    tol=RELATIVE_TOLERANCE,
    examples=examples(lambda x: _example_by_power(x), *OPERAND_SHAPES),
)
def normalize_by_power(x: Tensor, eps: TensorLike) -> tuple[Tensor, Tensor]:
    """The square as a power."""
    centered = x - _mean(x, S.axis)
    variance = _mean(apply("pow", centered, 2.0), S.axis)
    return centered / apply("sqrt", variance + eps), apply("normalize", x, axis=S.axis, eps=S(_eps))


def _example_by_rsqrt(x: Tensor) -> Tensor:
    centered = x - _mean(x, -1)
    return centered * apply("rsqrt", _mean(centered * centered, -1) + 0.01)


def _example_by_power(x: Tensor) -> Tensor:
    centered = x - _mean(x, -1)
    return centered / apply("sqrt", _mean(apply("pow", centered, 2.0), -1) + 0.01)


RULES = (
    gelu_halved, gelu_halved_last, gelu_divided, gelu_tanh_halved, softmax_unshifted, log_of_softmax, minus_logsumexp,
    normalize_by_rsqrt, normalize_by_power,
)  # fmt: skip


@graph_pass(tol=RELATIVE_TOLERANCE)
def recognize_inexact(graph: Graph, *, options: Options) -> None:
    """exp(x) / sum(exp(x)) -> softmax(x), also other forms of norms and gelu; within 1e-5."""
    apply_rules(graph, RULES, options.statistics)
