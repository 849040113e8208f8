"""Branches side by side: which steps, the same bits, whose errors, whose settings."""

import threading

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, ops, trace
from minigraph.accel.host import threads
from minigraph.accel.schedule import branches
from minigraph.accel.schedule.branches import with_branches
from minigraph.accel.schedule.plan import planned
from minigraph.core.context import set_context
from minigraph.core.errors import MinigraphError
from minigraph.core.fields import Work
from minigraph.core.machine import MIN_TILED_BYTES
from minigraph.core.op import Op
from minigraph.core.pytree import leaves_of
from minigraph.core.types import TensorType, float32
from minigraph.execute.compile import compile_graph
from tests.random_programs import random_program

RNG = np.random.default_rng(0)
X, A, B = (Tensor(RNG.normal(size=(32, 32)).astype(np.float32)) for _ in range(3))


@pytest.fixture
def apart(monkeypatch):
    """Every product is worth a thread."""
    monkeypatch.setattr(branches, "MIN_BRANCH_SECONDS", 2e-6)
    monkeypatch.setattr(branches, "HEAVY_STEP_SECONDS", 1.2e-6)
    monkeypatch.setattr(branches, "MIN_BRANCH_BYTES", 1)
    monkeypatch.setattr(branches, "blas_threads", lambda: 1)
    monkeypatch.setattr(threads, "processors", lambda: 3)
    set_context(runtime_num_threads=3)


def towers(x, a, b):
    x = x * 0.5
    one = ops.tanh(x @ a) @ a
    other = ops.tanh(x @ b) @ b
    return (one * other).sum()


def names(fn, *args):
    return [step.op.name for step in planned(trace(fn, *args)).steps]


def bits(arrays):
    return [(array.shape, array.dtype, array.tobytes()) for array in map(np.asarray, arrays)]


def results(structure):
    return [leaf.array for leaf in leaves_of(structure, lambda item: isinstance(item, Tensor))]


def test_two_towers_are_one_step(apart):
    assert names(towers, X, A, B) == ["mul", "branches", "mul", "sum"]


def test_the_source_shows_what_branches_do(apart):
    source = compile_graph(trace(towers, X, A, B)).source
    assert source.count("def run(") == 3
    assert "branches(" in source


@pytest.mark.parametrize("fn", [towers, grad(towers, (0, 1, 2))], ids=["forwards", "gradients"])
def test_branches_give_the_same_bits(fn, apart):
    run = compile_graph(trace(fn, X, A, B))
    assert any(step.op.name == "branches" for step in run.plan.steps)
    expected = bits(results(fn(X, A, B)))
    for _ in range(3):
        assert bits(run(X.array, A.array, B.array)) == expected


VIEWED = {
    "views of operands": lambda x, a, b: (x.T @ a) @ x.T + (x[::-1] @ b.T) @ x,
    "views of results": lambda x, a, b: ((x @ a @ a).T, (x @ b @ b)[1:, ::2].T @ x[1:]),
    "views that meet": lambda x, a, b: ((x @ a) @ a).T @ ((b @ x) @ b).T,
    "views in the middle": lambda x, a, b: ((x @ a).T @ a).reshape(-1)[::2].sum() * ((x @ b).T @ b.T),
}


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("name", VIEWED)
def test_how_operands_lie_is_the_same_in_branches(name, gradients, apart):
    def total(x, a, b):
        found = VIEWED[name](x, a, b)
        return sum((part * part).sum() for part in (found if isinstance(found, tuple) else (found,)))

    fn = grad(total, (0, 1, 2)) if gradients else VIEWED[name]
    run = compile_graph(trace(fn, X, A, B))
    assert any(step.op.name == "branches" for step in run.plan.steps)
    for _ in range(2):
        assert bits(run(X.array, A.array, B.array)) == bits(results(fn(X, A, B)))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_in_branches_give_the_same_bits(seed, apart, monkeypatch):
    monkeypatch.setattr(branches, "MIN_BRANCH_SECONDS", 1e-9)
    monkeypatch.setattr(branches, "HEAVY_STEP_SECONDS", 1e-9)
    program = random_program(seed)
    first, second = program.arguments(0), program.arguments(1)
    run = compile_graph(trace(program.function, *first))
    for arguments in (first, second, first):
        assert bits(run(*[arg.array for arg in arguments])) == bits(results(program.function(*arguments)))


