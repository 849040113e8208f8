"""The text of a program: one line per operator with node and place, names that nobody can choose."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.accel.host import threads
from minigraph.accel.schedule.buffers import arrays_of
from minigraph.accel.schedule.plan import planned
from minigraph.accel.schedule.tiled_source import TiledSource
from tests.execute.texts import NAMES, X, check_evil_names, check_operator_named, check_run, lines


def plan_of(fn, *args):
    return planned(trace(fn, *args))


def written(fn, *args):
    return TiledSource(plan_of(fn, *args))


def test_a_line_calls_a_kernel_and_names_node_and_place():
    source = written(lambda x: (x * x + x).tanh(), X)
    place = f"test_tiled_source.py:{test_a_line_calls_a_kernel_and_names_node_and_place.__code__.co_firstlineno + 1}"
    assert lines(source) == [
        f"mul(v0, v0, b0)  # %1 {place}", f"add(b0, v0, b0)  # %2 {place}", f"v3 = tanh(b0)  # %3 {place}",
    ]  # fmt: skip
    assert [source.step_at(k).op.name for k in (4, 5, 6)] == ["mul", "add", "tanh"]


def test_one_kernel_has_one_name_and_one_slot_stands_for_one_buffer_as_one_type():
    source = written(lambda x: ((x * x) * x + x * x).sum(0), X)
    assert lines(source)[0].startswith("mul(") and lines(source)[1].startswith("mul(")
    assert len(source.slots) == len(set(source.slots)) == 2


def test_the_text_runs_in_the_arrays_it_is_given():
    check_run(written(lambda x: (x * x) + x, X))


def test_no_text_of_the_users_is_code():
    check_evil_names(plan_of, TiledSource)


@pytest.mark.parametrize("name", NAMES)
def test_an_operator_of_any_name_gets_one_of_its_own(name):
    check_operator_named(name, plan_of, TiledSource)


def test_threads_take_pieces_while_there_are_any(monkeypatch):
    """Whoever is held up leaves them to the others."""
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "processors", lambda: 2)
    x = Tensor(np.linspace(-1, 1, 1 << 20, dtype=np.float32))
    source = written(lambda x: (x * x + x).tanh() * x, x)
    taken = []

    def first_alone(part, *works):
        taken.extend(works)
        part(*works[0])

    source.namespace["side_by_side"] = first_alone
    functions = source.functions()
    (found,), _ = functions["run"]((x.array,), (), arrays_of(source.plan.buffers, source.slots))
    assert len(taken) == 2
    assert len({id(buffer) for _, *buffers in taken for buffer in buffers}) == 2 * len(taken[0][1:])
    assert np.array_equal(found, np.tanh(x.array * x.array + x.array) * x.array)
