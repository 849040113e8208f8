"""Stress tests: deep, wide, empty, threaded and interrupted programs; no recursion, leak or stale state."""

import gc
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, interpret, jit, trace, value_and_grad
from minigraph.core.errors import MinigraphError, TraceError
from minigraph.core.op import TABLE, active_observers, current_interpreter
from minigraph.execute.compile import compile_graph
from tests.inspection import bits
from tests.tables import every

DEPTH, WIDTH = 50_000, 100_000
X = Tensor([1.0, 2.0, 3.0])


def chain(x):
    for _ in range(DEPTH // 2):
        x = -(x + 0.001)
    return x


@pytest.fixture(scope="module")
def deep():
    return trace(chain, X)


# ---- deep --------------------------------------------------------------------------------------------


def test_a_deep_chain_is_traced_interpreted_compiled_and_run(deep):
    expected = chain(X).array.tobytes()
    assert len(deep) > DEPTH
    assert interpret(deep, X)[0].array.tobytes() == expected
    program = compile_graph(deep)
    assert program(X.array)[0].tobytes() == expected
    assert len(program.plan.buffers) <= 2  # one value lives at a time


def test_the_gradient_of_a_deep_graph_is_a_graph(deep):
    backward = trace(grad(lambda x: interpret(deep, x)[0]), X)
    assert compile_graph(backward)(X.array)[0].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("options", [{}, {"pipeline": ()}], ids=["default", "no passes"])
def test_a_deep_chain_is_jitted(options):
    assert bits(jit(chain, **options)(X)) == bits(chain(X))


def test_a_deep_chain_differentiates_and_the_recursion_limit_is_not_touched():
    assert grad(chain)(X).tolist() == [1.0, 1.0, 1.0]
    assert sys.getrecursionlimit() <= 10_000


# ---- wide --------------------------------------------------------------------------------------------


def fan(x):
    branches = [x * 2.0 for _ in range(WIDTH)]
    while len(branches) > 1:
        branches = [a + b for a, b in zip(branches[::2], branches[1::2], strict=False)] + branches[len(branches) & ~1 :]
    return branches[0]


def test_a_value_with_many_users():
    x = Tensor(1.0)
    assert grad(fan)(x).item() == 2.0 * WIDTH
    graph = trace(fan, x)
    assert graph.use_count(graph.inputs[0]) == WIDTH
    assert compile_graph(graph)(x.array)[0] == 2.0 * WIDTH


def test_an_operator_with_many_operands():
    def stack_and_sum(x):
        return TABLE["stack"](*[x] * 20_000, axis=0).sum()

    assert grad(stack_and_sum)(Tensor(1.0)).item() == 20_000.0
    assert compile_graph(trace(stack_and_sum, Tensor(1.0)))(np.float32(2.0))[0] == 40_000.0


# ---- long --------------------------------------------------------------------------------------------


@contextmanager
def traced_memory():
    """A function that returns the current and the peak bytes of traced memory."""
    tracemalloc.start()
    try:
        yield tracemalloc.get_traced_memory
    finally:
        tracemalloc.stop()


def growth(step, rounds):
    """Bytes that ``rounds`` calls of ``step`` leave behind, after some to warm up."""
    sizes = []
    with traced_memory() as memory:
        for count in (rounds // 10, rounds):
            for _ in range(count):
                step()
            gc.collect()
            sizes.append(memory()[0])
    return sizes[1] - sizes[0]


def test_a_tape_frees_operands_during_the_backward_pass():
    def square_many(x):
        for _ in range(64):
            x = x * x
        return x.sum()

    x = Tensor(np.ones(100_000, np.float32))
    with traced_memory() as memory:
        grad(square_many)(x)
        assert memory()[1] < 90 * x.nbytes  # 64 results, and no second copy of them as gradients


def training_step():
    weight, data = Parameter(Tensor([1.0, 2.0]), name="w"), Tensor([3.0, 4.0])
    step = value_and_grad(lambda x: ((x * weight - 1.0) ** 2).sum(), None, [weight])

    def step_once():
        _, (gradient,) = step(data)
        TABLE["assign"](weight, weight - gradient * 0.001, name="w")

    return step_once


def jit_step():
    step = jit(value_and_grad(lambda x: (x * x).sum()))
    return lambda: step(X)


def refuse():
    with pytest.raises(MinigraphError):
        X + Tensor([1.0, 2.0])


def refuse_while_tracing():
    with pytest.raises(TraceError):
        trace(lambda x: x if x.sum() > 0 else -x, X)


def refuse_in_backward():
    def cube(x):
        raise KeyError(x)

    with pytest.raises(KeyError):
        grad(lambda x: cube(x * 2.0))(X)


STEPS = {
    "eager steps": (training_step, 10_000),
    "jitted steps": (jit_step, 10_000),
    "error_cases": (lambda: refuse, 10_000),
    "error_cases while tracing": (lambda: refuse_while_tracing, 2_000),
    "errors inside of grad": (lambda: refuse_in_backward, 10_000),
}


@pytest.mark.parametrize(("make", "rounds"), STEPS.values(), ids=STEPS)
def test_memory_does_not_grow(make, rounds):
    assert growth(make(), rounds) < 40_000


# ---- empty and 0-d -----------------------------------------------------------------------------------


def norm_and_transpose(x):
    y = (x * 2.0 + 1.0).tanh().reshape(-1)
    return (y * y).sum(), y.T


@every(dtype=[np.float16, np.float32, np.float64], shape=[(), (0,), (2, 0, 3), (0, 0), (1,), (1, 1, 1)])
def test_empty_and_0d_values(shape, dtype):
    x = Tensor(np.full(shape, 0.5, dtype))
    assert bits(norm_and_transpose(x)) == bits(jit(norm_and_transpose)(x))
    assert bits(grad(norm_and_transpose)(x)) == bits(jit(grad(norm_and_transpose))(x))
    assert grad(norm_and_transpose)(x).type == x.type


# ---- threads -----------------------------------------------------------------------------------------


def test_threads_trace_and_differentiate_at_once():
    start, weight = threading.Barrier(8), Parameter(Tensor([2.0]), name="w")
    shared = jit(lambda x: (x * weight).tanh() + x)

    def work(n):
        start.wait()
        x = Tensor([float(n)])
        for _ in range(20):
            assert interpret(trace(lambda x: grad(lambda y: y * y * x)(x), x), x)[0].item() == 2.0 * n * n
            assert grad(grad(lambda y: y**3))(x).item() == 6.0 * n
            assert shared(x).array.tobytes() == ((x * weight).tanh() + x).array.tobytes()
        return current_interpreter(), active_observers()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(8))) == {(current_interpreter(), ())}
    assert gc.isenabled()


