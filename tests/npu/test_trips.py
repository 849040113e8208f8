"""How often bodies run: lengths, counters that can be played, branches, and loops nobody can know."""

import numpy as np

from minigraph import Tensor, jit, ops
from minigraph.npu.trips import ONE_OF, trips_of
from minigraph.operators import control


def loop_of(fn, *args):
    """The graph of a function and its node with bodies."""
    graph = jit(fn).graph(*args)
    (node,) = [node for node in graph if graph.regions(node) and graph.op(node).role != "fused"]
    return graph, node


X = Tensor(np.ones((4, 4), np.float32))


def counted(x):
    i = Tensor(0)
    while i < 100:
        x = ops.tanh(x @ x)
        i = i + 1
    return x


def backwards_in_threes(x):
    i = Tensor(10)
    while i > 0:
        x = x * 2
        i = i - 3
    return x


def never(x):
    i = Tensor(5)
    while i < 5:
        x = x * 2
        i = i + 1
    return x


def until_small(x):
    while x.sum() > 1:
        x = x * 0.5
    return x


def for_as_long_as(x, n):
    while n.sum() > 0:
        x, n = x * 2, n - 1
    return x


def branching(x):
    if x.sum() > 0:  # noqa: SIM108 - a branch to be captured
        x = x @ x
    else:
        x = x + 1
    return x


def test_a_counter_is_played():
    assert trips_of(*loop_of(counted, X)).times == (101, 100)
    assert trips_of(*loop_of(backwards_in_threes, X)).times == (5, 4)
    assert trips_of(*loop_of(never, X)).times == (1, 0)
    assert trips_of(*loop_of(counted, X)).note == ""


def test_what_depends_on_tensors_is_assumed_and_said():
    found = trips_of(*loop_of(until_small, X), assumed=7)
    assert found.times == (8, 7)
    assert "7 rounds assumed" in found.note
    assert "1 round assumed" in trips_of(*loop_of(for_as_long_as, X, Tensor(np.array([3.0])))).note


def test_one_branch_of_several_runs():
    found = trips_of(*loop_of(branching, X))
    assert found.one_of
    assert (found.times, found.note) == ((1, 1), ONE_OF)


def test_a_loop_with_a_length_runs_it():
    found = trips_of(*loop_of(lambda x: control.scan(lambda carry, row: (carry + row, carry), x[0], x), X))
    assert (found.times, found.note) == ((4,), "")
