"""Loops have a limit where one is set, and none by default."""

import pytest

from minigraph import Tensor, errors, grad, jit, ops
from minigraph.operators.iteration_limit import count_iteration, limit_iterations
from tests.tables import cases


@jit
def halve(x):
    """x, halved until it is at most 1."""
    return ops.while_loop(lambda v: v > 1, lambda v: v * 0.5, x)


TEN_HALVINGS = Tensor(1024.0)  # ten iterations


@cases((halve, 10, 1.0), (jit(lambda x: grad(halve)(x)), 10, 0.5**10))
def test_a_loop_within_the_limit_runs_and_one_iteration_more_is_refused(fn, iterations, value):
    with limit_iterations(iterations):
        assert float(fn(TEN_HALVINGS)) == value
    message = "still running after 9 iterations in .*; give inputs on which it terminates"
    with limit_iterations(iterations - 1), pytest.raises(errors.IterationLimitError, match=message):
        fn(TEN_HALVINGS)
    assert float(fn(TEN_HALVINGS)) == value


def test_all_loops_are_counted_together_and_the_inner_limit_applies():
    with limit_iterations(15):
        halve(TEN_HALVINGS)
        with limit_iterations(10):
            halve(TEN_HALVINGS)
        with pytest.raises(errors.IterationLimitError):
            halve(TEN_HALVINGS)
    for _ in range(2000):  # no limit by default
        count_iteration()
