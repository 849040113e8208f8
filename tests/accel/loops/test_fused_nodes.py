"""Fused nodes as kernels: which steps are fused, and that kernels give eager mode's bits."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, jit, ops, set_context, trace
from minigraph.accel.host import threads
from minigraph.accel.loops import fused_nodes, numba_kernels
from minigraph.accel.loops.fused_nodes import should_compile_loops
from minigraph.accel.loops.numba_kernels import KernelFallbackWarning, is_numba_available, warn_numba_missing
from minigraph.accel.schedule import tiling
from minigraph.accel.schedule.plan import make_plan
from minigraph.core.op import apply
from minigraph.execute.compile import compile_graph
from minigraph.operators.scalar_expressions import SCALARS
from tests.accel.arrays import arrays_of, bits
from tests.random_programs import random_program

needs_numba = pytest.mark.skipif(not is_numba_available(), reason="numba is not installed")
EXACT = [op for op, scalar in SCALARS.items() if scalar.exact]
X = Tensor(np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32))


@pytest.fixture
def loops(monkeypatch, shortest_loops):
    """Two steps are fused, whether or not numba is installed; without it, numpy computes them."""
    monkeypatch.setattr(fused_nodes, "is_numba_available", lambda: True)
    shortest_loops(2)
    set_context(kernel_backend="auto")


@pytest.fixture
def at_once(loops, monkeypatch):
    """Every loop is compiled after its first call."""
    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 0)


def loop_texts(fn, *args):
    """The texts of the loops of a function."""
    return [step.op.doc for step in make_plan(trace(fn, *args)).steps if step.op.role == "fused"]


def check(fn, *args):
    run, expected = compile_graph(trace(fn, *args)), bits(arrays_of(fn(*args)))
    for _ in range(3):
        assert bits(run(*[arg.array for arg in args])) == expected
    return run


# ---- which steps are fused -------------------------------------------------------------------------


def test_each_loop_is_one_step(loops):
    assert len(loop_texts(lambda x: (x * x + x) * 2.0, X)) == 1
    assert len(loop_texts(lambda x: (x * x + x, (x * x + x).sum()), X)) == 2
    assert loop_texts(lambda x: (x * x).sum() * 2.0, X) == [], "one node is no loop"


def test_the_source_shows_the_loop_of_a_kernel(loops):
    source = compile_graph(trace(lambda x: ((x * x + x) * x).sum(), X)).source
    head = ["# body: def loop(a0, out):", "#     for i in range(out.shape[0]):", "#         x0 = a0[i]"]
    lines = source.splitlines()
    assert lines[:3] == head
    assert lines[5] == "#         out[i] = float32(t1 * x0)"
    assert lines[6].startswith("def run(")


def test_an_error_after_a_kernel_names_the_users_line(loops):
    run = compile_graph(trace(lambda x: ((x * x + x) * x).reshape(-1) @ x.reshape(-1), X))
    with pytest.raises(ms.errors.MinigraphError, match="test_fused_nodes.py"):
        run(np.ones((2, 2, 2, 2), np.float32))


def test_the_backend_decides(monkeypatch):
    for installed in (True, False):
        monkeypatch.setattr(fused_nodes, "is_numba_available", lambda installed=installed: installed)
        set_context(kernel_backend="auto")
        assert should_compile_loops() is installed
        set_context(kernel_backend="numpy")
        assert not should_compile_loops()
    warn_numba_missing.cache_clear()
    set_context(kernel_backend="numba")
    with pytest.warns(KernelFallbackWarning, match="numba is not installed"):
        assert not should_compile_loops()
    assert not should_compile_loops(), "warned once"
    with pytest.raises(ValueError, match="kernel_backend"):
        set_context(kernel_backend="cython")


# ---- the same bits from numpy and from kernels -----------------------------------------------------

PROGRAMS = {
    "a broadcast row": lambda x: (x * Tensor(np.arange(5, dtype=np.float32)) + 1.0) * x,
    "a broadcast column": lambda x: (x * x[:, :1] + x) * 3.0,
    "an operand in another order": lambda x: (x.T.T * x + 1.0) * x,
    "gaps": lambda x: (x[::2, ::2] * 2.0 + 1.0) * x[::2, ::2],
    "two results are returned": lambda x: (x * 2.0 + x, (x * 2.0 + 1.0) * x),
    "one is read later": lambda x: (x * x + 1.0) * x - (x * x + 1.0).sum(),
    "with others between": lambda x: ((x * x + 1.0).tanh() * x + x).exp() * 2.0 - x,
    "dtypes change": lambda x: (x * 3.0).astype(ms.float64) * 2.0 > 1.0,
    "bools": lambda x: ops.logical_and(x > 0, ops.logical_not(x > 1)).astype(ms.float32) * x,
    "where": lambda x: ops.where(x * 3.0 > 1.0, x, -x),
    "scalars": lambda x: (x.sum() * 2.0 + 1.0) * 3.0,
    "a gradient": grad(lambda x: (ops.maximum(x * x, x) * x).sum()),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_numpy_computes_loops_that_are_not_compiled_yet(name, loops):
    run = check(PROGRAMS[name], X)
    assert any(step.op.role == "fused" for step in run.plan.steps)


@needs_numba
@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels_give_the_same_bits(name, at_once):
    check(PROGRAMS[name], X)


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e30, 1e-42])
DTYPES = tuple(map(np.dtype, (bool, np.int32, np.int64, np.int8, np.float32, np.float64)))


def sample_numbers(dtype, rng):
    """Numbers of a dtype, special ones among them."""
    numbers = np.where(rng.random(40) < 0.3, rng.choice(SPECIAL, 40), rng.normal(size=40) * 5)
    return numbers.astype(dtype) if dtype.kind == "f" else rng.integers(-5, 6, 40).astype(dtype)


def calls_of(op):
    """Operands of every dtype that an operator's expression supports."""
    rng = np.random.default_rng(0)
    for dtype in DTYPES:
        arrays = [sample_numbers(dtype, rng) for _ in range(op.arity)]
        if op.promotes and 0 not in op.promotes.positions:
            arrays[0] = rng.random(40) < 0.5
        if dtype.kind in SCALARS[op].kinds and not (op.promotes and op.promotes.to_float and dtype.kind != "f"):
            yield [Tensor(array) for array in arrays]


