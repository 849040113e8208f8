"""Epilogue fusion: a product and the chain of elementwise operators on its result become one fused node.

::

    %4 = matmul(%0, %1)
    %5 = add(%4, %2)                            ->    %8 = fused(%0, %1, %2, %3) {name="MatMulEpilogue"}
    %6 = silu(%5)                                       (body: matmul, add, silu, add)
    %7 = add(%6, %3)

Bias, activation, scale, residual, cast, in any order and number; ``fuse_matmul_bias`` and ``fuse_conv_bn_relu`` do the
same for named epilogues. An activation that is written out is a part of the epilogue, too: a value times a function of
itself, such as GELU by tanh or erf, and SiLU. A batch norm of a convolution may come first. The dtype may change on the
way: an int8 product is scaled to float16. The body holds the same operators, so the pass keeps every bit.
"""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_
from minigraph.ir.graph import Graph, producer
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse
from passes.rewrite.tracing import chain

MAX_EPILOGUE_NODES = 16  # bounds the walk from every elementwise node, each of which may end an epilogue
MAX_ACTIVATION_NODES = 6  # between the uses of a value: a factor, a power, tanh, an addition, a half, a cast


def _keeps_shape(match: Match) -> bool:
    """Whether no other operand of the chain broadcasts the product, and the result is no mask.

    Kernels of products do not compare, so a mask is computed by a task of its own.
    """
    return match.out.shape == match.graph.type(match.paths[0][1]).shape and match.out.dtype != bool_


def _is_activation(match: Match) -> bool:
    """Whether nothing broadcasts the product, and the activation is computed of one value and numbers.

    The operators before it, such as a bias, and those after it may have other operands.
    """
    graph, tail = match.graph, match.root in match.paths[0][0]
    elementwise = [node for node in match.nodes if is_elementwise(graph, node)]
    before = [nodes for nodes, _ in match.paths if len(graph.users(nodes[0])) > 1]  # the value has several uses
    free = {node for nodes in (*(match.paths[0][:1] if tail else ()), *before) for node in nodes}
    operands = [ref for node in elementwise if node not in free for ref in graph.ins(node)]
    is_of_one_value = all(producer(ref) in match.nodes or graph.type(ref).size == 1 for ref in operands)
    keeps_shape = all(graph.types(node)[0].shape == match.out.shape for node in elementwise)
    return is_of_one_value and keeps_shape and match.out.dtype != bool_


def _activation(product: Tensor) -> Tensor:
    """A value times a function of it, as GELU (by tanh or erf) and SiLU are; operators may precede and follow.

    The polynomial in GELU by tanh uses the value several times: x + c * x**3, or x * (1 + c * x**2).
    """
    x = _steps(product, MAX_EPILOGUE_NODES) | product
    gate = _steps(x) | _steps(x + _steps(x)) | _steps(x * _steps(x)) | _steps(_steps(x, 1) * _steps(x))
    gated = x * gate | _steps(x, 1) * gate | x / _steps(x)
    return _steps(gated, MAX_EPILOGUE_NODES) | gated


def _steps(x: Tensor, most: int = MAX_ACTIVATION_NODES) -> Tensor:
    return chain(is_elementwise, x, max_length=most)


def _gelu_epilogue(x: Tensor, w: Tensor, b: Tensor, r: Tensor) -> Tensor:
    y = x @ w + b
    return 0.5 * y * (1 + apply("tanh", 0.8 * (y + 0.04 * y * y * y))) + r


def _conv_gelu(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    y = apply("conv2d", x, w) + b
    return 0.5 * y * (1 + apply("erf", y * 0.7))


def _matmul_epilogue(x: Tensor, w: Tensor, b: Tensor, r: Tensor) -> Tensor:
    return apply("silu", x @ w + b) + r


def _conv_epilogue(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return apply("silu", apply("conv2d", x, w) * b)


def _conv_bn(x: Tensor, w: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    normalized = apply("batch_norm", apply("conv2d", x, w), gamma, beta, mean, variance)
    return chain(is_elementwise, normalized, max_length=MAX_EPILOGUE_NODES)


def _norm_epilogue(x: Tensor, w: Tensor, gamma: Tensor, r: Tensor) -> Tensor:
    return apply("silu", apply("batch_norm", apply("conv2d", x, w), gamma, gamma, gamma, gamma * gamma) + r)


MATMUL_SHAPES = (((2, 3), (3, 4), (4,), (2, 4)), ((2, 3), (3, 1), (1,), (1, 1)), ((2, 2, 3), (3, 2), (2,), (2, 2, 2)))
CONV_SHAPES = (
    ((1, 2, 3, 3), (2, 2, 2, 2), (2, 1, 1)), ((2, 1, 2, 2), (1, 1, 1, 1), (1,)), ((1, 1, 3, 3), (1, 1, 2, 2), ()),
)  # fmt: skip
NORM_SHAPES = (
    ((1, 2, 3, 3), (2, 2, 2, 2), (2,), (1, 2, 2, 2)), ((2, 1, 2, 2), (1, 1, 1, 1), (1,), (1,)),
    ((1, 1, 3, 3), (1, 1, 2, 2), (1,), ()),
)  # fmt: skip
RULES = (
    fuse("MatMulActivation", lambda x, w: _activation(x @ w), where=_is_activation, target="cube",
         examples=examples(_gelu_epilogue, *MATMUL_SHAPES)),
    fuse("ConvActivation", lambda x, w: _activation(apply("conv2d", x, w)), where=_is_activation, target="cube",
         examples=examples(_conv_gelu, *CONV_SHAPES)),
    fuse("MatMulEpilogue", lambda x, w: chain(is_elementwise, x @ w, max_length=MAX_EPILOGUE_NODES), where=_keeps_shape,
         target="cube", examples=examples(_matmul_epilogue, *MATMUL_SHAPES)),
    fuse("ConvNormEpilogue", _conv_bn, where=_keeps_shape, target="cube",
         examples=examples(_norm_epilogue, *NORM_SHAPES)),
    fuse("ConvEpilogue", lambda x, w: chain(is_elementwise, apply("conv2d", x, w), max_length=MAX_EPILOGUE_NODES),
         where=_keeps_shape, target="cube", examples=examples(_conv_epilogue, *CONV_SHAPES)),
)  # fmt: skip


@graph_pass
def fuse_epilogue(graph: Graph, *, options: Options) -> None:
    """silu(x @ w + b) + y -> fused: a product and the elementwise operators after it; keeps every bit.

    Outlines every match of ``RULES``, the longest chains first; inner nodes may have no other use.
    """
    apply_rules(graph, RULES, options.statistics)
