"""Random numbers as functions of keys."""

import sys
import threading

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, float32, float64, int32, jit, ops
from minigraph.core.op import apply
from minigraph.operators.random import SEEDED_STATES, STATE, draw, generator, next_key, set_seed


@pytest.fixture(autouse=True)
def fix_seed():
    set_seed(11)


def key(seed, index):
    return Tensor(np.array([seed, index]))


def test_draws_are_functions_of_keys_and_do_not_overlap():
    # the same key gives the same numbers and another key others
    draws = [apply("random_normal", key(s, i), shape=(4,)).tolist() for s, i in ((1, 0), (1, 0), (1, 1), (2, 0))]
    assert draws[0] == draws[1]
    assert len({tuple(d) for d in draws}) == 3
    # neighbouring indices do not overlap
    first, second = (apply("random_uniform", key(1, i), shape=(4096,), dtype=float64).array for i in (0, 1))
    assert not set(first) & set(second)
    # negative and huge seeds are taken
    for seed in (-1, 2**62):
        assert generator(np.array([seed, 0])).random() == generator(np.array([seed, 0])).random()


def test_a_draw_increments_the_index():
    assert [next_key().tolist() for _ in range(3)] == [[11, 0], [11, 1], [11, 2]]
    assert STATE.tolist() == [11, 3]
    assert not STATE.requires_grad


def test_both_modes_draw_the_same_numbers():
    def two():
        return draw("random_normal", (3,)), ops.rand(2)

    eager = [[t.tolist() for t in two()] for _ in range(2)]
    set_seed(11)
    compiled = jit(two)
    assert [[t.tolist() for t in compiled()] for _ in range(2)] == eager


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize(
    "draws", [lambda seed: ops.standard_normal((2,), seed=seed), lambda seed: ops.rand(2, seed=seed)]
)
def test_a_seed_that_is_first_named_while_a_function_is_captured_goes_on(draws, mode):
    SEEDED_STATES.pop(77, None)
    expected = [draws(77).tolist() for _ in range(4)]
    del SEEDED_STATES[77]
    compiled = jit(lambda: draws(77), capture_mode=mode)
    assert [compiled().tolist() for _ in range(3)] + [draws(77).tolist()] == expected


def test_a_seed_is_set_while_another_thread_names_new_ones():
    known, interval = {*SEEDED_STATES}, sys.getswitchinterval()

    def draw_with_new_seeds(first):
        for seed in range(first, first + 200):
            next_key(seed)

    threads = [threading.Thread(target=draw_with_new_seeds, args=(first,)) for first in (10**6, 10**7)]
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            set_seed(7)
    finally:
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()
        for seed in SEEDED_STATES.keys() - known:
            del SEEDED_STATES[seed]


def test_removing_a_draw_does_not_change_the_next():
    set_seed(5)
    *_, third = [draw("random_uniform", (2,)) for _ in range(3)]
    set_seed(5)
    for _ in range(2):
        next_key()
    assert draw("random_uniform", (2,)).tolist() == third.tolist()


@pytest.mark.parametrize("dtype", [float16, float32, float64])
def test_uniform_numbers_stay_below_one(dtype):
    x = apply("random_uniform", key(0, 0), shape=(100_000,), dtype=dtype).array.astype(np.float64)
    assert 0 <= x.min() < 0.001
    assert 0.999 < x.max() < 1
    assert abs(x.mean() - 0.5) < 0.005


def test_the_distributions_of_normal_numbers_and_integers():
    # normal numbers have mean zero and deviation one
    x = apply("random_normal", key(0, 0), shape=(100_000,), dtype=float64).array
    assert abs(x.mean()) < 0.01
    assert abs(x.std() - 1) < 0.01
    # integers are between their bounds
    x = apply("random_integer", key(0, 0), shape=(1000,), dtype=int32, low=-2, high=3)
    assert x.dtype is int32
    assert set(x.tolist()) == {-2, -1, 0, 1, 2}


def test_errors():
    with pytest.raises(errors.ShapeError, match=r"the key is i64\[3\], not i64\[2\]"):
        jit(lambda k: apply("random_normal", k, shape=(1,)))(Tensor([1, 2, 3]))
    with pytest.raises(errors.DTypeError, match="cannot draw Int32"):
        apply("random_normal", key(0, 0), shape=(1,), dtype=int32)


def test_dropout_keeps_about_its_share_and_the_mean():
    x = Tensor(np.ones(10_000, np.float32))
    result = ops.dropout(x, 0.25).array
    assert set(np.unique(result)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert abs(result.mean() - 1) < 0.03
    assert ops.dropout(x, 0.25, training=False) is x
    assert not ops.dropout(x, 1.0).array.any()
