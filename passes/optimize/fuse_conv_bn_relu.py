"""Fuses a convolution with the batch norm or bias and the ReLU that follow it.

::

    %6 = conv2d(%0, %1)
    %7 = batch_norm(%6, %2, %3, %4, %5)   ->    %9 = fused(%0, ..., %5) {name="ConvBatchNormRelu"}
    %8 = relu(%7)
"""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.rewrite.driver import apply_rules
from passes.rewrite.rule import fuse


def _conv_bn(x: Tensor, w: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    return apply("batch_norm", apply("conv2d", x, w), gamma, beta, mean, variance)


def _conv_bn_relu(x: Tensor, w: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    return apply("relu", _conv_bn(x, w, gamma, beta, mean, variance))


RULES = (
    fuse("ConvBatchNormRelu", _conv_bn_relu),
    fuse("ConvBatchNorm", _conv_bn),
    fuse("ConvBiasRelu", lambda x, w, b: apply("relu", apply("conv2d", x, w) + b)),
    fuse("ConvBias", lambda x, w, b: apply("conv2d", x, w) + b),
    fuse("ConvRelu", lambda x, w: apply("relu", apply("conv2d", x, w))),
)


@graph_pass
def fuse_conv_bn_relu(graph: Graph, *, options: Options) -> None:
    """relu(batch_norm(conv2d(x, w))) -> fused, also with a bias, or with one of the two only; keeps every bit.

    Outlines every match of ``RULES``, with any stride, padding or epsilon; inner nodes may have no other use.
    """
    apply_rules(graph, RULES, options.statistics)
