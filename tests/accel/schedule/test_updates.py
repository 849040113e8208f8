"""Which runs write over Parameters, and that nothing but their place in the program changes."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops, trace
from minigraph.accel.host import threads
from minigraph.accel.schedule import blocks
from minigraph.accel.schedule.plan import planned
from minigraph.execute.compile import compile_graph

X = Tensor(np.arange(64, dtype=np.float32).reshape(8, 8) / 8 - 3)


@pytest.fixture(autouse=True)
def every_size(small_pieces):
    small_pieces(large=1)


def weights(count=1):
    return [Parameter(Tensor(X.array + k), name=f"w{k}") for k in range(count)]


def updated(fn):
    """The names of the Parameters that a function's program writes over; its bits are those of eager mode."""
    ws, wants = weights(3), weights(3)
    graph = trace(lambda x: fn(x, *ws), X)
    program = compile_graph(graph)
    for k in range(3):
        want = fn(X + k, *wants)
        (got,) = program(X.array + k)
        assert got.tobytes() == want.array.tobytes()
        assert [w.array.tobytes() for w in ws] == [w.array.tobytes() for w in wants]
    return [*program.plan.updated]


def momentum(x, w, v, u):
    ops.assign(v, v * 0.5 + x @ x)
    ops.assign(w, w - v * 0.25)
    return x * 2.0


def two_apart(x, w, v, u):
    ops.assign(w, w * 0.5 + x)
    y = x @ w
    ops.assign(v, v * 0.5 + y)
    return y.sum()


def returned(x, w, v, u):
    ops.assign(w, w * 0.5 + x)
    return w + 0.0


def read_before_and_after(x, w, v, u):
    old = w + 0.0
    ops.assign(w, w * 0.5 + x)
    ops.assign(v, v + old.exp() * w)
    return x.sum()


def swapped(x, w, v, u):
    old = w * 1.0
    ops.assign(w, v * 0.5 + x)
    ops.assign(v, old * 0.5 + x)
    return x.sum()


def turned(x, w, v, u):
    ops.assign(w, w.T * 0.5 + x)
    return x.sum()


def one_step(x, w, v, u):
    ops.assign(w, w + x)
    return x.sum()


def only_written(x, w, v, u):
    ops.assign(w, x * 2.0 + x)
    return x.sum()


@pytest.mark.parametrize(
    "fn, names",
    [
        (momentum, ["w1", "w0"]),
        (two_apart, ["w1"]),
        (returned, []),
        (read_before_and_after, ["w0", "w1"]),
        (swapped, []),
        (turned, []),
        (one_step, []),
        (only_written, ["w0"]),
    ],
)
def test_what_is_written_over(fn, names):
    assert sorted(updated(fn)) == sorted(names)


def test_updates_come_last_and_gradients_wait_for_them():
    (w, v, u) = weights(3)
    plan = planned(trace(lambda x: momentum(x, w, v, u), X))
    assert [step.op.name for step in plan.late] == ["mul", "add", "mul", "sub"]
    assert plan.blocks[-1] == plan.updates[-1] and plan.updates[-1].last == len(plan.steps)


def test_what_is_between_lies_where_the_new_value_will():
    (w, v, u) = weights(3)
    plan = planned(trace(lambda x: momentum(x, w, v, u), X))
    made = {step.outs[0]: step for step in plan.late}
    ((between, new),) = plan.over.items()
    assert plan.updated["w1"] == new and made[new].ins[0] == between
    assert between not in plan.buffer_of


def test_pieces_are_as_few_as_memory_allows(monkeypatch):
    (w, v, u) = weights(3)
    plan = planned(trace(lambda x: momentum(x, w, v, u), X))
    assert len(plan.updates[0].pieces) > 1
    monkeypatch.setattr(blocks, "LIVE_TILES_BYTES", 1 << 20)
    plan = planned(trace(lambda x: momentum(x, w, v, u), X))
    assert len(plan.updates[0].pieces) == 1


def test_what_threads_share_is_made_anew(monkeypatch):
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "processors", lambda: 2)
    monkeypatch.setattr(blocks, "MIN_TILE_BYTES", 8)
    assert updated(momentum) == []
