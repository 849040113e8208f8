"""The tracer: what it refuses and how it says so, what it leaves behind, and the graphs it makes."""

import gc
import threading
from collections import namedtuple

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, interpret, jit, ops, trace
from minigraph.capture.trace import capture, guard, tracing_now
from minigraph.errors import CaptureError, MinigraphError, TraceError
from minigraph.ir.verify import verify
from minigraph.op import current_interpreter, listeners

X = Tensor([1.0, 2.0])
Pair = namedtuple("Pair", "left right")


def weight(*values, name="w"):
    return Parameter(Tensor(list(values or (1.0, 2.0))), name=name)


def body(graph):
    """The text of a graph without its header and without source lines."""
    return [line.partition("  # ")[0].strip() for line in str(graph).strip().splitlines()[1:]]


def operators(graph):
    return [str(graph.op(node)) for node in graph]


# ---- a value that is not there yet -----------------------------------------------------------------

# what user code does with a value -> the expression the error must show
READS = {
    "bool": (lambda x: bool(x.sum() > 0), "bool(x.sum() > 0)"),
    "if": (lambda x: x if x.sum() > 0 else -x, "x.sum() > 0"),
    "and": (lambda x: x[0] and x[1], "x[0] and x[1]"),
    "float": (lambda x: float(x[0]), "float(x[0])"),
    "int": (lambda x: int(x[0]), "int(x[0])"),
    "range": (lambda x: range(x.astype(ms.int32)[0]), "range(x.astype(ms.int32)[0])"),
    "list index": (lambda x: [1, 2][x.astype(ms.int32)[0]], "[1, 2][x.astype(ms.int32)[0]]"),
    "asnumpy": (lambda x: x.asnumpy(), "x.asnumpy()"),
    "numpy": (lambda x: np.asarray(x), "np.asarray(x)"),
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
    assert f"in `{expression}` (test_trace.py:{read.__code__.co_firstlineno})" in text
    assert "is not known while tracing '<lambda>'" in text
    assert "; use ops.where" in text
    assert caught.value.__cause__ is None
    assert len(text.splitlines()) <= 3


def test_a_parameter_is_not_set_from_outside_of_the_graph():
    p = weight()
    with pytest.raises(RuntimeError, match=r"'w' in `p.set_data\(x\)` \(test_trace.py:\d+\); use ops.assign"):
        trace(lambda x: p.set_data(x), X)
    with pytest.raises(RuntimeError, match="use ops.assign"):
        trace(lambda x: p.set_data(X * 3), X)
    assert p.tolist() == [1.0, 2.0]


def test_the_error_gives_the_type_and_the_node():
    with pytest.raises(TraceError, match=r"the value of bool\[\] %3 is not known"):
        trace(READS["if"][0], X)


def test_a_tracer_knows_its_type_and_prints_without_a_value():
    seen = []
    trace(lambda x: seen.append((x.shape, x.dtype, x.ndim, x.size, len(x), x.nbytes, str(x), repr(x))) or x, X)
    text = "Tensor(shape=[2], dtype=Float32, value= <traced %0>)"
    assert seen == [((2,), ms.float32, 1, 2, 2, 8, text, text)]


def test_axes_may_be_iterated_because_their_sizes_are_known():
    assert operators(trace(lambda x: sum(x), X)).count("index") == 2


# ---- a tracer that got away ------------------------------------------------------------------------

USES = {
    "alone": lambda x: x + 1,
    "beside a tensor": lambda x: X * x,
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
    with pytest.raises(TraceError, match=r"f32\[2\] %2 of '<lambda>' was kept after tracing ended.*test_trace.py:\d+"):
        use(leaked[0])


def test_a_tracer_of_an_outer_trace_does_not_enter_an_inner_one():
    def outer(x):
        return interpret(trace(lambda y: y + x, X), x)

    with pytest.raises(TraceError, match="is not known while tracing 'outer'"):
        trace(outer, X)


# ---- what a trace leaves behind --------------------------------------------------------------------


def raises_value(x):
    return bool(x.sum())


def raises_shape(x):
    return x + Tensor([1.0, 2.0, 3.0])


def raises_own(x):
    raise KeyError("mine")


def raises_in_gradient(x):
    return grad(raises_value)(x)


def raises_in_inner_jit(x):
    return jit(raises_value)(x)


def raises_interrupt(x):
    raise KeyboardInterrupt


FAILING = (raises_value, raises_shape, raises_own, raises_in_gradient, raises_in_inner_jit, raises_interrupt)


@pytest.mark.parametrize("fails", FAILING, ids=lambda fails: fails.__name__)
def test_a_failed_trace_leaves_nothing_behind(fails):
    before = current_interpreter(), listeners(), gc.isenabled()
    p, was = weight(), jit(lambda x: x * 2)

    def changes_and_fails(x):
        ops.assign(p, p + x)
        return fails(x)

    for way in (trace, lambda function, x: jit(function)(x)):
        with pytest.raises((MinigraphError, KeyError, KeyboardInterrupt)):
            way(changes_and_fails, X)
    assert (current_interpreter(), listeners(), gc.isenabled()) == before
    assert not tracing_now()
    np.testing.assert_array_equal(p.asnumpy(), [1.0, 2.0])
    np.testing.assert_array_equal((X + 1).asnumpy(), [2.0, 3.0])
    np.testing.assert_array_equal(was(X).asnumpy(), [2.0, 4.0])
    np.testing.assert_array_equal(grad(lambda x: (x * x).sum())(X).asnumpy(), [2.0, 4.0])


def test_a_trace_computes_nothing_and_changes_nothing(capsys):
    p = weight()
    trace(lambda x: (ops.assign(p, x), ops.Print()(x)), Tensor([9.0, 9.0]))
    np.testing.assert_array_equal(p.asnumpy(), [1.0, 2.0])
    assert capsys.readouterr().out == ""


def test_the_collector_is_off_while_tracing_and_on_again_after():
    seen = []
    trace(lambda x: seen.append(gc.isenabled()), X)
    assert (seen, gc.isenabled()) == ([False], True)


def test_a_tape_outside_does_not_hear_what_is_traced():
    def function(x):
        trace(lambda y: y * y, X)
        return (x * 3).sum()

    np.testing.assert_array_equal(grad(function)(X).asnumpy(), [3.0, 3.0])


def test_another_thread_stays_eager_while_one_traces():
    found = []

    def function(x):
        other = threading.Thread(target=lambda: found.append((tracing_now(), (X + X).tolist())))
        other.start()
        other.join()
        return x

    trace(function, X)
    assert found == [(False, [2.0, 4.0])]


# ---- leaves ----------------------------------------------------------------------------------------


def test_inputs_are_named_in_the_order_of_the_structure():
    graph = trace(lambda a, b, *, c: a["k"] + b[0] + c, {"k": X}, [X], c=X)
    assert [graph.attrs(node)["name"] for node in graph.inputs] == ["x0", "x1", "x2"]
    verify(graph)


def test_closures_globals_and_numbers_become_constants():
    inner = Tensor([5.0, 6.0])
    graph = trace(lambda x: x * inner + X + 2, X)
    constants = [graph.attrs(n)["value"].array.tolist() for n in graph if graph.op(n).role == "const"]
    assert constants == [[5.0, 6.0], [1.0, 2.0], 2.0]


def test_a_constant_is_a_copy_made_at_first_use_and_shared():
    inner = Tensor([5.0, 6.0])
    graph = trace(lambda x: x * inner + inner, X)
    inner.asnumpy()[:] = 0
    constants = [graph.attrs(n)["value"].array.tolist() for n in graph if graph.op(n).role == "const"]
    assert constants == [[5.0, 6.0]]


def test_a_tensor_of_the_arguments_that_is_also_closed_over_is_two_things():
    graph = trace(lambda x: x + X, X)
    assert operators(graph) == ["input", "const", "add"]


def test_an_operator_on_constants_alone_is_a_node_too():
    assert operators(trace(lambda: Tensor(1.0) + Tensor(2.0))) == ["const", "const", "add"]


# ---- parameters and order --------------------------------------------------------------------------


def test_read_assign_read():
    p = weight()

    def function(x):
        before = p + x
        ops.assign(p, before)
        return before, p * x, p

    assert body(trace(function, X)) == [
        "%0 = input() {name=\"x0\"} : f32[2]",
        "%1 = parameter() {name=\"w\"} : f32[2]",
        "%2 = add(%1, %0) : f32[2]",
        "%3 = assign(%1, %2) {name=\"w\"} : f32[2]",
        "%4 = mul(%3, %0) : f32[2]",
        "return %2, %4, %3",
    ]  # fmt: skip


def test_the_value_of_a_parameter_is_read_when_the_graph_runs():
    p = weight()

    def function(x):
        before = p.value()
        ops.assign(p, p + x)
        return before + 0, p.data + 0

    compiled = jit(function)
    assert [out.tolist() for out in compiled(X)] == [[1.0, 2.0], [2.0, 4.0]]
    assert [out.tolist() for out in compiled(X)] == [[2.0, 4.0], [3.0, 6.0]]
    assert p.value().tolist() == [3.0, 6.0]


def test_two_parameters_of_one_name_stay_two():
    first, second = weight(1.0, 1.0), weight(2.0, 2.0)

    def function(x):
        ops.assign(second, second + x)
        ops.assign(first, first * x)
        return first + second

    graph = trace(function, X)
    verify(graph)
    assert graph.params == {"w": second, "w#1": first}
    assert jit(function)(X).tolist() == [4.0, 6.0]
    assert (first.tolist(), second.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_parameters_whose_names_look_like_made_up_ones():
    named = [weight(float(i), name=name) for i, name in enumerate(("w#1", "w", "w", "w#1"))]
    graph = trace(lambda: sum(named, Tensor(0.0)))
    assert list(graph.params.values()) == named
    assert jit(lambda: sum(named, Tensor(0.0)))().tolist() == [6.0]


def test_assignments_to_one_parameter_follow_each_other_by_their_operands():
    p = weight()

    def function(x):
        ops.assign(p, x)
        ops.assign(p, p + x)

    assert body(trace(function, X))[2:] == [
        "%2 = assign(%1, %0) {name=\"w\"} : f32[2]",
        "%3 = add(%2, %0) : f32[2]",
        "%4 = assign(%2, %3) {name=\"w\"} : f32[2]",
        "return",
    ]  # fmt: skip


def test_prints_keep_their_order():
    def function(x):
        for k in range(3):
            ops.Print()(k)
        return x

    assert body(trace(function, X))[1:] == [
        "%1 = print() {texts=(\"0\",)} : ()",
        "%2 = print() {texts=(\"1\",)} : () after %1(effect)",
        "%3 = print() {texts=(\"2\",)} : () after %2(effect)",
        "return %0",
    ]  # fmt: skip


def test_without_auto_depend_effects_are_not_ordered_and_not_kept():
    p = weight()

    def function(x):
        ops.Print()("first")
        ops.Print()("second")
        ops.assign(p, x)
        return x

    graph = trace(function, X, auto_depend=False)
    assert not graph.keep_effects
    assert not any(graph.before(node) for node in graph)
    assert len(jit(function, auto_depend=False).graph(X)) == 1
    assert trace(function, X).keep_effects


def test_a_depend_keeps_what_it_names_without_auto_depend():
    p = weight()

    def function(x):
        ops.Print()("lost")
        return ops.depend(x, ops.assign(p, x * 2))

    assert jit(function, auto_depend=False)(X).tolist() == [1.0, 2.0]
    assert p.tolist() == [2.0, 4.0]


def test_only_a_parameter_is_assigned_to():
    with pytest.raises(CaptureError, match=r"assign: the target f32\[2\] is not a Parameter.*test_trace.py"):
        trace(lambda x: ops.assign(x, x + 1), X)
    with pytest.raises(CaptureError, match=r"is not a Parameter"):
        trace(lambda x: ops.assign(weight() + 1, x), X)


# ---- results ---------------------------------------------------------------------------------------


def test_results_are_the_leaves_of_what_is_returned():
    captured = capture(lambda x: {"a": (x, None, "s"), "b": [X, 3], "c": Pair(x, 1.5)}, [X], {})
    assert len(captured.graph.outs) == 3
    assert captured.graph.outs[0] == captured.graph.outs[2] == captured.graph.inputs[0]


@pytest.mark.parametrize("hidden", [lambda x: {x}, lambda x: frozenset((x,)), lambda x: Box(x)])
def test_tensors_in_a_container_that_is_not_taken_apart_are_refused(hidden):
    with pytest.raises(CaptureError, match="returns tensors inside of a (set|frozenset|Box)"):
        trace(hidden, X)
    assert not tracing_now()


class Box:
    def __init__(self, inside):
        self.inside = inside


def test_the_title_and_the_lines_are_the_users():
    def step(x):
        return x * x

    graph = trace(step, X)
    line = step.__code__.co_firstlineno + 1
    (place,) = graph.loc(graph.outs[0])
    assert (graph.title, str(place), place.text) == ("step", f"test_trace.py:{line}", "x * x")


def test_a_guard_is_noted_while_tracing_only():
    box = Box(2.0)
    guard(box, "inside")
    (noted,) = capture(lambda x: guard(box, "inside") or x, [X], {}).guards
    assert (noted.owner, noted.name, noted.value) == (box, "inside", 2.0)
