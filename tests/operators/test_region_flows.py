# ruff: noqa: SIM108
"""Gradients that a value in a branch or loop blocks: warnings and errors in eager mode and captured; and flows."""

import warnings

import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, jit, ops
from minigraph.capture.trace import trace
from minigraph.compilation import OpByOpWarning
from minigraph.core.autodiff.differentiability import NonDifferentiableWarning
from minigraph.core.autodiff.flows import NO_FLOW, GradientFlow
from minigraph.core.errors import MinigraphError
from minigraph.operators.region_flows import body_flows, cond_flows, scan_flows, while_flows

X = Tensor([1.0, 3.0, 2.0])
weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")


def branch(x):
    if x.sum() > 2:
        y = x.argmax().astype(ms.float32)
    else:
        y = x.sum()
    return y


def branch_not_taken(x):
    if x.sum() > 100:
        y = x.argmax().astype(ms.float32)
    else:
        y = x.sum()
    return y


def condition(x):
    if (x > 2).any():
        y = Tensor(1.0)
    else:
        y = Tensor(0.0)
    return y


def before_a_branch(x):
    mask = (x > 1).astype(ms.float32)
    if x.sum() > 1:
        y = mask * 2
    else:
        y = mask * 3
    return y.sum()


def after_a_branch(x):
    if x.sum() > 1:
        y = x * 2
    else:
        y = x * 3
    return (y > 1).astype(ms.float32).sum()


def early_return(x):
    if x.sum() > 1:
        return (x > 1).astype(ms.float32).sum()
    return x.sum()


def loop(x):
    total, i = Tensor(0.0), Tensor(0)
    while i < 3:
        total = total + (x > i).astype(ms.float32).sum()
        i = i + 1
    return total


def loop_without_iterations(x):
    total, i = Tensor(0.0), Tensor(5)
    while i < 3:
        total = total + (x > i).astype(ms.float32).sum()
        i = i + 1
    return total


def loop_test(x):
    n = Tensor(0)
    while x.sum() > n:
        n = n + 1
    return n.astype(ms.float32)


def carried_mask(x):
    mask, i = x > 1, Tensor(0)
    while i < 2:
        mask = mask & (x > i)
        i = i + 1
    return mask.astype(ms.float32).sum()


def carried_integer(x):
    k, total, i = x.astype(ms.int32).sum(), Tensor(0.0), Tensor(0)
    while i < 2:
        total = total + k.astype(ms.float32)
        k, i = k + 1, i + 1
    return total


def rows(x):
    total = Tensor(0.0)
    for v in x:
        total = total + (v > 1).astype(ms.float32)
    return total


def tensor_range(x):
    total = Tensor(0.0)
    for _ in range(x.astype(ms.int32).max()):
        total = total + x.argmax().astype(ms.float32)
    return total


def left_by_break(x):
    total = Tensor(0.0)
    for i in range(4):
        if x.sum() * i > 7:
            break
        total = total + (x > i).astype(ms.float32).sum()
    return total


def branch_in_a_loop(x):
    total, i = Tensor(0.0), Tensor(0)
    while i < 2:
        if x.sum() > 1:
            total = total + ops.sort(x)[1].astype(ms.float32).sum()
        else:
            total = total + 1
        i = i + 1
    return total


def weights(x):
    if x.sum() > 1:
        y = (x * weight).argmax().astype(ms.float32)
    else:
        y = (x * weight).sum()
    return y


def mask_of_itself(x):
    if x.sum() > 1:
        y = (x * (x > 1)).sum()
    else:
        y = x[x.argmax()]
    return y


PROGRAMS = [
    branch, branch_not_taken, condition, before_a_branch, after_a_branch, early_return, loop, loop_without_iterations,
    loop_test, carried_mask, carried_integer, rows, tensor_range, left_by_break, branch_in_a_loop, weights,
    mask_of_itself,
]  # fmt: skip
MODES = {
    "gradient": lambda gradient: jit(gradient(lambda fn: fn)),
    "of a captured function": lambda gradient: gradient(jit),
    "traced": lambda gradient: jit(gradient(lambda fn: fn), capture_mode="trace"),
}


