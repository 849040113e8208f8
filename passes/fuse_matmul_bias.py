"""A matrix product, the bias added to it and the activation after that become one fused node.

::

    %3 = matmul(%0, %1)
    %4 = add(%3, %2)                      ->    %6 = fused(%0, %1, %2) {name="MatMulBiasRelu"}
    %5 = relu(%4)
"""

from __future__ import annotations

from minigraph.ir.graph import Graph
from minigraph.op import apply
from passes.pipelines.registry import Options, graph_pass
from passes.rules.rewrite import apply_rules
from passes.rules.rule import fuse

RULES = (
    fuse("MatMulBiasRelu", lambda x, w, b: apply("relu", x @ w + b)),
    fuse("MatMulBiasGelu", lambda x, w, b: apply("gelu", x @ w + b)),
    fuse("MatMulBiasTanh", lambda x, w, b: apply("tanh", x @ w + b)),
    fuse("MatMulBiasSigmoid", lambda x, w, b: apply("sigmoid", x @ w + b)),
    fuse("MatMulBias", lambda x, w, b: x @ w + b),
)


@graph_pass
def fuse_matmul_bias(graph: Graph, *, options: Options) -> None:
    """relu(x @ w + b) -> fused, also with gelu, tanh, sigmoid, or the bias alone; keeps every bit.

    Outlines every match of ``RULES``; the product and the sum may have no other use.
    """
    apply_rules(graph, RULES, options.tally)
