"""Interpreted, compiled and accelerated: the same results on every operator's samples and on random programs.

``kernel_backend="auto"`` gives eager mode's bits; "numba" may change the summation order and computes exp, log, tanh
and sigmoid by polynomials (``accel.loops.polynomials.ULPS``): within ``TOLERANCE`` of the largest element, on
well-conditioned programs.
"""

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.accel.host import threads
from minigraph.accel.loops import numba_kernels
from minigraph.accel.loops.numba_kernels import is_numba_available
from minigraph.core.context import set_context
from minigraph.core.op import TABLE, apply
from minigraph.execute.compile import compile_graph
from minigraph.execute.interpret import interpret
from minigraph.operators.scalar_expressions import REDUCTIONS, SCALARS
from tests.accel.arrays import arrays_of, bits

pytestmark = pytest.mark.skipif(not is_numba_available(), reason="numba is not installed")

TOLERANCE = 1e-5
OPERATORS = [
    op
    for op in TABLE.values()
    if op.samples and (op in SCALARS or op in REDUCTIONS or op.expand) and not (op.effects or op.stores)
]
CASES = [
    pytest.param(op, sample, id=f"{op}-{i}")
    for op in OPERATORS
    for i, sample in enumerate(op.samples(np.random.default_rng(0)))
]


@pytest.fixture
def compile_immediately(monkeypatch, shortest_loops):
    """Every step that can be compiled is a kernel, compiled after its first call."""
    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 0)
    shortest_loops(1)


def call_of(op, sample):
    """An operator call as a function, and the tensors of a sample, floats as float32, for which there are kernels."""
    arrays = [np.asarray(a, np.float32) if np.asarray(a).dtype == np.float64 else np.asarray(a) for a in sample.args]
    return (lambda *args: apply(op, *args, **sample.attrs)), [Tensor(array) for array in arrays]


def results(backend, graph, args):
    set_context(kernel_backend=backend)
    run = compile_graph(graph)
    return [run(*[arg.array for arg in args]) for _ in range(3)][-1]


def check_every_mode(fn, args):
    """Check that a function's program gives eager mode's bits, or close results where it may change the rounding."""
    graph = trace(fn, *args)
    expected = arrays_of(interpret(graph, *args))
    for backend in ("numpy", "auto"):
        assert bits(results(backend, graph, args)) == bits(expected)
    for result, array in zip(results("numba", graph, args), expected, strict=True):
        assert (result.shape, result.dtype) == (array.shape, array.dtype)
        if result.dtype.kind == "f":
            scale = np.abs(array[np.isfinite(array)]).max(initial=1.0)
            np.testing.assert_allclose(result, array, rtol=TOLERANCE, atol=TOLERANCE * scale)
        else:
            assert np.array_equal(result, array)


@pytest.mark.parametrize(("op", "sample"), CASES)
def test_every_sample_of_every_operator_in_every_mode(op, sample, compile_immediately):
    check_every_mode(*call_of(op, sample))


@pytest.mark.parametrize("op", [op for op in OPERATORS if op in SCALARS or op in REDUCTIONS], ids=str)
def test_every_expression_is_compiled(op, compile_immediately):
    set_context(kernel_backend="numba")
    calls = [call_of(op, sample) for sample in op.samples(np.random.default_rng(0))]
    graphs = [trace(fn, *args) for fn, args in calls]
    assert any(step.op.role == "fused" for graph in graphs for step in compile_graph(graph).plan.steps)


# ---- well-conditioned random programs ----------------------------------------------------------------

SHAPES = ((6, 8), (8,), (6, 1), (6, 8))
UNARY = ("tanh", "sigmoid", "silu", "exp", "square", "neg", "abs", "relu", "sqrt", "log")
BINARY = ("add", "sub", "mul", "maximum", "minimum")
REDUCING = ("sum", "mean", "max", "min")


def program(seed):
    """A function of four tensors whose intermediate results are between -1 and 1."""

    def function(*args):
        rng = np.random.default_rng(seed)
        pool = list(args)
        for _ in range(20):
            pool.append(ops.tanh(_step(rng, pool)))
        return pool[-1], pool[-3], pool[-6]

    return function


def _step(rng, pool):
    x, y = (pool[rng.integers(len(pool))] for _ in range(2))
    kind, name = rng.integers(5), UNARY[rng.integers(len(UNARY))]
    if kind == 0:
        return apply(name, ops.abs(x) + 0.5 if name in ("sqrt", "log") else x)
    if kind == 1 and x.ndim:
        axis = (-1, None, (0, 1))[rng.integers(2 if x.ndim == 1 else 3)]
        return x - apply(REDUCING[rng.integers(4)], x, axis=axis, keepdims=True) * 0.1
    if kind == 2 and x.ndim == 2:
        return (ops.softmax(x, -1), ops.log_softmax(x, -1) * 0.1, x @ x.T)[rng.integers(3 if x.shape[1] > 1 else 2)]
    return apply(BINARY[rng.integers(5)], x, y) if _can_broadcast(x.shape, y.shape) else x * 0.5


def _can_broadcast(left, right):
    try:
        np.broadcast_shapes(left, right)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("seed", range(8))
def test_random_programs_in_every_mode(seed, compile_immediately, monkeypatch):
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 2)
    values = np.random.default_rng(seed + 100)
    args = [Tensor(values.uniform(-1, 1, shape).astype(np.float32)) for shape in SHAPES]
    check_every_mode(program(seed), args)
