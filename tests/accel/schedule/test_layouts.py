"""How values lie in memory: views that are made once, kernels that ask nothing, and the bits all the same."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, ops, trace
from minigraph.accel.schedule.plan import planned
from minigraph.core.op import TABLE
from minigraph.execute.compile import compile_graph
from tests.observed import bits

RNG = np.random.default_rng(0)
X, W = (Tensor(RNG.normal(size=(4, 4)).astype(np.float32)) for _ in range(2))


def text_of(fn, *args):
    """The lines of a program, without comments: those that make views, and those of a call."""
    lines = [line.partition("  #")[0].strip() for line in compile_graph(trace(fn, *args)).source.splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith("def run"))
    return lines[1:start], lines[start + 1 :]


def test_views_of_buffers_and_of_constants_are_made_with_the_memory():
    ones = Tensor(np.ones((1, 4), np.float32))
    views, run = text_of(lambda x: x.tanh().T @ ones.broadcast_to(4, 4), X)
    assert ["transpose" in line or "broadcast" in line for line in views[1:3]] == [True, True]
    assert not [line for line in run if "transpose" in line or "broadcast" in line]
    assert run[1].startswith("b0, v")


def test_views_of_what_comes_from_outside_are_made_at_every_call():
    weight = Parameter(Tensor(W), name="w")
    views, run = text_of(lambda x: x.T.tanh() + weight.T, X)
    assert not views and sum("transpose" in line for line in run) == 2


def test_what_copies_is_no_view():
    views, run = text_of(lambda x: x.tanh().T.reshape(16) * 2.0, X)
    assert any("transpose" in line for line in views)
    assert [line for line in run if "reshape" in line] == ["reshape(v2, out=b1)"]
    assert any("reshape" in line for line in text_of(lambda x: x.tanh().reshape(16) * 2.0, X)[0])


def test_a_view_that_leaves_the_program_is_fresh():
    program = compile_graph(trace(lambda x: x.tanh().T, X))
    first, second = program(X.array)[0], program(X.array)[0]
    assert not np.shares_memory(first, second)


def test_products_of_buffers_call_blas_alone():
    plan = planned(trace(lambda x, w: (x.tanh() @ w).tanh() @ w.T, X, W))
    products = [step for step in plan.steps if step.op is TABLE["matmul"]]
    assert [plan.kernels[step.outs] for step in products] == [np.ndarray.dot] * 2
    assert plan.outer == {1}


PRODUCTS = [
    lambda x, w: x @ w,
    lambda x, w: x.tanh() @ x.tanh().T,
    lambda x, w: ops.depend(x @ w.tanh(), x),
    lambda x, w: (x.T, x @ w.tanh()),
    lambda x, w: x.tanh()[:, :3] @ w[:3].tanh(),
    lambda x, w: x.tanh()[:1] @ w.tanh(),
    lambda x, w: x.tanh().sum(0).expand_dims(0) @ w.tanh(),
]


@pytest.mark.parametrize("fn", PRODUCTS)
@pytest.mark.parametrize("order", "CF")
def test_bits_do_not_show_who_was_asked(fn, order):
    two = [Tensor(np.asarray(RNG.normal(size=(4, 4)), np.float32, order=order)) for _ in range(2)]
    for args in (two, [two[0], two[0]]):
        assert bits(jit(fn)(*args)) == bits(fn(*args))


def test_two_of_the_callers_operands_are_asked_whether_they_are_one():
    plan = planned(trace(lambda x, w: x @ w, X, W))
    assert plan.kernels == {}
