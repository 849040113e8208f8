"""The checker of the lesson on your own model."""

from __future__ import annotations

from typing import Any

import passes
from minigraph.compilation import jit
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from minigraph.lessons.answers import check_type, checker
from minigraph.lessons.feedback import WrongAnswerError, is_bitwise_equal, nodes_text, operators
from minigraph.npu import cycles

NORM = "norm"  # part of the names of the Cells to fuse


@checker
def check_norm_rule(rule: object, net: Any, x: Tensor) -> None:
    """Check that a rule fuses every norm of a network completely, with equal bits and in fewer cycles."""
    if rule is None:
        raise WrongAnswerError('NORM is None: write a rule, fuse("RMSNorm", lambda x, w, e: ...)')
    check_type("NORM", rule, passes.AnyRule, 'write a rule, fuse("RMSNorm", lambda x, w, e: ...)')
    captured = jit(net).graph(x, pipeline=())
    norms = {_scope(captured, node) for node in operators(captured) if NORM in _scope(captured, node)}
    graph = captured.clone()
    passes.Pipeline([rule]).run(graph)
    fused = [node for node in operators(graph) if graph.op(node).role == "fused"]
    if len(fused) != len(norms):
        raise WrongAnswerError(f"the rule fires {len(fused)} times, not once for each of the {len(norms)} norms")
    outside = [node for node in operators(graph) if NORM in _scope(graph, node) and node not in fused]
    if outside:
        raise WrongAnswerError(
            f"{nodes_text(graph, outside)} is still outside the fused nodes: the pattern has to contain it"
        )
    if not is_bitwise_equal(captured, graph, [x]):
        raise WrongAnswerError(f"{nodes_text(graph, fused)} do not compute the norms")
    before, after = (cycles(jit(net, pipeline=pipeline).graph(x)) for pipeline in ("default", [rule, "default"]))
    if after >= before:
        raise WrongAnswerError(f"{nodes_text(graph, fused)}: {after:,} cycles, and {before:,} without the rule")
    print(f"Right: the rule fires {len(fused)} times, with the same bits; {before:,} cycles became {after:,}.")


def _scope(graph: Graph, node: int) -> str:
    """The path of the Cell of a node."""
    return graph.loc(node)[0].scope if graph.loc(node) else ""
