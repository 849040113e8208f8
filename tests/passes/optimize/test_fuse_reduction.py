"""Reductions fused with their elementwise operands."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops, trace
from minigraph.core.op import TABLE
from minigraph.npu import cycles
from passes.optimize.fuse_reduction import is_reduction
from tests.passes.comparison import optimize_exactly
from tests.tables import results

X = Tensor(np.random.default_rng(0).normal(size=(64, 96)).astype(np.float32))


def sizes(graph):
    """The number of operators in each fused node."""
    bodies = [graph.regions(node)[0] for node in graph if graph.op(node).role == "fused"]
    return [sum(not body.op(node).is_leaf for node in body) for body in bodies]


test_how_many_operators_are_fused = results(
    lambda fn: sizes(optimize_exactly("fuse_reduction", fn, X)),
    (lambda x: ops.square(x).sum(), [2]),
    (lambda x: ops.exp(ops.tanh(x) * 2.0).sum(0), [4]),
    (lambda x: x.sum(), []),
    (lambda x: ops.exp(x.sum(0)), []),
    (lambda x: (lambda e: e / e.sum(1, keepdims=True))(ops.exp(x)), []),
    (lambda x: (lambda e: e.sum(1) * e.mean(1))(ops.exp(x)), []),
    (lambda x: x / ops.abs(x).sum(1, keepdims=True), [3]),
    (lambda x: x / ops.sqrt(ops.square(x).sum(1, keepdims=True)), [4]),
    (lambda x: x / ops.abs(x).sum(0), [2]),
    (lambda x: x / (ops.abs(x).sum(1, keepdims=True) + ops.exp(x).sum(1, keepdims=True)), [4, 2]),
    (lambda x: ops.exp(ops.square(x).sum(1) * 2.0).mean(), [2, 3]),
)


def test_it_saves_memory_traffic():
    mean = jit(lambda x: ops.square(ops.tanh(x)).mean())
    plain, fused = (mean.graph(X, pipeline=pipeline) for pipeline in ("dce", "fuse_reduction,dce"))
    assert cycles(fused) < 0.7 * cycles(plain)


@pytest.mark.parametrize("op", list(TABLE.values()), ids=str)
def test_the_family_decides(op):
    graph = trace(ops.exp, X)
    graph.nodes[graph.outs[0]]["op"] = op
    assert is_reduction(graph, graph.outs[0]) is (op.family == "reduction" and not op.effects)
