"""Neutral-element elimination after constant folding and unfusing: x * 1, x / 1, x - 0, x + (-0).

::

    %1 = const() {value=f32[1,1]<1.0>}
    %2 = broadcast_to(%1) {shape=(64, 64)}
    %3 = exp(%0)                                ->    %3 = exp(%0)
    %4 = mul(%2, %3)                                  %5 = matmul(%3, %0)
    %5 = matmul(%4, %0)

Gradients of sums start with ones, which become constants only in ``constant_fold``. The rules are those of
``canonicalize`` and keep every bit. A product with one stays if it makes the copy in C order on which the rounding of a
matrix product may depend.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.canonicalize import add_minus_zero, div_one, mul_one, sub_zero
from passes.rewrite.driver import apply_rules

RULES = (mul_one, div_one, sub_zero, add_minus_zero)


@graph_pass
def neutral(graph: Graph, *, options: Options) -> None:
    """x * 1 -> x, x / 1 -> x, x - 0 -> x: neutral elements, broadcast or not; keeps every bit."""
    apply_rules(graph, RULES, options.tally)
