"""Parallel tasks: the number of threads, their errors, and their context."""

import os
import threading

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.accel.host import threads
from minigraph.accel.host.threads import run_parallel, thread_count
from minigraph.core.machine import MIN_THREADED_BYTES
from tests.inspection import run_program


@pytest.fixture
def eight_processors(monkeypatch):
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 8)


def test_the_thread_count_is_bounded_by_context_tiles_and_processors(eight_processors):
    ms.set_context(runtime_num_threads=3)
    assert [thread_count(nbytes, 100) for nbytes in (0, MIN_THREADED_BYTES - 1, MIN_THREADED_BYTES)] == [1, 1, 3]
    assert thread_count(MIN_THREADED_BYTES, 2) == 2
    ms.set_context(runtime_num_threads=64)
    assert thread_count(MIN_THREADED_BYTES, 100) == 8


def test_the_first_task_runs_on_this_thread_and_the_others_in_parallel():
    names, together = [], threading.Barrier(2, timeout=20)

    def task(number):
        together.wait()
        names.append((number, threading.current_thread().name))

    run_parallel(task, (0,), (1,))
    by_number = dict(names)
    assert by_number[0] == threading.current_thread().name
    assert by_number[1].startswith("minigraph")


@pytest.mark.parametrize("wrong", [0, 1])
def test_the_error_of_any_task_is_raised_when_all_have_ended(wrong):
    ended = []

    def task(number):
        if number == wrong:
            raise ValueError(f"task {number}")
        ended.append(number)

    with pytest.raises(ValueError, match=f"task {wrong}"):
        run_parallel(task, (0,), (1,))
    assert ended == [1 - wrong]


def test_every_thread_has_the_same_numpy_error_state():
    seen = []
    with np.errstate(over="raise"):
        run_parallel(lambda number: seen.append(np.geterr()["over"]), (0,), (1,))
    assert seen == ["raise", "raise"]


FORKING = """
import os
from minigraph.accel.host.threads import run_parallel, thread_count

run_parallel(lambda number: None, (0,), (1,))
child = os.fork()
if child == 0:
    run_parallel(lambda number: None, (0,), (1,))
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_a_forked_process_has_threads_of_its_own():
    assert run_program(FORKING) == "7"


def test_a_large_program_has_eager_modes_bits_on_threads(eight_processors):
    def fn(x):
        for _ in range(12):
            x = ops.tanh(x * 1.5) + 0.25
        return x

    x = Tensor(np.random.default_rng(0).normal(size=1_000_003).astype(np.float32))
    program = ms.jit(fn).program(x)
    assert program.plan.tiled_groups[0].threads > 1
    assert program(x.array)[0].tobytes() == fn(x).asnumpy().tobytes()


def test_without_threads_all_tasks_run_on_this_one(monkeypatch):
    def start(thread):
        raise RuntimeError("can't start new thread")

    names = []
    for cached in (threads._thread_pool, threads._can_start_threads):
        cached.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        run_parallel(lambda number: names.append((number, threading.current_thread().name)), (0,), (1,), (2,))
    assert names == [(number, threading.current_thread().name) for number in range(3)]
    for cached in (threads._thread_pool, threads._can_start_threads):
        cached.cache_clear()
