"""Sums of slices scattered into one tensor."""

import numpy as np
import pytest

from minigraph import Tensor, grad, interpret, trace
from minigraph.operators.scatter import SCATTER_SUM
from passes import as_pipeline

X = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3) - 5)


def rows(x):
    return sum(((x[i] * x[i + 1]).tanh() for i in range(3)), x[0])


def overlapping_slices(x):
    return (x[0:3] * x[1:4]).sum() + x[:, 1:].exp().sum() + x[1:, :2].sum()


def with_others(x):
    return (x * 2.0).sum() + (x[1] * x[2]).sum() + x.tanh().sum() + x[::2, 1].sum()


def by_tensor(x):
    positions = Tensor(np.array([0, 2, 2]))
    return (x[positions] * x[1:4]).sum() + x[positions].sum() + x[0].sum()


def negative_zeros(x):
    return (x[0] * -0.0).sum() + (x[1:3] * -0.0).sum() + (x[1] * -0.0).sum()


def sums(graph):
    """The number of slices of each sum."""
    return [len(graph.ins(node)) for node in graph if graph.op(node) is SCATTER_SUM]


@pytest.mark.parametrize("fn", [rows, overlapping_slices, with_others, by_tensor, negative_zeros])
def test_the_bits_stay(fn):
    graph = trace(grad(fn), X)
    expected = interpret(graph, X)[0].asnumpy().tobytes()
    as_pipeline("scatter_sums,dce").run(graph)
    assert interpret(graph, X)[0].asnumpy().tobytes() == expected


def test_all_slices_become_one_sum():
    graph = trace(grad(rows), X)
    as_pipeline("scatter_sums,dce").run(graph)
    assert sums(graph) == [7]
    assert not {"index_add", "add"} & {str(graph.op(n)) for n in graph if graph.type(n).shape == X.shape}
