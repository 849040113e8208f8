"""The tracer: nodes for every call, constants and Parameters once, effects in order, no state left behind."""

import gc

import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, interpret, jit, nn, ops, trace
from minigraph.capture.structure import TraceMode
from minigraph.capture.trace import add_guard, capture, is_tracing
from minigraph.capture.tracer import Tracer
from minigraph.core.errors import DTypeError, ShapeError, TraceError
from minigraph.core.op import TABLE
from tests.inspection import operators
from tests.inspection import to_lists as plain
from tests.tables import error_cases, error_of, results

X, Y, THREE = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 2.0, 3.0])


def leaves(graph, role):
    return [node for node in graph.topological() if graph.op(node).role == role]


# ---- nodes -------------------------------------------------------------------------------------------


def test_every_call_is_a_node_with_the_users_expression_and_inputs_come_first():
    graph = trace(lambda x, y: x * y + 1.0, X, Y)
    assert (graph.title, graph.inputs, operators(graph)) == ("<lambda>", [0, 1], ["mul", "add"])
    assert graph.type(graph.outs[0]) == X.type
    (loc,) = graph.loc(graph.outs[0])
    assert (loc.text, loc.file) == ("x * y + 1.0", __file__)
    split = trace(lambda x: TABLE["split"](x, sizes=1, axis=0), X)
    assert split.outs == (split.outs[0], (split.outs[0], 1)), "several results are references"


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("program", [
    lambda x, k: ops.full_like(x, k) + 1, lambda x, k: ops.fill(ms.float32, (2,), k) + 1,
    lambda x, k: ops.full((2,), k, dtype=ms.float32) + 1,
])  # fmt: skip
@pytest.mark.parametrize("number", [
    lambda x: 3 if x.sum() > 3 else 4, lambda x: x.sum(), lambda x: x.asnumpy().max(),
])  # fmt: skip
def test_an_attribute_of_a_node_whose_value_is_unknown_is_refused(program, number, mode):
    def fills(x):
        k = number(x)
        return program(x, k)

    with pytest.warns(UserWarning, match="is unavailable while tracing"):
        jitted = jit(fills, capture_mode=mode)
        assert [jitted(x).tolist() for x in (X, Y, X)] == [fills(x).tolist() for x in (X, Y, X)]
    with pytest.raises((TraceError, AttributeError), match=r"unavailable while tracing|strict mode"):
        jit(fills, capture_mode=mode, fullgraph=True)(X)


test_operators_that_are_captured = results(
    lambda fn: operators(trace(fn, X)),
    (lambda x: x * Tensor([1, 2]), ["cast", "mul"]),
    (lambda x: (Y * Y, x)[0], ["mul"]),
    ids=["promotions are visible casts", "eager tensors among themselves"],
)


def test_an_outer_tensor_is_one_copied_constant_and_a_parameter_one_node():
    outside, w = Tensor([3.0, 4.0]), weight()
    graph = trace(lambda x: x * outside + outside * 2.0 + 2.0 + (w + w) * 0.0, X)
    values = [graph.attrs(node)["value"].array.tolist() for node in leaves(graph, "const")]
    assert values == [[3.0, 4.0], 2.0, 0.0]
    assert (len(leaves(graph, "parameter")), graph.params) == (1, {"w": w})
    outside.asnumpy()[:] = 50.0
    assert interpret(graph, X)[0].tolist() == [11.0, 18.0]


def test_structures_and_static_values_are_passed_through_and_written_tensors_are_outputs():
    def fn(x, more, flag):
        assert flag == "on"
        assert isinstance(more["a"][0], Tracer)
        return {"sum": x + more["a"][0], "flag": flag}

    captured = capture(fn, (X, {"a": [Y]}), {"flag": "on"}).graph
    assert (len(captured.inputs), len(captured.outs)) == (2, 1)
    written = capture(lambda x: ops.assign(x, x * 2), (X,), {})
    assert (written.written, len(written.graph.outs)) == ((0,), 2)
    graph = trace(lambda x: (x, Y, x, x * 1.0), X)
    assert plain(interpret(graph, X)) == ([1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [1.0, 2.0])


def test_a_tracer_looks_like_a_tensor():
    def fn(x):
        assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes, len(x)) == ((2,), ms.float32, 1, 2, 8, 2)
        assert isinstance(x, Tensor)
        assert is_tracing()
        assert "traced %0" in repr(x)
        return sum(x)

    assert interpret(trace(fn, X), X)[0].item() == 3.0
    assert not is_tracing()


