"""Fuses the operators that compute an RMS norm or a layer norm, or a normalization's affine part, into one node each.

::

    %3 = square(%0)
    %4 = mean(%3) {axis=(1,), keepdims=true}
    %5 = rsqrt(%4 + 1e-6)                          ->    %8 = fused(%0, %1) {name="RmsNorm"}
    %6 = mul(%0, %5)
    %7 = mul(%6, %1)

RMS norm: Zhang and Sennrich 2019, "Root mean square layer normalization", arXiv 1910.07467. A layer norm subtracts the
mean of its rows first; ``recognize`` replaces the form that is exactly the operator, and this pass takes the others:
with rsqrt or a power, with the variance of a float32 copy, or as mean(x * x) - mean(x)**2. Casts before and after, a
scale and a shift are parts of the kernel. In a group norm there is a reshape between the normalization of the groups
and the scale and shift of the channels. The body holds the original operators, so the pass keeps every bit.

Not handled: casts of the scale or the shift, which remain tasks of their own.
"""

from __future__ import annotations

from minigraph.core.aliases import TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph, producer
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse
from passes.rewrite.tracing import S, chain, is_cheap


def is_scale_or_shift(graph: Graph, node: int) -> bool:
    """Whether a node combines a tensor with fewer elements or axes, such as a row, or casts it to a float type."""
    if not is_elementwise(graph, node):
        return False
    result, operands = graph.types(node)[0], [graph.type(ref) for ref in graph.ins(node)]
    if not result.dtype.is_float:
        return False
    if len(operands) == 1:
        return operands[0].dtype is not result.dtype
    if len(operands) != 2 or result.size != max(t.size for t in operands):
        return False
    return result.ndim == 1 or any(t.size < result.size or t.ndim < result.ndim for t in operands)


def _is_norm(match: Match) -> bool:
    """Whether the means keep their axes, nothing broadcasts the rows, and the factor of a row depends on it alone."""
    if match.attrs["keep"] is not True or match.out.shape != match.x.shape:
        return False
    paths = match.paths[match.root in match.paths[0][0] :]  # without the scale and shift of the result
    graph, known = match.graph, {*match.nodes, producer(match.values["x"])}
    operands = (ref for nodes, _ in paths for node in nodes for ref in graph.ins(node))
    return all(producer(ref) in known or graph.type(ref).size == 1 for ref in operands)


def _mean(x: Tensor) -> Tensor:
    return apply("mean", x, axis=S.axis, keepdims=S.keep)


def _square(x: Tensor) -> Tensor:
    """Any operator on x alone: x * x, square(x), pow(x, 2)."""
    return chain(is_cheap, x, max_length=1)


def _rows(x: Tensor, moment: Tensor) -> Tensor:
    """x times rsqrt(moment + eps), or over its root: whatever is computed of the moment, such as its cast or power."""
    factor = chain(is_cheap, moment, max_length=FACTOR_NODES)
    return x * factor | x / factor


def _cast(x: Tensor) -> Tensor:
    return apply("cast", x)


def _rms_rows(x: Tensor) -> Tensor:
    y = _cast(x)
    return _rows(y, _mean(_square(y))) | _rows(x, _mean(_square(x)))


def _layer_norm_rows(x: Tensor) -> Tensor:
    """The variance as the mean of the squared deviations, or as the mean of the squares minus the squared mean.

    A cast of x comes first, so that it becomes a part of the kernel.
    """
    y = _cast(x)
    mean, mean_of_cast = _mean(x), _mean(y)
    deviations, deviations_of_cast = x - mean, y - mean_of_cast
    variance = _mean(_square(deviations_of_cast)) | _mean(_square(y)) - _square(mean_of_cast)
    own_variance = _mean(_square(deviations)) | _mean(_square(x)) - _square(mean)
    return _rows(deviations_of_cast, variance) | _rows(deviations, variance | own_variance)


def _with_affine_part(rows: Tensor) -> Tensor:
    return chain(is_scale_or_shift, rows, max_length=TAIL_NODES)


def _is_scale_and_shift(match: Match) -> bool:
    """Whether no operand broadcasts the normalised values or changes their dtype."""
    return match.out.type == match.graph.type(match.paths[0][1])


def _affine_norm(x: Tensor) -> Tensor:
    normalized = apply("normalize", x, axis=S.axis, eps=S.eps)
    return chain(is_elementwise, apply("reshape", normalized, shape=S.shape) | normalized, max_length=AFFINE_NODES)


def _affine_example(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    groups = apply("normalize", x.reshape((x.shape[0], 2, -1)), axis=(2,), eps=1e-5)
    return groups.reshape(x.shape) * gamma + beta


def _example(x: Tensor, gamma: TensorLike) -> Tensor:
    return x / apply("sqrt", apply("mean", x * x, axis=-1, keepdims=True) + 1e-6) * gamma


def _layer_norm_example(x: Tensor, gamma: TensorLike) -> Tensor:
    deviations = x - apply("mean", x, axis=-1, keepdims=True)
    return deviations * apply("rsqrt", apply("mean", deviations * deviations, axis=-1, keepdims=True) + 1e-6) * gamma


EXAMPLE_SHAPES = (((2, 3), (3,)), ((2, 2, 3), (3,)), ((4, 1), (1,)))
ROW_SHAPES = (((2, 3),), ((2, 2, 3),), ((4, 2),))
FACTOR_NODES = 4  # a cast, an addition of epsilon, a root and its reciprocal
TAIL_NODES = 8  # a cast, a scale, a shift, a cast back; casts of the scale and the shift count, too
AFFINE_NODES = 2  # a multiplication by the scale and an addition of the shift
AFFINE_SHAPES = (((2, 4), (4,), (4,)), ((1, 2), (1, 1), ()), ((3, 2, 2), (2, 1), (2, 1)))
LAYER_NORM_RULES = (
    fuse("LayerNorm", lambda x: _with_affine_part(_layer_norm_rows(x)), where=_is_norm,
         examples=examples(_layer_norm_example, *EXAMPLE_SHAPES)),
    fuse("LayerNormRows", _layer_norm_rows, where=_is_norm,
         examples=examples(lambda x: _layer_norm_example(x, 1.0), *ROW_SHAPES)),
)  # fmt: skip
OTHER_RULES = (
    fuse("RmsNorm", lambda x: _with_affine_part(_rms_rows(x)), where=_is_norm,
         examples=examples(_example, *EXAMPLE_SHAPES)),
    fuse("RmsRows", _rms_rows, where=_is_norm, examples=examples(lambda x: _example(x, 1.0), *ROW_SHAPES)),
    fuse("AffineNorm", _affine_norm, where=_is_scale_and_shift, examples=examples(_affine_example, *AFFINE_SHAPES)),
)  # fmt: skip
RULES = (*LAYER_NORM_RULES, *OTHER_RULES)


@graph_pass(layer_norms=True)
def fuse_rms_norm(graph: Graph, *, options: Options) -> None:
    """x * rsqrt(mean(x * x) + eps) * gamma -> fused: RMS norm; layer norms and their affine parts, too; bit-exact.

    Without ``layer_norms``, the operators of a layer norm are left for other fusions.
    """
    apply_rules(graph, RULES if options["layer_norms"] else OTHER_RULES, options.statistics)
