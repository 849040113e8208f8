"""Recognizes activations, softmax and norms that are written with primitives, and replaces them by their operators.

::

    %1 = max(%0) {axis=(1,), keepdims=true}
    %2 = sub(%0, %1)
    %3 = exp(%2)                              ->    %6 = softmax(%0) {axis=1}
    %4 = sum(%3) {axis=(1,), keepdims=true}
    %5 = div(%3, %4)

Each operator computes exactly these steps in this order, so the pass keeps every bit. ``recognize_inexact`` recognises
forms that round differently. A form whose intermediate values have other uses, such as a gradient, is not replaced.
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
from passes.rewrite.tracing import S, maybe

OPERAND_SHAPES = (((3,),), ((2, 3),), ((2, 3, 2),))  # for the examples of rules with one operand

# ---- activations -------------------------------------------------------------------------------------


def _is_float(match: Match) -> bool:
    return match.x.dtype.kind == "f"


@rule(where=_is_float)
def sigmoid(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator's own steps: exp, sum, quotient."""
    return 1 / (1 + apply("exp", -x)), apply("sigmoid", x)


@rule(where=_is_float)
def silu(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator multiplies x by its sigmoid."""
    return x * apply("sigmoid", x), apply("silu", x)


@rule(where=_is_float)
def gelu(x: Tensor) -> tuple[Tensor, Tensor]:
    """The erf form, halved before the product, as in the operator."""
    return x * (0.5 * (1 + apply("erf", x * ROOT_HALF))), apply("gelu", x)


@rule(where=_is_float)
def gelu_tanh(x: Tensor) -> tuple[Tensor, Tensor]:
    """The tanh form, in the operator's order."""
    inner = ROOT_2_PI * (x + GELU_CUBIC * (x * x * x))
    return 0.5 * x * (1 + apply("tanh", inner)), apply("gelu", x, approximate="tanh")


# ---- softmax -----------------------------------------------------------------------------------------


def _is_float_along_one_axis(match: Match) -> bool:
    return match.x.dtype.kind == "f" and len(match.attrs["axis"]) == 1


def _is_along_operator_axis(match: Match) -> bool:
    """Whether the maximum is taken along the operator's axis."""
    return bool(match.attrs["axis"] == (match.attrs["at"],))


def _only_axis(match: Match) -> int:
    return int(match.attrs["axis"][0])


def _subtract_maximum(x: Tensor, axis: object) -> Tensor:
    """x minus the maximum of each row, with or without a stop_gradient on the maximum."""
    return x - maybe("stop_gradient", apply("max", x, axis=axis, keepdims=True))


def _softmax(x: Tensor, axis: object = S.axis) -> Tensor:
    powers = apply("exp", _subtract_maximum(x, axis))
    return powers / apply("sum", powers, axis=axis, keepdims=True)


def _log_softmax(x: Tensor, axis: object = S.axis) -> Tensor:
    centered = _subtract_maximum(x, axis)
    return centered - apply("log", apply("sum", apply("exp", centered), axis=axis, keepdims=True))


@rule(where=_is_float_along_one_axis, examples=examples(lambda x: _example_softmax(x), *OPERAND_SHAPES))
def softmax(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator's own steps: shift, exp, sum, quotient."""
    return _softmax(x), apply("softmax", x, axis=S(_only_axis))


@rule(where=_is_float_along_one_axis, examples=examples(lambda x: _example_log_softmax(x), *OPERAND_SHAPES))
def log_softmax(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator's own steps: shift, exp, sum, log, difference."""
    return _log_softmax(x), apply("log_softmax", x, axis=S(_only_axis))


@rule(where=_is_along_operator_axis, examples=examples(lambda x: _example_shifted("softmax", x), *OPERAND_SHAPES))
def softmax_of_shifted(x: Tensor) -> tuple[Tensor, Tensor]:
    """The operator shifts rows itself; the maximum of a shifted row is 0, or NaN, which makes the whole row NaN."""
    return apply("softmax", _subtract_maximum(x, S.axis), axis=S.at), apply("softmax", x, axis=S.at)


@rule(where=_is_along_operator_axis, examples=examples(lambda x: _example_shifted("log_softmax", x), *OPERAND_SHAPES))
def log_softmax_of_shifted(x: Tensor) -> tuple[Tensor, Tensor]:
    """As for softmax."""
    return apply("log_softmax", _subtract_maximum(x, S.axis), axis=S.at), apply("log_softmax", x, axis=S.at)


def _example_shifted(op: str, x: Tensor) -> Tensor:
    return apply(op, x - apply("max", x, axis=-1, keepdims=True), axis=-1)


def _example_softmax(x: Tensor) -> Tensor:
    powers = apply("exp", x - apply("max", x, axis=-1, keepdims=True))
    return powers / apply("sum", powers, axis=-1, keepdims=True)


def _example_log_softmax(x: Tensor) -> Tensor:
    centered = x - apply("stop_gradient", apply("max", x, axis=0, keepdims=True))
    return centered - apply("log", apply("sum", apply("exp", centered), axis=0, keepdims=True))


# ---- norms -------------------------------------------------------------------------------------------


def _is_float_with_constant_eps(match: Match) -> bool:
    return match.x.dtype.kind == "f" and match.eps.const is not None and match.eps.const.shape == ()


def _mean(x: Tensor, axis: object) -> Tensor:
    return apply("mean", x, axis=axis, keepdims=True)


@rule(where=_is_float_with_constant_eps, examples=examples(lambda x: _example_normalize(x), *OPERAND_SHAPES))
def normalize(x: Tensor, eps: TensorLike) -> tuple[Tensor, Tensor]:
    """The operator's own steps: mean, difference, mean of squares, root, quotient."""
    centered = x - _mean(x, S.axis)
    squares = centered * centered | apply("square", centered)
    result = apply("normalize", x, axis=S.axis, eps=S(lambda match: float(match.eps.const)))
    return centered / apply("sqrt", _mean(squares, S.axis) + eps), result


def _example_normalize(x: Tensor) -> Tensor:
    centered = x - _mean(x, -1)
    return centered / apply("sqrt", 1e-5 + _mean(apply("square", centered), -1))


def _has_row_parameters(match: Match) -> bool:
    axes, x = match.attrs["axis"], match.x.type
    behind = axes == tuple(range(axes[0], x.ndim)) if axes else False
    rows = x.shape[axes[0] :] if axes else ()
    return behind and all(t.shape == rows and t.dtype is x.dtype for t in (match.gamma.type, match.beta.type))


@rule(where=_has_row_parameters, examples=examples(lambda x, *ab: _example_layer_norm(x, *ab), ((2, 3), (3,), (3,)),
                                        ((2, 3, 2), (3, 2), (3, 2)), ((4,), (4,), (4,))))  # fmt: skip
def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
    """The operator's own steps: product and sum after the normalised rows."""
    rows = apply("normalize", x, axis=S.axis, eps=S.eps)
    return rows * gamma + beta, apply("layer_norm", x, gamma, beta, axis=S(_only_axis), eps=S.eps)


def _example_layer_norm(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    axes = tuple(range(len(x.shape) - len(gamma.shape), len(x.shape)))
    return apply("normalize", x, axis=axes, eps=1e-6) * gamma + beta


RULES = (
    sigmoid, silu, gelu, gelu_tanh, softmax, log_softmax, softmax_of_shifted, log_softmax_of_shifted, normalize,
    layer_norm,
)  # fmt: skip


@graph_pass
def recognize(graph: Graph, *, options: Options) -> None:
    """exp(x - max(x)) / sum(...) -> softmax(x), also norms, gelu, silu, sigmoid; keeps every bit."""
    apply_rules(graph, RULES, options.statistics)