# ---- unknown values ------------------------------------------------------------------------------------


def test_the_error_for_an_unknown_value():
    def step(x):
        return x if x.sum() > 0 else -x

    text = error_of(trace, step, X, error=TypeError)
    assert text.startswith("TraceError: the value of bool[] %") and text.endswith(f"; {TraceMode.remedy}")
    assert "is unavailable while tracing 'step' in `x.sum() > 0` (test_trace.py:" in text


test_errors_name_the_expression = error_cases(
    (lambda x: x @ THREE, ShapeError, r"inner sizes differ, 2 and 3.* in `x @ THREE"),
    (lambda x: TABLE["tanh"](x.astype(ms.int32)), TypeError, r"in `TABLE\[\"tanh\"\]"),
    (lambda x: x + None, TypeError, r'"add\(None\)"\.\nin `x \+ None` \(test_trace.py:\d+\)'),
    (lambda x: x[7], IndexError, r"index 7 is out of bounds for dimension with size 2\nin `x\[7\]`"),
    (lambda x: ops.assign(weight(), THREE), ShapeError, r"assign to 'w': it is f32\[2\], the value is f32\[3\]"),
    (lambda x: TABLE["assign"](weight(), x.astype(ms.float64), name="w"), DTypeError, "cast the value"),
    by=lambda fn: trace(fn, X),
)


# ---- state after a trace -----------------------------------------------------------------------------


def test_a_tracer_kept_from_a_failed_trace_raises():
    kept = []

    def fn(x):
        kept.append(x * 2.0)
        raise KeyError("on purpose")

    with pytest.raises(KeyError):
        trace(fn, X)
    for use in (lambda: kept[0] + 1.0, lambda: kept[0].tolist(), lambda: trace(lambda x: x + kept[0], X)):
        with pytest.raises(TraceError, match=r"of 'fn' was kept after tracing ended in `.*`.*; return it from"):
            use()


def test_active_tapes_do_not_record_a_trace_and_a_disabled_collector_stays_off():
    graph = []
    gradient = grad(lambda x: (graph.append(trace(lambda y: y * y, X)), x * 3.0)[1])
    gc.disable()
    try:
        assert gradient(X).tolist() == [3.0, 3.0]
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert operators(graph[0]) == ["mul"]


# ---- Parameters --------------------------------------------------------------------------------------


def weight(name="w", value=(1.0, 1.0)):
    return Parameter(Tensor(list(value)), name=name)


def test_a_parameter_may_be_returned_before_and_after():
    w = weight()

    def fn(x):
        before = w.value()
        ops.assign(w, x)
        return before, w

    graph = trace(fn, X)
    assert graph.outs[0] != graph.outs[1]


def test_parameters_of_one_name_have_unique_keys_which_assignments_use():
    a, b, c = weight(), weight(), weight("w#1")
    graph = trace(lambda x: (x * a * b * c, ops.assign(a, x), ops.assign(b, x)), X)
    assert set(graph.params.values()) == {a, b, c}
    assert {graph.attrs(node)["name"] for node in leaves(graph, "parameter")} == set(graph.params)
    stores = [graph.attrs(node)["name"] for node in graph.topological() if graph.op(node).stores]
    assert [graph.params[key] for key in stores] == [a, b]


# ---- guards ------------------------------------------------------------------------------------------


def test_guards_are_added_during_tracing_only():
    class Owner:
        flag = True

    owner = Owner()
    add_guard(owner, "flag")
    captured = capture(lambda x: (add_guard(owner, "flag"), x)[1], (X,), {})
    (noted,) = captured.guards
    assert (noted.owner, noted.name, noted.value, noted.holds) == (owner, "flag", True, True)
    owner.flag = False
    assert not noted.holds


def test_the_graph_of_a_cell_has_the_name_of_its_class_as_under_jit():
    class Net(nn.Cell):
        def construct(self, x):
            return x + 1

    x = Tensor([1.0])
    assert trace(Net(), x).title == jit(Net()).graph(x).title == "Net"