# ---- nested and re-entrant ---------------------------------------------------------------------------


def cube(x):
    return x * x * x


def test_every_nesting_of_grad_and_jit_agrees():
    nestings = [
        grad(grad(cube)), jit(grad(grad(cube))), grad(jit(grad(cube))), grad(grad(jit(cube))),
        jit(grad(jit(grad(jit(cube))))), jit(jit(grad(jit(jit(grad(cube)))))),
    ]  # fmt: skip
    assert {nested(X).array.tobytes() for nested in nestings} == {(X * 6.0).array.tobytes()}


def test_a_jitted_function_calls_itself_and_tracing_while_tracing_keeps_the_two_apart():
    @jit
    def power(x, n):
        return x if n == 0 else power(x, n - 1) * x

    def outer(x):
        return interpret(trace(lambda y: y * 3.0, X), x)[0] + 1.0

    assert power(Tensor([2.0]), 5).tolist() == [64.0]
    assert jit(outer)(X).tolist() == [4.0, 7.0, 10.0]


# ---- interrupted -------------------------------------------------------------------------------------


class Interrupt(BaseException):
    """Raised by no code of ours, like a keyboard interrupt."""


WRAPPED = [grad, jit, lambda f: jit(grad(f)), lambda f: grad(jit(f)), lambda f: grad(grad(f))]


@every(error=[ValueError, Interrupt], wrapped=WRAPPED)
def test_an_exception_leaves_no_state(wrapped, error):
    weight = Parameter(Tensor([1.0]), name="w")

    def assign_and_raise(x):
        TABLE["assign"](weight, x * weight, name="w")
        raise error

    before, was_enabled = current_interpreter(), gc.isenabled()
    with pytest.raises(error):
        wrapped(assign_and_raise)(Tensor([5.0]))
    assert (current_interpreter(), active_observers(), gc.isenabled()) == (before, (), was_enabled)
    assert (X + 1.0).tolist() == [2.0, 3.0, 4.0]
    assert jit(grad(cube))(X).tolist() == [3.0, 12.0, 27.0]