@needs_numba
@pytest.mark.parametrize("op", EXACT, ids=str)
def test_every_expression_gives_the_bits_of_its_operator(op, at_once):
    attrs = {"dtype": ms.float64} if "dtype" in op.attributes else {}

    def fn(*args):
        once = apply(op, *args, **attrs)
        return ops.where(once == once, once, once)  # so that it is fused

    for args in calls_of(op):
        run = check(fn, *args)
        assert [step.op.role for step in run.plan.steps] == ["fused"]


@needs_numba
@pytest.mark.parametrize("seed", range(25))
def test_random_programs_give_the_same_bits(seed, at_once, monkeypatch):
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 2)
    monkeypatch.setattr(tiling, "MIN_TILED_BYTES", 1)
    monkeypatch.setattr(tiling, "MIN_TILE_BYTES", 8)
    program = random_program(seed)
    first, second = program.arguments(0), program.arguments(1)
    run = compile_graph(trace(program.function, *first))
    for arguments in (first, second, first):
        assert bits(run(*[arg.array for arg in arguments])) == bits(arrays_of(program.function(*arguments)))


@needs_numba
def test_large_tensors_are_shared_among_threads(at_once, monkeypatch):
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 2)
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    run = check(lambda x: (x * x + x) * 2.0, Tensor(np.arange(1 << 18, dtype=np.float32)))
    assert run.plan.tiled_groups[0].threads == 2
    assert "run_parallel" in run.source


@needs_numba
def test_a_compiled_step_writes_parameters(at_once):
    weight = Parameter(Tensor(np.ones(4, np.float32)), name="weight")

    @jit
    def step(x):
        ops.assign(weight, weight - (x * weight + x) * 0.5)
        return weight.sum()

    for _ in range(3):
        step(Tensor(np.ones(4, np.float32)))
    assert weight.asnumpy().tolist() == [-0.75] * 4


# ---- kernels that may change the rounding ----------------------------------------------------------


@pytest.fixture
def allow_other_rounding(at_once):
    """Kernels may change the rounding."""
    set_context(kernel_backend="numba")


def check_close(fn, *args):
    run, expected = compile_graph(trace(fn, *args)), arrays_of(fn(*args))
    for _ in range(3):
        for result, reference in zip(run(*[arg.array for arg in args]), expected, strict=True):
            np.testing.assert_allclose(result, reference, rtol=1e-5, atol=1e-6)
    return run


ROWS = Tensor(np.random.default_rng(1).normal(size=(40, 33)).astype(np.float32))
ROUNDED = {
    "a softmax": lambda x: (x * 0.5).softmax(-1),
    "a softmax with other readers": lambda x: (lambda p: (p, p * x, p.sum(0)))(x.softmax(-1)),
    "rows only": lambda x: ((x * x).mean(-1) + 1.0).sqrt(),
    "all axes": lambda x: (x.tanh() * x).sum(),
    "a maximum over all axes": lambda x: (x * 2.0 - x.exp()).amax((0, 1)),
    "a gradient": grad(lambda x: ((x * 0.5).softmax(-1) * x.tanh()).sum()),
    "in another order": lambda x: (x.T.softmax(-1) * 2.0).T,
    "with a row": lambda x: (x + x[0]).softmax(-1) * x[0],
    "many polynomials": lambda x: (x.exp().tanh() * 2.0).exp().tanh() + x.sigmoid(),
}


@pytest.mark.parametrize("threaded", [1, 3])
@needs_numba
@pytest.mark.parametrize("name", ROUNDED)
def test_reductions_and_polynomials_are_close(name, threaded, allow_other_rounding, monkeypatch):
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: threaded)
    assert any(step.op.role == "fused" for step in check_close(ROUNDED[name], ROWS).plan.steps)


def test_numpy_computes_loops_with_reductions_that_are_not_compiled_yet(loops, monkeypatch):
    set_context(kernel_backend="numba")
    check_close(ROUNDED["a gradient"], ROWS)
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    monkeypatch.setattr(threads, "usable_cpu_count", lambda: 3)
    assert len(check_close(ROUNDED["a softmax"], ROWS).plan.steps) == 1


def test_the_gradient_of_an_elementwise_chain_is_one_loop(loops):
    set_context(kernel_backend="numba")

    def chain(x):
        for _ in range(4):
            x = (x * 0.5 + 1.0).tanh() * x
        return x.sum()

    steps = make_plan(trace(grad(chain), ROWS)).steps
    assert [step.op.role for step in steps if not step.op.view] == ["fused"]


def test_integers_are_reduced_to_the_same_bits(loops):
    numbers = Tensor(np.arange(60, dtype=np.int32).reshape(6, 10) - 30)
    run = check(lambda x: ((x * 2 + 1).sum(-1), (x * 3 - 1).amax(-1), (x + 1).sum()), numbers)
    assert [step.op.role for step in run.plan.steps].count("fused") > 1


def test_only_the_backend_numba_may_change_the_rounding(loops):
    assert not fused_nodes.may_change_rounding()
    set_context(kernel_backend="numba")
    assert fused_nodes.may_change_rounding()
    set_context(kernel_backend="numpy")
    assert not fused_nodes.may_change_rounding()
