"""Functions that read the state of a random generator, without drawing from it."""

import types

import numpy as np
import pytest

from minigraph import Tensor, jit
from tests.same_as_eager import same_as_eager


def state_of_a_generator():
    generator = np.random.default_rng(0)
    return lambda x: x * (generator.bit_generator.state["state"]["state"] % 7), None, lambda n: generator.random()


def state_of_a_generator_in_an_object():
    holder = types.SimpleNamespace(generator=[np.random.RandomState(0)])
    return lambda x: x * holder.generator[0].get_state()[2], None, lambda n: holder.generator[0].rand()


def state_of_the_global_generator():
    np.random.seed(0)
    return lambda x: x * np.random.get_state()[2], None, lambda n: np.random.rand()


test_the_state_of_a_generator_that_is_read = same_as_eager(
    state_of_a_generator, state_of_a_generator_in_an_object, state_of_the_global_generator
)


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_draws_from_the_global_generator_do_not_concern_functions_that_do_not_read_it(mode):
    scale = np.float32(2.0)
    compiled = jit(lambda x: x * np.float32(scale), capture_mode=mode)
    for _ in range(3):
        assert compiled(Tensor([1.0])).tolist() == [2.0]
        np.random.rand()
    assert compiled.cache_info().misses == 1


def a_generator_spawns_children():
    generator = np.random.default_rng(3)
    return lambda x: x + generator.spawn(1)[0].normal(), lambda: generator.bit_generator.seed_seq.n_children_spawned


def a_seed_spawns_children():
    seed = np.random.SeedSequence(3)
    return lambda x: x + np.random.default_rng(seed.spawn(1)[0]).normal(), lambda: seed.n_children_spawned


def the_count_of_children_is_read():
    generator = np.random.default_rng(3)
    count = lambda: generator.bit_generator.seed_seq.n_children_spawned  # noqa: E731
    return lambda x: x + generator.bit_generator.seed_seq.n_children_spawned, count, lambda n: generator.spawn(n + 1)


test_children_of_a_generator = same_as_eager(
    a_generator_spawns_children, a_seed_spawns_children, the_count_of_children_is_read
)