def gradient_and_warnings(gradient):
    """The gradient or the error, and the warnings of values that are not differentiable."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            result = gradient(X)
            result = [part.tolist() for part in (result if isinstance(result, tuple) else (result,))]
        except ValueError as error:
            result = str(error)
    return result, [str(warning.message) for warning in caught if warning.category is NonDifferentiableWarning]


@pytest.mark.parametrize("setting", ["warn", "error"])
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_warnings_and_errors_equal_eager_mode(fn, mode, setting):
    ms.set_context(nondifferentiable=setting)
    owners = (0, weight) if fn is weights else (0,)
    expected = gradient_and_warnings(ms.grad(fn, *owners))
    assert gradient_and_warnings(mode(lambda wrap: ms.grad(wrap(fn), *owners))) == expected


def test_most_of_these_programs_warn():
    texts = {fn.__name__: gradient_and_warnings(ms.grad(fn))[1] for fn in PROGRAMS}
    without = {"branch_not_taken", "condition", "loop_without_iterations", "loop_test", "mask_of_itself"}
    assert {name for name, text in texts.items() if not text} == without
    line = branch.__code__.co_firstlineno + 2
    assert f"in `x.argmax()` (test_region_flows.py:{line})" in texts["branch"][0]


def test_a_loop_whose_weights_have_gradients_is_captured():
    def recurrent(x):
        h, i, hits = x, Tensor(0), Tensor(0.0)
        while i < 3:
            h = ops.tanh(h * weight)
            if h.sum() > 0:
                h = h * 0.5
            hits = hits + (h.argmax() == i).astype(ms.float32)
            h, i = h * (h > 0).astype(ms.float32), i + 1
        return h.sum(), hits

    gradient = ms.grad(recurrent, 0, weight, has_aux=True)
    captured = jit(gradient)
    with warnings.catch_warnings(action="error"):
        got, expected = captured(X)[0], gradient(X)[0]
    assert captured.cache_info().misses == 1
    assert [part.tolist() for part in got] == [part.tolist() for part in expected]


def test_a_result_that_is_not_differentiated_adds_nothing():
    """The derivative of the square root is infinite, and zero times infinity is NaN."""

    def two(x):
        if x.sum() > 0:
            y, other = x * 2, ops.sqrt(x - x)
        else:
            y, other = x * 3, x
        return y.sum(), other

    for fn in (two, jit(two)):
        assert ms.grad(fn, has_aux=True)(X)[0].tolist() == [2.0, 2.0, 2.0]
    assert jit(ms.grad(two, has_aux=True))(X)[0].tolist() == [2.0, 2.0, 2.0]


@pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")
def test_without_a_break_such_a_gradient_is_refused():
    with pytest.raises(MinigraphError, match="depends on a branch or loop, because the i64"):
        jit(ms.grad(branch), fullgraph=True)(X)
    with pytest.warns(OpByOpWarning, match="whether argument 0 has a gradient depends on a branch or loop"):
        jit(ms.grad(branch))(X)


def test_flows_of_bodies_branches_and_loops():
    both = trace(lambda x, y: (x * y, x.argmax().astype(ms.float32)), X, X)
    float_only = trace(lambda x, y: (x + 1, y.sum()), X, X)
    assert [flow[:2] for flow in body_flows(both, frozenset([0]))] == [(True, True), (True, True)]
    first, second = body_flows(both, frozenset([1]))
    assert not first.is_reached and first.blocker.type == "i64[]" and second == NO_FLOW
    joined = cond_flows((1,), bodies=(both, float_only))
    assert joined[0] == NO_FLOW and joined[1].blocker and joined[2] == GradientFlow(True, False, None)
    carried = trace(lambda total, w: total + w, X, X)
    test = trace(lambda total, w: total.sum() > 0, X, X)
    certain, uncertain = GradientFlow(True, True, None), GradientFlow(True, False, None)
    assert while_flows((0,), carries=1, bodies=(test, carried)) == [certain, uncertain]
    scanned = [scan_flows((0,), carries=1, rows=0, length=n, bodies=(carried,)) for n in (0, 2)]
    assert [flows[1].is_certain for flows in scanned] == [False, True]
