"""Pieces side by side: how many threads, whose errors, whose settings."""

import os
import threading

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.accel.host import threads
from minigraph.accel.host.threads import side_by_side, threads_for
from minigraph.core.machine import MIN_THREADED_BYTES
from tests.observed import printed


@pytest.fixture
def eight_processors(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 8)


def test_as_many_threads_as_pay(eight_processors):
    ms.set_context(runtime_num_threads=3)
    assert [threads_for(nbytes, 100) for nbytes in (0, MIN_THREADED_BYTES - 1, MIN_THREADED_BYTES)] == [1, 1, 3]
    assert threads_for(MIN_THREADED_BYTES, 2) == 2
    ms.set_context(runtime_num_threads=64)
    assert threads_for(MIN_THREADED_BYTES, 100) == 8


def test_the_first_share_is_computed_here_and_the_others_meanwhile():
    names, together = [], threading.Barrier(2, timeout=20)

    def part(number):
        together.wait()
        names.append((number, threading.current_thread().name))

    side_by_side(part, (0,), (1,))
    found = dict(names)
    assert found[0] == threading.current_thread().name
    assert found[1].startswith("minigraph")


@pytest.mark.parametrize("wrong", [0, 1])
def test_the_error_of_any_share_is_raised_when_all_have_ended(wrong):
    ended = []

    def part(number):
        if number == wrong:
            raise ValueError(f"share {number}")
        ended.append(number)

    with pytest.raises(ValueError, match=f"share {wrong}"):
        side_by_side(part, (0,), (1,))
    assert ended == [1 - wrong]


def test_numpy_is_told_the_same_on_every_thread():
    seen = []
    with np.errstate(over="raise"):
        side_by_side(lambda number: seen.append(np.geterr()["over"]), (0,), (1,))
    assert seen == ["raise", "raise"]


FORKING = """
import os
from minigraph.accel.host.threads import side_by_side, threads_for

side_by_side(lambda number: None, (0,), (1,))
child = os.fork()
if child == 0:
    side_by_side(lambda number: None, (0,), (1,))
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_a_forked_process_has_threads_of_its_own():
    assert printed(FORKING) == "7"


def test_a_large_program_has_eager_modes_bits_on_threads(eight_processors):
    def fn(x):
        for _ in range(12):
            x = ops.tanh(x * 1.5) + 0.25
        return x

    x = Tensor(np.random.default_rng(0).normal(size=1_000_003).astype(np.float32))
    program = ms.jit(fn).program(x)
    assert program.plan.blocks[0].threads > 1
    assert program(x.array)[0].tobytes() == fn(x).asnumpy().tobytes()
