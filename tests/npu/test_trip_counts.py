"""Trip counts: lengths, interpreted counters, branches, and loops with an unknown trip count."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.npu.trip_counts import BRANCH_NOTE, trip_counts
from minigraph.operators import control


def loop_of(fn, *args):
    """The graph of a function and its region node."""
    graph = jit(fn).graph(*args)
    (node,) = [node for node in graph if graph.regions(node) and graph.op(node).role != "fused"]
    return graph, node


X = Tensor(np.ones((4, 4), np.float32))


def loop_with_counter(x):
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


def loop_without_iterations(x):
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


def branch(x):
    if x.sum() > 0:  # noqa: SIM108 - a branch to be captured
        x = x @ x
    else:
        x = x + 1
    return x


def scan_rows(x):
    return control.scan(lambda carry, row: (carry + row, carry), x[0], x)


# function and arguments; assumed trip count; trip counts of the bodies; note
RUNS = {
    "a counter is interpreted": ((loop_with_counter, X), 1, (101, 100), ""),
    "also backwards": ((backwards_in_threes, X), 1, (5, 4), ""),
    "also if it never runs": ((loop_without_iterations, X), 1, (1, 0), ""),
    "a condition on a tensor is unknown": ((until_small, X), 7, (8, 7), "7 iterations assumed"),
    "also for an input": ((for_as_long_as, X, Tensor(np.array([3.0]))), 1, (2, 1), "1 iteration assumed"),
    "a loop with a length runs it": ((scan_rows, X), 1, (4,), ""),
    "one branch of several runs": ((branch, X), 1, (1, 1), BRANCH_NOTE),
}


@pytest.mark.parametrize(("call", "assumed", "times", "note"), RUNS.values(), ids=RUNS)
def test_trip_counts(call, assumed, times, note):
    counts = trip_counts(*loop_of(*call), assumed=assumed)
    assert counts.times == times
    assert note in counts.note and bool(counts.note) == bool(note)
    assert bool(counts.is_branch) == (note == BRANCH_NOTE)