def test_branches_run_at_the_same_time(apart):
    together = threading.Barrier(2, timeout=20)

    def meet(x):
        together.wait()
        return x + 1

    op = Op("meeting", meet, lambda x: x, work=lambda out, x: Work(read=1 << 30))
    run = compile_graph(trace(lambda x, y: op(x) * op(y), X, A))
    assert bits(run(X.array, A.array)) == bits([(X.array + 1) * (A.array + 1)])


def test_large_elementwise_branches_are_one_run_whose_pieces_threads_share(apart, monkeypatch):
    """As branches they would go to memory and back where they meet."""
    monkeypatch.setattr(threads, "MIN_THREADED_BYTES", 1)
    x = Tensor(RNG.normal(size=MIN_TILED_BYTES // 4).astype(np.float32))

    def fn(x):
        return (x * 0.5 + 1.0).tanh() * 0.3 + (x * 0.25).exp() * 0.7

    run = compile_graph(trace(fn, x))
    assert [(block.first, block.last, block.threads) for block in run.plan.blocks] == [(0, len(run.plan.steps), 3)]
    assert bits(run(x.array)) == bits(results(fn(x)))


def test_one_thread_never_branches(apart):
    set_context(runtime_num_threads=1)
    assert "branches" not in names(towers, X, A, B)


def test_products_that_blas_shares_out_itself_stay(apart, monkeypatch):
    monkeypatch.setattr(branches, "blas_threads", lambda: 2)
    monkeypatch.setattr(branches, "BYTES_PER_SECOND", 1e30)
    assert "branches" not in names(towers, X, A, B)


def test_what_is_small_stays(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 3)
    monkeypatch.setattr(branches, "blas_threads", lambda: 1)
    assert "branches" not in names(towers, X, A, B)


def test_what_is_large_does_not(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 2)
    monkeypatch.setattr(branches, "blas_threads", lambda: 1)
    set_context(runtime_num_threads=2)
    large = Tensor(np.ones((512, 512), np.float32))
    assert "branches" in names(towers, large, large, large)


def test_an_error_in_a_branch_names_its_line(apart):
    def fn(x, a, b):
        one = x @ a
        other = x @ b  # this one
        return one * other

    run = compile_graph(trace(fn, X, A, B))
    with pytest.raises(MinigraphError, match=r"x @ b.*test_branches\.py") as told:
        run(X.array, A.array, np.ones((3, 3), np.float32))
    assert str(told.value).count("test_branches.py") == 1


def test_infinity_is_a_value_in_a_branch(apart):
    run = compile_graph(trace(lambda x, a: (x @ x).exp() @ x + (a @ a).log() @ a, X, A))
    with np.errstate(all="raise"):
        found = run(X.array * 100, A.array)
    assert not np.isfinite(found[0]).all()


def test_parameters_are_stored_after_branches(apart):
    weight = Parameter(Tensor(A.array.copy()), name="weight")

    def step(x, b):
        ops.assign(weight, weight @ x * 0.1 + b @ x)
        return (weight * x).sum()

    expected = A.array @ X.array * np.float32(0.1) + B.array @ X.array
    compile_graph(trace(step, X, B))(X.array, B.array)
    assert weight.asnumpy().tobytes() == expected.tobytes()


def test_several_threads_may_call_at_once(apart):
    run, expected = compile_graph(trace(towers, X, A, B)), bits([towers(X, A, B).array])
    found = []
    callers = [threading.Thread(target=lambda: found.append(bits(run(X.array, A.array, B.array)))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [expected] * 8


def test_no_steps():
    assert with_branches([], (), {}, lambda plan: plan) == []
    assert with_branches([], (), {0: TensorType((1 << 20,), float32)}, lambda plan: plan) == []
