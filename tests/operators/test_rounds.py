"""Loops are counted where somebody asks for it, and go on for ever elsewhere."""

from __future__ import annotations

import pytest

from minigraph import Tensor, errors, grad, jit, ops
from minigraph.operators.rounds import bounded_rounds, count_round


@jit
def halved(x: Tensor) -> Tensor:
    """x over two, until it is at most 1."""
    return ops.while_loop(lambda v: v > 1, lambda v: v * 0.5, x)


def test_a_loop_that_ends_in_time_is_none_the_wiser() -> None:
    with bounded_rounds(10):
        assert float(halved(Tensor(1024.0))) == 1.0


def test_one_round_too_many_is_refused() -> None:
    told = "still running after 9 rounds in .*; give inputs on which it ends"
    with bounded_rounds(9), pytest.raises(errors.EndlessLoop, match=told):
        halved(Tensor(1024.0))
    assert float(halved(Tensor(1024.0))) == 1.0


def test_all_loops_of_a_run_count_together_and_the_inner_limit_holds() -> None:
    with bounded_rounds(15):
        halved(Tensor(1024.0))
        with bounded_rounds(10):
            halved(Tensor(1024.0))
        with pytest.raises(errors.EndlessLoop):
            halved(Tensor(1024.0))


def test_rounds_for_a_gradient_count_too() -> None:
    slope = jit(lambda x: grad(halved)(x))
    with bounded_rounds(10):
        assert float(slope(Tensor(1024.0))) == 0.5**10
    with bounded_rounds(9), pytest.raises(errors.EndlessLoop):
        slope(Tensor(1024.0))


def test_by_default_nobody_counts() -> None:
    for _ in range(2000):
        count_round()
