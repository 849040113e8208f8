"""What lies in a run where a result will, and a result where something died; the bits are told by test_blocks."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops, trace
from minigraph.accel.schedule import over as room
from minigraph.accel.schedule.plan import planned
from minigraph.accel.schedule.tiled_memory import lifetimes
from minigraph.execute.compile import compile_graph

X = Tensor(np.random.default_rng(0).normal(size=(16, 16)).astype(np.float32))


@pytest.fixture(autouse=True)
def every_size(small_pieces):
    small_pieces(large=1)


def names(plan):
    """The operators of the steps that make these values."""
    return {out: step.op.name for step in plan.steps for out in step.outs}


def laid(fn, *args):
    """What lies in a result's memory before it, and results with what died where they lie, by operators."""
    graph = trace(fn, *args)
    program = compile_graph(graph)
    for k in range(3):
        inputs = [arg.array + k for arg in args]
        wanted = fn(*map(Tensor, inputs))
        assert program(*inputs)[0].tobytes() == wanted.asnumpy().tobytes()
    plan, name = program.plan, names(program.plan)
    over = sorted((name[value], name[result]) for value, result in plan.over.items())
    return over, sorted((name[result], name[old]) for result, old in plan.instead.items())


def test_a_chain_lies_where_its_result_will():
    assert laid(lambda x: (x * 2.0 + 1.0).tanh(), X) == ([("add", "tanh"), ("mul", "tanh")], [])


def test_a_result_lies_where_an_operand_died_and_so_does_what_is_between():
    def fn(x):
        y = x @ x
        return ((y * 2.0).exp() - 1.0) @ x

    assert laid(fn, X) == ([("exp", "sub"), ("mul", "sub")], [("sub", "matmul")])


def test_what_is_read_again_is_not_written_over_before():
    def fn(x):
        y = x @ x
        return ((y * 2.0).exp() - y) @ x

    assert laid(fn, X) == ([], [("sub", "matmul")]), "y is needed up to the last step"


def test_what_is_read_behind_the_run_stays():
    def fn(x):
        y = x @ x
        return ((y * 2.0).exp() - 1.0) @ y

    assert laid(fn, X)[1] == []


@pytest.mark.parametrize(
    "seen", [lambda y: y.T, lambda y: y[:, :1], lambda y: y[0]], ids=["turned", "a column", "a row"]
)
def test_what_is_seen_otherwise_in_the_run_stays(seen):
    def fn(x):
        y = x @ x
        return (y * seen(y) + 1.0) @ x

    assert laid(fn, X)[1] == []


def test_a_result_too_large_for_a_cache_keeps_its_own_memory_and_waits_for_its_step(monkeypatch):
    monkeypatch.setattr(room, "CACHED_RESULT_BYTES", 1)

    def fn(x):
        y = (x @ x * 0.1).tanh()
        return y, (y * 2.0) @ x

    plan = planned(trace(fn, X))
    assert plan.outs[0] not in {*plan.over, *plan.over.values(), *plan.instead} and len(plan.instead) == 1
    for k in range(3):
        got = compile_graph(trace(fn, X))(X.array + k)
        assert [out.tobytes() for out in got] == [out.asnumpy().tobytes() for out in fn(X + k)]


def test_what_is_written_into_a_part_of_a_total_is_no_inner_value():
    fn = ms.grad(lambda x: x[:8].tanh().sum() + x[8:].sin().sum())
    assert ms.jit(fn)(X).asnumpy().tobytes() == fn(X).asnumpy().tobytes()


def test_other_types_lie_elsewhere():
    over, instead = laid(lambda x: ((x @ x) * 2.0).astype(ms.float64) + 1.0, X)
    assert instead == [] and over == [("cast", "add")]


def test_of_two_that_die_the_first_is_written_over():
    def fn(x):
        y, z = x @ x, ops.sin(x) @ x
        return ((y * 2.0 + z) * 0.5) @ x

    plan = planned(trace(fn, X))
    first = next(step.outs[0] for step in plan.steps if step.op.name == "matmul")
    assert [*plan.instead.values()] == [first]


def test_the_result_lives_from_where_the_other_ends():
    def fn(x):
        y = x @ x
        return ((y * 2.0).exp() - 1.0) @ x

    plan = planned(trace(fn, X))
    found = lifetimes(plan)
    ((result, old),) = plan.instead.items()
    assert plan.buffer_of[result] == plan.buffer_of[old]
    assert found[old][1] < found[result][0]
