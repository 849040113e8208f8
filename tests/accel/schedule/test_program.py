"""Accelerated programs: the reference's results, computed in tiles, with less memory."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, trace
from minigraph.accel.schedule import plan
from minigraph.accel.schedule.program import Program, are_repeatable
from minigraph.core.machine import MIN_TILE_BYTES, MIN_TILES
from minigraph.core.op import Op
from minigraph.execute import compile as reference
from minigraph.execute.compile import compile_graph
from minigraph.lessons import numbers
from tests.random_programs import random_program
from viz.machine.memory import allocations_of, peak_bytes


@pytest.mark.parametrize("seed", range(40))
def test_reference_and_accelerated_programs_give_the_same_bits(seed):
    program = random_program(seed)
    arrays = [arg.array for arg in program.arguments(0)]
    graph = trace(program.function, *program.arguments(0))
    slow, fast = reference.Program(graph), compile_graph(graph)
    assert isinstance(fast, Program) and not isinstance(slow, Program)
    for expected, result in zip(slow(*arrays), fast(*arrays), strict=True):
        assert (expected.shape, expected.dtype, expected.tobytes()) == (result.shape, result.dtype, result.tobytes())


def test_the_lowered_graph_is_executed_and_the_programs_graph_is_the_callers(monkeypatch):
    graph = trace(lambda x: x * 2.0, Tensor([1.0]))
    other = trace(lambda x: x * 3.0, Tensor([1.0]))
    monkeypatch.setattr(plan, "lower_graph", lambda graph: other)
    program = Program(graph)
    assert program.graph is graph
    assert program(np.float32([1.0]))[0].tolist() == [3.0]


def test_steps_with_effects_are_not_repeated():
    reading = Op("reading", lambda x: x, lambda x: x, effects=("io:seen",))
    steps = [Program(trace(fn, Tensor([1.0]))).plan.steps for fn in (lambda x: x * 2.0, lambda x: reading(x) * 2.0)]
    assert [are_repeatable(sequence) for sequence in steps] == [True, False]


# ---- memory, as drawn ----------------------------------------------------------------------------------


def test_a_large_program_is_tiled():
    """Between the steps of a group there is never more than a tile."""
    x = numbers(0, 1024, 1024)
    program = compile_graph(ms.trace(lambda x: ((x * 2.0).tanh() * (x + 1.0).exp()).sum(), x))
    smallest = min(allocation.nbytes for allocation in allocations_of(program)[:-1])
    assert MIN_TILE_BYTES <= smallest <= (1 << 22) / MIN_TILES
    assert peak_bytes(allocations_of(program)) <= program.plan.nbytes + 4


def test_every_buffer_belongs_to_a_value():
    """Including the buffer of a copy by a view operator."""
    program = compile_graph(ms.trace(lambda x: x.tanh().T.reshape(6, 2) @ numbers(0, 2, 2), numbers(0, 3, 4)))
    assert {allocation.buffer for allocation in allocations_of(program)} - {None} == {*range(len(program.plan.buffers))}
    assert "reshape" in [allocation.name for allocation in allocations_of(program)]
