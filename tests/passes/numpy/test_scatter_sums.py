"""Sums of slices scattered into one tensor."""

import numpy as np
import pytest

from minigraph import Tensor, grad, interpret, jit, ops, trace
from minigraph.execute.compile import compile_graph
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


def halves(x):
    return (x[:2] * -0.0).tanh().sum() + (x[2:] * x[:2]).sum() + (x[:, 1] * -0.0).sum()


def negative_zeros(x):
    return (x[0] * -0.0).sum() + (x[1:3] * -0.0).sum() + (x[1] * -0.0).sum()


def sums(graph):
    """The number of slices of each sum."""
    return [len(graph.ins(node)) for node in graph if graph.op(node) is SCATTER_SUM]


FUNCTIONS = [rows, overlapping_slices, with_others, by_tensor, halves, negative_zeros]


@pytest.mark.parametrize("fn", FUNCTIONS)
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


@pytest.mark.parametrize("pipeline", [(), "default"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_compiled_gradients_have_the_bits_of_eager_ones_at_every_call(fn, pipeline):
    compiled = jit(grad(fn), pipeline=pipeline)
    for _ in range(2):
        assert compiled(X).array.tobytes() == grad(fn)(X).array.tobytes()


def test_a_term_of_several_sums_is_accumulated_in_each():
    def fn(g, h):
        part = ops.apply("index_add", g, key=(0,), shape=(2, 3))
        other = ops.apply("index_add", h, key=(1,), shape=(2, 3))
        return part, part + other, other, other + part

    g, h = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])
    first, both, second, again = compile_graph(trace(fn, g, h))(g.array, h.array)
    assert first.tolist() == [[1, 2, 3], [0, 0, 0]]
    assert second.tolist() == [[0, 0, 0], [4, 5, 6]]
    assert both.tolist() == again.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert not np.shares_memory(both, again)


def test_a_partial_sum_with_other_readers_is_kept():
    def fn(g, h):
        parts = [ops.apply("index_add", x, key=(i,), shape=(3, 3)) for i, x in enumerate((g, h, g * h))]
        two = parts[0] + parts[1]
        return two, two + parts[2]

    g, h = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])
    two, three = compile_graph(trace(fn, g, h))(g.array, h.array)
    assert two.tolist() == [[1, 2, 3], [4, 5, 6], [0, 0, 0]]
    assert three.tolist() == [[1, 2, 3], [4, 5, 6], [4, 10, 18]]
