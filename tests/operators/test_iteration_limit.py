"""Loops are counted where somebody asks for it, and go on for ever elsewhere."""

import pytest

from minigraph import Tensor, errors, grad, jit, ops
from minigraph.operators.rounds import bounded_rounds, count_round
from tests.tables import cases


@jit
def halved(x):
    """x over two, until it is at most 1."""
    return ops.while_loop(lambda v: v > 1, lambda v: v * 0.5, x)


LONG = Tensor(1024.0)  # which is halved ten times


@cases((halved, 10, 1.0), (jit(lambda x: grad(halved)(x)), 10, 0.5**10))
def test_a_loop_that_ends_in_time_is_none_the_wiser_and_one_round_too_many_is_refused(fn, rounds, value):
    with bounded_rounds(rounds):
        assert float(fn(LONG)) == value
    told = "still running after 9 rounds in .*; give inputs on which it ends"
    with bounded_rounds(rounds - 1), pytest.raises(errors.EndlessLoop, match=told):
        fn(LONG)
    assert float(fn(LONG)) == value


def test_all_loops_of_a_run_count_together_and_the_inner_limit_holds():
    with bounded_rounds(15):
        halved(LONG)
        with bounded_rounds(10):
            halved(LONG)
        with pytest.raises(errors.EndlessLoop):
            halved(LONG)
    for _ in range(2000):  # by default nobody counts
        count_round()
