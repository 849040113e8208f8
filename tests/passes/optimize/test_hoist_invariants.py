"""Which nodes are hoisted out of loops."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.npu import cycles
from passes import as_pipeline
from tests.passes.comparison import bits_of, keep_bits, keep_gradients
from tests.passes.small_graphs import names

RNG = np.random.default_rng(0)
X, W = (Tensor((RNG.normal(size=(3, 3)) * 0.5).astype(np.float32)) for _ in range(2))


def while_loop(step, trips=3):
    """A while loop of so many iterations."""

    def loop(x, w):
        start = (Tensor(0), x)
        return ops.while_loop(lambda s: s[0] < trips, lambda s: (s[0] + 1, step(s[1], w)), start)[1]

    return loop


def make_scan(step):
    """A scan over two rows."""
    return lambda x, w: ops.scan(lambda c, row: (step(c, w) + row, None), x, ops.stack((x, w)))[0]


def body_operators(graph):
    """The operators in the bodies."""
    bodies = [body for node in graph for body in graph.regions(node)]
    return [str(body.op(node)) for body in bodies for node in body if not body.op(node).is_leaf]


STEPS = {
    "a product": (lambda c, w: c + w @ w, {"matmul"}),
    "a chain": (lambda c, w: c * ops.exp(ops.tanh(w) * 0.5), {"exp", "tanh"}),
    "a reduction": (lambda c, w: c - w.sum(0), {"sum"}),
    "a view": (lambda c, w: c @ w.swapaxes(0, 1), {"transpose"}),
    "two uses of one node": (lambda c, w: ops.sin(w) * c + ops.sin(w).sum(), {"sum"}),
}


@pytest.mark.parametrize(("step", "hoisted"), STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("loop", [while_loop, make_scan])
def test_invariants_are_hoisted_with_the_same_bits(step, hoisted, loop):
    graph = ms.trace(loop(step), X, W)
    keep_bits("hoist_invariants", graph, X, W)
    assert not hoisted & set(body_operators(graph))
    assert hoisted <= set(names(graph))
    compiled = ms.execute.compile.compile_graph(graph)(X.array, W.array)[0]
    assert [compiled.tobytes()] == bits_of(ms.interpret(graph, X, W))


NOT_INVARIANT = [
    (lambda c, w: c @ c + w, "matmul"),
    (lambda c, w: c + ops.ones((3, 3)) * 2.0 + w, "mul"),
    (lambda c, w: (ops.Print()(w), c + w)[1], "print"),
    (lambda c, w: c + ops.cond(w.sum() > 0, lambda: w, lambda: -w), "cond"),
]


@pytest.mark.parametrize(("step", "stays"), NOT_INVARIANT)
def test_other_nodes_stay_in_the_loop(step, stays):
    graph = ms.trace(make_scan(step), X, W)
    as_pipeline("hoist_invariants").run(graph)
    assert stays in body_operators(graph)


def test_operators_that_may_fail_are_hoisted_only_if_the_loop_runs():
    def step(c, w):
        return c + ops.cholesky(w)

    guarded, unconditional = ms.trace(while_loop(step, 0), X, W), ms.trace(make_scan(step), X, W)
    for graph in (guarded, unconditional):
        as_pipeline("hoist_invariants").run(graph)
    assert "cholesky" in body_operators(guarded) and "cholesky" not in body_operators(unconditional)
    assert ms.interpret(guarded, X, W)[0].array.tobytes() == X.array.tobytes()


def test_unused_operands_are_removed():
    graph = ms.trace(make_scan(lambda c, w: c + w @ w), X, W)
    (loop,) = [node for node in graph if graph.regions(node)]
    count = len(graph.ins(loop))
    as_pipeline("hoist_invariants").run(graph)
    assert len(graph.ins(loop)) == count == len(graph.regions(loop)[0].inputs)


def test_gradients_are_the_same():
    keep_gradients("hoist_invariants", ms.trace(make_scan(lambda c, w: c * ops.tanh(w @ w)), X, W), X, W, tol=1e-6)


def test_invariants_leave_nested_loops_and_save_time():
    def nested_scan(x, w):
        inner = make_scan(lambda c, w: c @ (w @ w))
        return ops.scan(lambda c, row: (inner(c, w) * row, None), x, ops.stack((x, w, x)))[0]

    graph = ms.trace(nested_scan, X, W)
    before = cycles(graph)
    as_pipeline("hoist_invariants").run(graph)
    assert [str(graph.op(node)) for node in graph].count("matmul") == 1
    assert cycles(graph) < before
