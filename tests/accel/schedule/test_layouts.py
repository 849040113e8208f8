"""Layout propagation: constant views, kernels without checks, and the same bits."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, ops, trace
from minigraph.accel.schedule.plan import make_plan
from minigraph.core.op import TABLE
from minigraph.execute.compile import compile_graph
from tests.inspection import bits

RNG = np.random.default_rng(0)
X, W = (Tensor(RNG.normal(size=(4, 4)).astype(np.float32)) for _ in range(2))


def text_of(fn, *args):
    """The lines of a program, without comments: those that create constant views, and those of a call."""
    lines = [line.partition("  #")[0].strip() for line in compile_graph(trace(fn, *args)).source.splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith("def run"))
    return lines[1:start], lines[start + 1 :]


def test_views_of_buffers_and_constants_are_created_once():
    ones = Tensor(np.ones((1, 4), np.float32))
    views, run = text_of(lambda x: x.tanh().T @ ones.broadcast_to(4, 4), X)
    assert ["transpose" in line or "broadcast" in line for line in views[1:3]] == [True, True]
    assert not [line for line in run if "transpose" in line or "broadcast" in line]
    assert run[1].startswith("b0, v")


def test_views_of_inputs_and_parameters_are_created_at_every_call():
    weight = Parameter(Tensor(W), name="w")
    views, run = text_of(lambda x: x.T.tanh() + weight.T, X)
    assert not views and sum("transpose" in line for line in run) == 2


def test_a_view_operator_that_copies_is_no_constant_view():
    views, run = text_of(lambda x: x.tanh().T.reshape(16) * 2.0, X)
    assert any("transpose" in line for line in views)
    assert [line for line in run if "reshape" in line] == ["reshape(v2, out=b1)"]
    assert any("reshape" in line for line in text_of(lambda x: x.tanh().reshape(16) * 2.0, X)[0])


def test_a_view_that_is_returned_is_not_constant():
    program = compile_graph(trace(lambda x: x.tanh().T, X))
    first, second = program(X.array)[0], program(X.array)[0]
    assert not np.shares_memory(first, second)


def test_products_of_buffers_call_dot():
    plan = make_plan(trace(lambda x, w: (x.tanh() @ w).tanh() @ w.T, X, W))
    products = [step for step in plan.steps if step.op is TABLE["matmul"]]
    assert [plan.kernels[step.outs] for step in products] == [np.ndarray.dot] * 2
    assert plan.contiguous_inputs == {1}


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
def test_kernels_give_the_bits_of_eager_mode(fn, order):
    two = [Tensor(np.asarray(RNG.normal(size=(4, 4)), np.float32, order=order)) for _ in range(2)]
    for args in (two, [two[0], two[0]]):
        assert bits(jit(fn)(*args)) == bits(fn(*args))


def test_a_product_of_two_inputs_has_no_kernel_because_they_may_be_one_array():
    plan = make_plan(trace(lambda x, w: x @ w, X, W))
    assert plan.kernels == {}
