"""The text of a program: one line per operator, with its node and the user's line, and generated names only."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.accel.host import threads
from minigraph.accel.schedule.buffers import allocate_buffers
from minigraph.accel.schedule.plan import make_plan
from minigraph.accel.schedule.tiled_source import TiledSource
from tests.execute.texts import NAMES, X, check_buffers, check_hostile_names, check_operator_name, lines


def plan_of(fn, *args):
    return make_plan(trace(fn, *args))


def source_of(fn, *args):
    return TiledSource(plan_of(fn, *args))


def test_a_line_calls_a_kernel_and_names_node_and_users_line():
    source = source_of(lambda x: (x * x + x).tanh(), X)
    loc = f"test_tiled_source.py:{test_a_line_calls_a_kernel_and_names_node_and_users_line.__code__.co_firstlineno + 1}"
    assert lines(source) == [
        f"mul(v0, v0, b0)  # %1 {loc}", f"add(b0, v0, b0)  # %2 {loc}", f"v3 = tanh(b0)  # %3 {loc}",
    ]  # fmt: skip
    assert [source.step_at(k).op.name for k in (4, 5, 6)] == ["mul", "add", "tanh"]


def test_a_kernel_has_one_name_and_a_slot_is_one_buffer_of_one_type():
    source = source_of(lambda x: ((x * x) * x + x * x).sum(0), X)
    assert lines(source)[0].startswith("mul(") and lines(source)[1].startswith("mul(")
    assert len(source.slots) == len(set(source.slots)) == 2


def test_the_text_runs_in_its_buffers():
    check_buffers(source_of(lambda x: (x * x) + x, X))


def test_text_of_the_user_never_becomes_code():
    check_hostile_names(plan_of, TiledSource)


@pytest.mark.parametrize("name", NAMES)
def test_an_operator_of_any_name_gets_one_of_its_own(name):
    check_operator_name(name, plan_of, TiledSource)


def test_threads_take_tiles_from_a_shared_iterator(monkeypatch):
    """A thread that is slower computes fewer."""
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 2)
    x = Tensor(np.linspace(-1, 1, 1 << 20, dtype=np.float32))
    source = source_of(lambda x: (x * x + x).tanh() * x, x)
    calls = []

    def run_first_task(task, *arguments):
        calls.extend(arguments)
        task(*arguments[0])

    source.namespace["run_parallel"] = run_first_task
    functions = source.functions()
    (result,), _ = functions["run"]((x.array,), (), allocate_buffers(source.plan.buffers, source.slots))
    assert len(calls) == 2
    assert len({id(buffer) for _, *buffers in calls for buffer in buffers}) == 2 * len(calls[0][1:])
    assert np.array_equal(result, np.tanh(x.array * x.array + x.array) * x.array)
