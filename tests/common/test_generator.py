"""The state of random numbers is read and set, also of those that graphs draw."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from tests.tables import error_cases


@pytest.mark.parametrize("draw", [lambda: ops.rand(3), ms.jit(lambda: ops.rand(3))])
def test_draws_are_repeated_from_a_state_and_from_a_seed(draw):
    assert ms.manual_seed(5) is ms.default_generator and ms.initial_seed() == 5
    first, state, second = draw().tolist(), ms.get_rng_state(), draw().tolist()
    assert state.shape == (16,) and state.dtype is ms.uint8
    ms.set_rng_state(state)
    assert draw().tolist() == second != first
    ms.manual_seed(5)
    assert draw().tolist() == first


def test_a_generator_of_its_own_has_its_own_state():
    ms.manual_seed(1)
    mine = ms.Generator().manual_seed(3)
    other = ms.Generator()
    other.set_state(mine.get_state())
    assert (other.initial_seed(), ms.initial_seed(), ms.Generator().initial_seed()) == (3, 1, 0)
    assert ms.seed() == ms.initial_seed() and mine.seed() == mine.initial_seed()


def test_draws_with_a_seed_of_their_own_restart_too():
    ms.manual_seed(2)
    first = ops.standard_normal((2,), seed=4).tolist()
    ms.manual_seed(2)
    assert ops.standard_normal((2,), seed=4).tolist() == first


def read_while_tracing():
    ms.jit(lambda x: x + ms.initial_seed(), capture_mode="trace", fullgraph=True)(Tensor(1.0))


test_errors = error_cases(
    (lambda: ms.manual_seed("a"), TypeError, "Seed must be an integer"),
    (lambda: ms.manual_seed(2**64), TypeError, "64 bits"),
    (lambda: ms.set_rng_state(3), RuntimeError, "got int"),
    (lambda: ms.set_rng_state(Tensor(np.zeros(15, np.uint8))), RuntimeError, r"u8\[16\], but got u8\[15\]"),
    (read_while_tracing, RuntimeError, "call initial_seed outside of @jit"),
)
