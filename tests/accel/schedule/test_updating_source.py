"""The text of updates: iterators over pieces, behind a program that returns what they read."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops, trace
from minigraph.accel.schedule.plan import planned
from minigraph.accel.schedule.updating_source import UpdatingSource


@pytest.fixture(autouse=True)
def some_sizes(small_pieces):
    small_pieces(large=64)


def written(fn, *args):
    return UpdatingSource(planned(trace(fn, *args)))


def test_updates_are_a_function_of_their_own():
    weight = Parameter(ops.zeros((8, 8)), name="w")
    source = written(lambda x: (ops.assign(weight, (weight + x) * 0.5), x)[1], Tensor(1.0))
    program, updates = source.text.split("def updates(parameters, buffers, made, new):")
    assert "    u0 = zip(" in updates and "map(add" in updates and "map(mul" in updates
    assert "add(" not in program
    functions = source.functions()
    assert functions.keys() >= {"run", "updates"}


def test_a_program_without_updates_is_one_function():
    source = written(lambda x: x * 2.0, Tensor([1.0]))
    assert [*source.functions()] == ["run"]
    assert "updates" not in source.text


def test_what_updates_read_is_handed_over():
    weight = Parameter(Tensor(np.ones((8, 8), np.float32)), name="w")
    x = Tensor(np.ones((8, 8), np.float32))
    source = written(lambda x: (ops.assign(weight, (weight - x.T.sum(0)) * 0.5), x)[1], x)
    returned = next(line for line in source.text.splitlines() if line.startswith("    return ["))
    assert returned.count("[") == 3
