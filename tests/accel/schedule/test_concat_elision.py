"""Stacks and concatenations whose operands are computed in place."""

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.accel.schedule.concat_elision import COPY
from minigraph.accel.schedule.plan import make_plan
from minigraph.core.op import apply
from minigraph.execute.compile import compile_graph
from tests.inspection import bits

X = Tensor(np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32))
LARGE_MATRIX = Tensor(np.random.default_rng(1).normal(size=(200, 200)).astype(np.float32))


def stack(*parts):
    return apply("stack", *parts, axis=0) * 2.0


# The operands of a stack, and how many of them are copied; None where the stack is not elided.
CASES = {
    "results": (lambda x: stack(x + 1.0, x * 2.0, x.tanh()), X, 0),
    "inputs": (lambda x: stack(x + 1.0, x), X, 1),
    "one result twice": (lambda x: (lambda y: stack(y, y))(x.exp()), X, 1),
    "in two stacks": (lambda x: (lambda y, z: stack(y, z) + stack(z, y))(x.exp(), x.tanh()), X, 2),
    "that others read": (lambda x: (lambda y: (stack(y, x.tanh()), y @ y.T + y.sum()))(x.exp()), X, 0),
    "that leave": (lambda x: (lambda y: (stack(y, x.tanh()), y))(x.exp()), X, 1),
    "numbers": (lambda x: stack(x.sum(), x.mean() * 2.0, x[0, 0] + 1.0), X, 0),
    "views": (lambda x: stack(x.exp().T, x.tanh().T), X, 2),
    "stacks of stacks": (lambda x: stack(stack(x + 1.0, x.tanh()), stack(x.exp(), x * 3.0)), X, 0),
    "joined": (lambda x: ops.concat((x.exp(), stack(x, x.exp())[0], x.tanh())) * 2.0, X, 2),
    "large": (lambda x: stack(x.exp(), x.tanh()), LARGE_MATRIX, None),
    "side by side": (lambda x: apply("stack", x.exp(), x.tanh(), axis=1) * 2.0, X, None),
    "for the caller": (lambda x: apply("stack", x.exp(), x.tanh(), axis=0), X, None),
}


@pytest.mark.parametrize("name", CASES)
def test_operands_are_written_into_the_stack(name):
    fn, x, copies = CASES[name]
    graph = trace(fn, x)
    steps = make_plan(graph).steps
    joins = [step for step in steps if step.op.name in ("stack", "concat")]
    assert bool(joins) is (copies is None)
    assert sum(step.op is COPY for step in steps) == (copies or 0)
    run = compile_graph(graph)
    for _ in range(2):
        assert bits(run(x.array)) == bits(fn(x))


def test_gradients_of_an_operand_of_many_steps_are_written_where_they_are_summed():
    def fn(x, w):
        for _ in range(12):
            x = x * w
        return (x * x).sum()

    gradient = grad(fn, (0, 1))
    source = jit(gradient).program(X, X[0]).source
    assert "stack(" not in source
    assert bits(jit(gradient)(X, X)) == bits(gradient(X, X))
    assert "sum_rows(" in jit(gradient).program(X, X).source
