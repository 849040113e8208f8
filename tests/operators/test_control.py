"""cond, while_loop, fori_loop, scan: equal in every mode, differentiable, with effects in order."""

from functools import partial

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, errors, grad, ops, trace
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from minigraph.operators.control import as_condition
from tests.tables import error_cases

jit = partial(ms.jit, capture_mode="ast")

X = Tensor([1.0, 2.0, 3.0])
W = Parameter(Tensor([2.0, 3.0, 4.0]), name="w")


def branches(x):
    return ops.cond(x.sum() > 0, lambda v: v * v * W, lambda v: W * 3, x) + x


def doubles(x):
    return ops.while_loop(lambda s, i: i < 3, lambda s, i: (s * W, i + 1), (x, 0))[0]


def loop_with_index(x):
    return ops.fori_loop(0, 4, lambda i, s: s * W + i, x)


def scan_rows(x):
    last, rows = ops.scan(lambda s, r: (s * r + W, s.sum() * r), x, x)
    return last + rows


LOOPS = [branches, doubles, loop_with_index, scan_rows]
each = pytest.mark.parametrize("fn", LOOPS, ids=lambda fn: fn.__name__)


@each
def test_values_gradients_and_graphs_equal_eager_mode(fn):
    # traced values are eager values
    for value in (X, -X):
        assert jit(fn)(value).asnumpy().tobytes() == fn(value).asnumpy().tobytes()
    # gradients with respect to input and parameter are those of eager mode
    gradient = grad(fn, 0, [W])
    for value in (X, -X):
        expected = flat_arrays(gradient(value))
        for captured in (jit(gradient), grad(jit(fn), 0, [W])):
            assert np.allclose(flat_arrays(captured(value)), expected, rtol=1e-5)
    # graphs with gradients are well formed and read back
    graph = trace(grad(fn), X)
    verify(graph)
    assert str(parse(str(graph))) == str(graph)


@pytest.mark.parametrize("fn", [branches, loop_with_index, scan_rows], ids=lambda fn: fn.__name__)
def test_second_gradients_are_eager_ones(fn):
    second = grad(lambda x: (grad(fn)(x) * x).sum())
    assert np.allclose(flat_arrays(jit(second)(X)), flat_arrays(second(X)), rtol=1e-5)


def test_the_second_gradient_of_a_while_loop_needs_eager_mode():
    second = grad(lambda x: (grad(jit(doubles))(x) * x * x).sum())
    plain = grad(lambda x: (grad(doubles)(x) * x * x).sum())
    assert np.allclose(flat_arrays(second(X)), flat_arrays(plain(X)), rtol=1e-5)
    with pytest.raises(errors.MinigraphError, match="use fori_loop or scan"):
        twice = grad(lambda x: (grad(lambda y: ops.while_loop(lambda s: s.sum() < 50, lambda s: s * s, y))(x)).sum())
        jit(twice, fullgraph=True)(X)


def flat_arrays(structure):
    items = structure if isinstance(structure, tuple) else (structure,)
    return np.concatenate([flat_arrays(i) if isinstance(i, tuple) else i.asnumpy().reshape(-1) for i in items])


def test_a_branch_assigns_and_prints_only_when_taken(capsys):
    count = Parameter(Tensor([0.0]), name="count")

    def print_and_return(x):
        ops.assign_add(count, Tensor([1.0]))
        ops.print_("taken")
        return x

    step = jit(lambda x: ops.cond(x.sum() > 0, lambda: print_and_return(x), lambda: -x))
    for value in (X, -X, X):
        step(value)
    assert count.asnumpy().tolist() == [2.0]
    assert capsys.readouterr().out == "taken\ntaken\n"


def test_a_loop_assigns_once_per_iteration_and_in_order():
    count = Parameter(Tensor([0.0]), name="count")

    def step(x):
        ops.assign(count, Tensor([1.0]))
        ops.while_loop(lambda i: i < 3, lambda i: (ops.assign(count, count * 2 + 1), i + 1)[1], Tensor(0))
        seen = count + 0
        ops.assign_add(count, Tensor([100.0]))
        return seen

    assert jit(step)(X).asnumpy().tolist() == [15.0]
    assert count.asnumpy().tolist() == [115.0]


def test_two_parameters_swap_in_a_branch():
    a, b = (Parameter(Tensor([v]), name=n) for v, n in ((1.0, "a"), (2.0, "b")))

    def print_and_return(x):
        old = a + 0
        ops.assign(a, b)
        ops.assign(b, old)
        return x

    jit(lambda x: ops.cond(x.sum() > 0, lambda: print_and_return(x), lambda: x))(X)
    assert (a.asnumpy().tolist(), b.asnumpy().tolist()) == ([2.0], [1.0])


def test_random_numbers_in_a_loop_equal_eager_mode():
    def noisy(x):
        return ops.fori_loop(0, 3, lambda i, s: s + ops.standard_normal((3,)), x)

    ops.set_seed(5)
    expected = noisy(X).asnumpy().tobytes()
    ops.set_seed(5)
    assert jit(noisy)(X).asnumpy().tobytes() == expected


def test_ten_thousand_iterations_do_not_recurse():
    fn = jit(lambda x: ops.while_loop(lambda s, i: i < 10_000, lambda s, i: (s + 1, i + 1), (x, Tensor(0))))
    value, rounds = fn(Tensor([0.0]))
    assert (value.asnumpy().tolist(), rounds.item()) == ([10_000.0], 10_000)


def test_known_values():
    # cond of a matrix is its condition number
    assert ops.cond(Tensor([[1.0, 2.0], [3.0, 4.0]])).item() == pytest.approx(14.933, abs=1e-3)
    # truth of plain values
    assert as_condition(Tensor([1])) is True
    assert as_condition([]) is False
    # mindspores loop classes
    assert ops.WhileLoop()(lambda v: v < 10, lambda v: v * 2, Tensor(1)).item() == 16
    assert ops.ForiLoop()(0, 3, lambda i, v: v + i, Tensor(1)).item() == 4
    assert ops.Scan()(lambda s, x: (s + x, s), Tensor(0.0), X)[0].item() == 6


test_errors = error_cases(
    (
        lambda: jit(lambda x: ops.while_loop(lambda s: s.sum() < 3, lambda s: (s, s), x)).graph(X),
        TypeError,
        "Cannot join",
    ),
    (lambda: ops.scan(lambda s, x: (s, x), X), ValueError, "the number of iterations is unknown"),
)
