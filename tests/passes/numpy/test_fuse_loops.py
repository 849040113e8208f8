"""Which nodes one loop nest computes."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, interpret, ops, trace
from minigraph.core.errors import UsageError
from passes import as_pipeline
from passes.core.registry import Options
from passes.numpy.fuse_loops import fuse_loops, loops_of, trailing_axes
from tests.random_programs import random_program

X = Tensor(np.ones((4, 6), np.float32))
NO_THRESHOLDS = {"min_nodes": 1, "min_small_nodes": 1, "nodes_per_array": 0.0, "inexact": True}


def loop_groups(fn, x=X, **options):
    """The operators and the number of reduced trailing axes of each loop, without thresholds on its size."""
    graph = trace(fn, x)
    loops = loops_of(graph, Options(fuse_loops.options | NO_THRESHOLDS | options))
    return [([graph.op(node).name for node in loop.nodes], loop.trailing) for loop in loops]


def test_nodes_join_the_groups_of_their_operands():
    assert loop_groups(lambda x: (x * x + x).tanh()) == [(["mul", "add", "tanh"], 0)]
    assert loop_groups(lambda x: (x * x) @ (x + x).T) == [(["mul"], 0), (["add"], 0)]


def test_a_common_user_merges_two_loops():
    ((names, _),) = loop_groups(lambda x: (x * x).tanh() + (x + 1.0).exp())
    assert sorted(names) == ["add", "add", "exp", "mul", "tanh"]


def test_a_user_that_cannot_join_ends_a_group():
    def fn(x):
        y = x * x
        return y @ x.T, y + 1.0

    assert loop_groups(fn) == [(["mul"], 0), (["add"], 0)]


def test_an_output_does_not_end_a_group():
    def fn(x):
        y = x * x
        return y, y + 1.0

    assert loop_groups(fn) == [(["mul", "add"], 0)]


def softmax(x):
    powers = ops.exp(x - x.amax(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def test_reductions_over_the_last_axes_and_their_consumers_join():
    assert loop_groups(softmax) == [(["max", "sub", "exp", "sum", "div"], 1)]
    assert loop_groups(lambda x: (x * x).sum()) == [(["mul", "sum"], 2)]
    assert loop_groups(lambda x: ((x * x).mean(-1) + 1.0).sqrt()) == [(["mul", "mean", "add", "sqrt"], 1)]


def test_other_reductions_are_not_fused():
    assert loop_groups(lambda x: (x * x).sum(0)) == [(["mul"], 0)]
    graph = trace(lambda x: x.sum(0), X)
    assert trailing_axes(graph, graph.topological()[-1]) == 0


def test_another_reduction_starts_a_new_loop():
    assert loop_groups(lambda x: ((x * x).sum(-1), (x * x).sum())) == [(["mul", "sum"], 1), (["mul", "sum"], 2)]


def test_a_second_pass_over_a_row_needs_a_row_that_fits_into_the_cache():
    def fn(x):
        return x * x / (x * x).sum()

    assert [sorted(names) for names, _ in loop_groups(fn)] == [["div", "mul", "mul", "sum"]]
    assert [names for names, _ in loop_groups(fn, row_bytes=8)] == [["mul", "sum"], ["mul", "div"]]


def test_row_sums_that_are_broadcast_to_other_rows_are_not_fused():
    groups = loop_groups(lambda x: x * x + (x * x).sum(-1), Tensor(np.ones((4, 4), np.float32)))
    assert ["mul", "sum"] in [names for names, _ in groups]
    assert all("add" not in names or "sum" not in names for names, _ in groups)


def test_loops_have_a_maximal_size():
    assert [len(names) for names, _ in loop_groups(lambda x: ((x * x + x) * x + x) * x, max_nodes=2)] == [2, 2, 1]


def body_sizes(fn, *args, **options):
    """The number of operators in each fused body."""
    graph = trace(fn, *args)
    fuse_loops.with_options(**options)(graph)
    bodies = [graph.regions(node)[0] for node in graph if graph.op(node).role == "fused"]
    return [sum(not body.op(node).is_leaf for node in body) for body in bodies]


def test_small_tensors_need_more_nodes():
    assert body_sizes(lambda x: (x * x + x) * x, X) == []
    assert body_sizes(lambda x: ((x * x + x) * x + x) * x + x, X) == [6]
    large = Tensor(np.ones(1 << 14, np.float32))
    assert body_sizes(lambda x: x * x + x, large) == []
    assert body_sizes(lambda x: (x * x + x) * x, large) == [3]


def test_unused_nodes_make_no_loop():
    assert body_sizes(lambda x: (x.exp(), (x * x + x) * x)[0], X, min_small_nodes=2) == []


def test_operators_that_round_differently_join_only_if_allowed():
    large = Tensor(np.ones(1 << 14, np.float32))
    assert body_sizes(lambda x: (x * x + x).tanh() * x + x, large) == []
    assert body_sizes(lambda x: (x * x + x).tanh() * x + x, large, inexact=True) == [5]
    assert body_sizes(lambda x: (x * x * x).sum(-1), large) == [], "the order of additions changes the rounding"


@pytest.mark.parametrize("dtype", [np.float16, np.complex64])
def test_unsupported_dtypes_are_not_fused(dtype):
    assert body_sizes(lambda x: x * x + x, Tensor(np.ones(3, dtype)), min_small_nodes=2) == []


def test_a_truncating_cast_is_not_fused():
    assert body_sizes(lambda x: (x.astype(ms.int32) + 1) * 2, X, min_small_nodes=2, nodes_per_array=0.0) == [2]
    assert body_sizes(lambda x: (x * x + x).astype(ms.int32) * 2 + 1, X, min_small_nodes=2, nodes_per_array=0.0) == [
        2,
        2,
    ]


@pytest.mark.parametrize("seed", range(25))
def test_random_programs_keep_their_bits(seed):
    program = random_program(seed)
    arguments = program.arguments(0)
    graph = trace(program.function, *arguments)
    before = interpret(graph, *arguments)
    as_pipeline([fuse_loops.with_options(**NO_THRESHOLDS)]).run(graph)
    for result, expected in zip(interpret(graph, *arguments), before, strict=True):
        assert result.asnumpy().tobytes() == expected.asnumpy().tobytes()


def test_sizes_in_options_must_be_positive_integers():
    with pytest.raises(UsageError, match="fuse_loops: 0 is not a positive integer"):
        fuse_loops.with_options(max_nodes=0)


def test_small_loops_need_nodes_for_each_array():
    """Each of many results is an array that the kernel is given, which costs as much as a call of numpy."""

    def all_powers(x):
        results = [x]
        for _ in range(20):
            results.append(results[-1] * x)
        return tuple(results)

    assert body_sizes(all_powers, X) == [] and body_sizes(lambda x: all_powers(x)[-1], X) == [20]
    assert body_sizes(all_powers, X, nodes_per_array=0.5) == [20]
