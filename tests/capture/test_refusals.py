"""Errors during tracing, MindSpore's messages and ours, and that no state is left behind."""

import gc
import math
import threading

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, interpret, jit, ops, trace
from minigraph.capture.trace import is_tracing
from minigraph.core.errors import MinigraphError, TraceError
from minigraph.core.op import active_observers, current_interpreter
from tests.inspection import to_lists

X = Tensor([1.0, 2.0])


# ---- uses of a value that is not known -------------------------------------------------------------

# a use of a value in user code -> the expression that the error must show
READS = {
    "bool": (lambda x: bool(x.sum() > 0), "bool(x.sum() > 0)"),
    "if": (lambda x: x if x.sum() > 0 else -x, "x.sum() > 0"),
    "and": (lambda x: x[0] and x[1], "x[0] and x[1]"),
    "float": (lambda x: float(x[0]), "float(x[0])"),
    "int": (lambda x: int(x[0]), "int(x[0])"),
    "range": (lambda x: range(x.astype(ms.int32)[0]), "range(x.astype(ms.int32)[0])"),
    "list index": (lambda x: [1, 2][x.astype(ms.int32)[0]], "[1, 2][x.astype(ms.int32)[0]]"),
    "a slice": (lambda x: x[x.astype(ms.int32)[0] :], "x[x.astype(ms.int32)[0] :]"),
    "asnumpy": (lambda x: x.asnumpy(), "x.asnumpy()"),
    "numpy": (lambda x: np.asarray(x), "np.asarray(x)"),
    "a function of numpy's": (lambda x: np.mean(x), "np.mean(x)"),
    "one of several tensors": (lambda x: np.concatenate([x, x]), "np.concatenate([x, x])"),
    "math": (lambda x: math.sin(x[0]), "math.sin(x[0])"),
    "item": (lambda x: x[0].item(), "x[0].item()"),
    "tolist": (lambda x: x.tolist(), "x.tolist()"),
    "Tensor": (lambda x: Tensor(x), "Tensor(x)"),
    "Parameter": (lambda x: Parameter(x), "Parameter(x)"),
    "loop over data": (lambda x: [v for v in x if v > 1], "v > 1"),
}


@pytest.mark.parametrize(("read", "expression"), READS.values(), ids=READS)
def test_reading_a_value_names_the_expression_and_the_line(read, expression):
    with pytest.raises(TraceError) as caught:
        trace(read, X)
    text = str(caught.value)
    assert f"in `{expression}` (test_refusals.py:{read.__code__.co_firstlineno})" in text
    assert "is unavailable while tracing '<lambda>'" in text
    assert "; use ops.where" in text
    assert caught.value.__cause__ is None
    assert len(text.splitlines()) <= 3


@pytest.mark.parametrize("fn", [lambda x: np.sin(x), lambda x: np.add(x, 1), lambda x: np.add.reduce(x)])
@pytest.mark.parametrize(
    "capture", [trace, lambda fn, x: jit(fn).graph(x), lambda fn, x: jit(fn, capture_mode="trace").graph(x)]
)
def test_ufuncs_name_the_expression_and_the_line(fn, capture):
    pattern = rf"in `np.+\(x.*\)` \(test_refusals.py:{fn.__code__.co_firstlineno}\); use ops"
    with pytest.raises(TraceError, match=pattern):
        capture(fn, X)


def test_other_type_errors_are_unchanged_and_tracers_of_an_outer_trace_are_refused_in_an_inner_one():
    def outer(x):
        return interpret(trace(lambda y: y + x, X), x)

    with pytest.raises(TypeError, match="unsupported operand") as caught:
        trace(lambda x: {} + [], X)
    assert caught.type is TypeError
    with pytest.raises(TraceError, match="is unavailable while tracing 'outer'"):
        trace(outer, X)


def test_a_parameter_is_not_set_from_outside_of_the_graph():
    p = Parameter(Tensor([1.0, 2.0]), name="w")
    with pytest.raises(RuntimeError, match=r"'w' in `p.set_data\(x\)` \(test_refusals.py:\d+\); use ops.assign"):
        trace(lambda x: p.set_data(x), X)
    with pytest.raises(RuntimeError, match="use ops.assign"):
        trace(lambda x: p.set_data(X * 3), X)
    assert p.tolist() == [1.0, 2.0]


# ---- leaked tracers --------------------------------------------------------------------------------

USES = {
    "alone": lambda x: x + 1,
    "with a tensor": lambda x: X * x,
    "its value": lambda x: x.asnumpy(),
    "in another trace": lambda x: trace(lambda y: y + x, X),
    "in a jitted function": lambda x: jit(lambda y: y + x)(X),
    "as a result": lambda x: trace(lambda y: x, X),
    "as an argument of a jitted function": lambda x: jit(lambda y: y + 1)(x),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_leaked_tracer_is_refused_wherever_it_is_used(use):
    leaked = []
    trace(lambda x: leaked.append(x * 2), X)
    message = r"f32\[2\] %2 of '<lambda>' was kept after tracing ended.*test_refusals.py:\d+"
    with pytest.raises(TraceError, match=message):
        use(leaked[0])


# ---- state after a trace ---------------------------------------------------------------------------


def raises_value(x):
    return bool(x.sum())


def raises_shape(x):
    return x + Tensor([1.0, 2.0, 3.0])


def raises_user_error(x):
    raise KeyError("mine")


def raises_in_gradient(x):
    return grad(raises_value)(x)


def raises_in_inner_jit(x):
    return jit(raises_value, fullgraph=True)(x)


def raises_interrupt(x):
    raise KeyboardInterrupt


FAILING = (raises_value, raises_shape, raises_user_error, raises_in_gradient, raises_in_inner_jit, raises_interrupt)


@pytest.mark.parametrize("raises", FAILING, ids=lambda fn: fn.__name__)
def test_a_failed_trace_leaves_nothing_behind(raises):
    before = current_interpreter(), active_observers(), gc.isenabled()
    p, compiled = Parameter(Tensor([1.0, 2.0]), name="w"), jit(lambda x: x * 2)

    def assign_and_raise(x):
        ops.assign(p, p + x)
        return raises(x)

    for capture in (trace, lambda function, x: jit(function, fullgraph=True)(x)):
        with pytest.raises((MinigraphError, KeyError, KeyboardInterrupt)):
            capture(assign_and_raise, X)
    assert (current_interpreter(), active_observers(), gc.isenabled()) == before
    assert not is_tracing()
    assert to_lists([p, X + 1, compiled(X), grad(lambda x: (x * x).sum())(X)]) == [[1, 2], [2, 3], [2, 4], [2, 4]]


def test_a_trace_computes_nothing_changes_nothing_and_another_thread_stays_eager_meanwhile(capsys):
    observed, p = [], Parameter(Tensor([1.0, 2.0]), name="w")

    def function(x):
        other = threading.Thread(target=lambda: observed.append((is_tracing(), (X + X).tolist())))
        other.start()
        other.join()
        return ops.assign(p, x), ops.Print()(x)

    trace(function, Tensor([9.0, 9.0]))
    assert observed == [(False, [2.0, 4.0])]
    assert (p.tolist(), capsys.readouterr().out) == ([1.0, 2.0], "")
