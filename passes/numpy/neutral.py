"""Elements that change nothing, where the values around them became constants or came out of fused nodes.

::

    %1 = const() {value=f32[1,1]<1.0>}
    %2 = broadcast_to(%1) {shape=(64, 64)}
    %3 = exp(%0)                                ->    %3 = exp(%0)
    %4 = mul(%2, %3)                                  %5 = matmul(%3, %0)
    %5 = matmul(%4, %0)

Gradients of sums begin with ones, which are constants only after ``constant_fold``. The rules are those of
``canonicalize`` and keep every bit; where a value is kept, a product with one stays if it is what makes a copy in C
order, by which a matrix product may round.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.canonicalize import add_minus_zero, div_one, mul_one, sub_zero
from passes.rewrite.driver import apply_rules

RULES = (mul_one, div_one, sub_zero, add_minus_zero)


@graph_pass
def neutral(graph: Graph, *, options: Options) -> None:
    """x * 1 -> x, x / 1 -> x, x - 0 -> x: elements that change nothing, also repeated ones; keeps every bit."""
    apply_rules(graph, RULES, options.tally)
