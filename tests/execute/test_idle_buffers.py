"""The buffers that programs keep between calls are bounded over all programs."""

import gc

import numpy as np
import pytest

import minigraph as ms
from minigraph.execute import idle_buffers
from minigraph.execute.compile import compile_graph
from minigraph.execute.idle_buffers import IdleBuffers

SIZE = 1000  # elements: a buffer of 4000 bytes


@pytest.fixture
def idle(monkeypatch):
    """A limit of ten buffers, and no buffers of other programs."""
    monkeypatch.setattr(idle_buffers, "MAX_IDLE_BYTES", 10 * 4000)
    fresh = IdleBuffers()
    monkeypatch.setattr("minigraph.execute.compile.IDLE_BUFFERS", fresh)
    return fresh


def program(accel=True):
    ms.set_context(accel=accel)
    return compile_graph(ms.trace(lambda x: ms.ops.matmul(x * 2, x).sum(), ms.ops.ones((SIZE,))))


def run(program):
    x = np.ones(SIZE, np.float32)
    assert program(x)[0] == 2 * SIZE
    return program


@pytest.mark.parametrize("accel", [True, False])
def test_buffers_of_programs_that_allocated_first_are_released(idle, accel):
    programs = [run(program(accel)) for _ in range(40)]
    assert programs[0].plan.nbytes >= 4 * SIZE
    kept = [bool(program.idle_buffers) for program in programs]
    assert idle.nbytes <= idle_buffers.MAX_IDLE_BYTES
    assert kept == sorted(kept) and kept[-1] and not kept[0]
    run(programs[0])  # allocates again, and is now the newest
    assert programs[0].idle_buffers
    assert idle.nbytes <= idle_buffers.MAX_IDLE_BYTES


def test_a_program_called_again_keeps_its_buffers(idle):
    compiled = run(program())
    (before,) = compiled.idle_buffers
    run(compiled)
    assert compiled.idle_buffers[0] is before


def test_one_program_larger_than_the_limit_keeps_its_own(idle, monkeypatch):
    monkeypatch.setattr(idle_buffers, "MAX_IDLE_BYTES", 100)
    compiled = run(program())
    (before,) = compiled.idle_buffers
    assert run(compiled).idle_buffers[0] is before


def test_programs_that_are_dropped_leave_nothing(idle):
    for _ in range(60):
        run(program())
    gc.collect()
    assert (idle.nbytes, idle._programs) == (0, {})


def test_buffers_in_use_are_not_released(idle):
    """Memory that a call has taken stays its own, whatever other calls allocate meanwhile."""
    first = program()
    buffers = first.fresh_buffers()
    first.idle_buffers.append(buffers)
    taken = first.idle_buffers.pop()
    for _ in range(40):
        run(program())
    assert taken is buffers and not first.idle_buffers


@pytest.mark.parametrize("accel", [True, False])
def test_calls_at_the_same_time_leave_no_more_than_the_bound(idle, accel, monkeypatch):
    """Each call begins another one in the middle of its run, as threads do."""
    compiled = program(accel)
    expected, depth = compiled.run, 40

    def run_another(*arrays):
        nonlocal depth
        depth -= 1
        if depth > 0:
            run(compiled)
        return expected(*arrays)

    monkeypatch.setattr(compiled, "run", run_another)
    run(compiled)
    assert depth == 0 and 1 < len(compiled.idle_buffers) < 40
    assert idle.nbytes <= idle_buffers.MAX_IDLE_BYTES
