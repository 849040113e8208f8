"""How often bodies run: lengths, counters that can be played, branches, and loops nobody can know."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.npu.trip_counts import ONE_OF, trips_of
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


def scanned(x):
    return control.scan(lambda carry, row: (carry + row, carry), x[0], x)


# what a loop is of; rounds assumed where nobody can know; how often its bodies run; and what is said
RUNS = {
    "a counter is played": ((counted, X), 1, (101, 100), ""),
    "also backwards": ((backwards_in_threes, X), 1, (5, 4), ""),
    "also if it never runs": ((never, X), 1, (1, 0), ""),
    "a tensor's value is assumed": ((until_small, X), 7, (8, 7), "7 rounds assumed"),
    "also of a counter": ((for_as_long_as, X, Tensor(np.array([3.0]))), 1, (2, 1), "1 round assumed"),
    "a loop with a length runs it": ((scanned, X), 1, (4,), ""),
    "one branch of several runs": ((branching, X), 1, (1, 1), ONE_OF),
}


@pytest.mark.parametrize(("call", "assumed", "times", "note"), RUNS.values(), ids=RUNS)
def test_how_often_bodies_run(call, assumed, times, note):
    found = trips_of(*loop_of(*call), assumed=assumed)
    assert found.times == times
    assert note in found.note and bool(found.note) == bool(note)
    assert bool(found.one_of) == (note == ONE_OF)
