"""The verifier: a valid graph passes, and every kind of fault is reported."""

import re
from collections.abc import Callable

import numpy as np
import pytest

import minigraph as ms
from minigraph import Graph, op_named, ops, trace
from minigraph.core.errors import VerifyError
from minigraph.core.types import TensorType, float32, float64
from minigraph.ir.edges import DATA_EDGE
from minigraph.ir.text import parse
from minigraph.ir.verify import verify, verify_nodes

F32 = TensorType((2,), float32)


def program() -> Graph:
    """Two assignments of one Parameter, a print between them, an operator with two results, and a body."""
    p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")

    def step(x: ms.Tensor) -> ms.Tensor:
        ops.assign(p, p + x)
        print_(p)
        ops.assign(p, p * 2.0)
        print_(x)
        return x * p

    graph = trace(step, ms.Tensor([1.0, 1.0]))
    body = parse(BODY)
    fused = graph.emit(ms.ir.structural_ops.FUSED, (graph.inputs[0],), {"name": "t"}, [F32], regions=(body,))
    graph.set_outs([*graph.outs, fused])
    return graph


def print_(value: ms.Tensor) -> None:
    ops.Print()(value)


BODY = 'graph b(%0)\n %0 = input() {name="x"} : f32[2]\n %1 = neg(%0) : f32[2]\n return %1'


def node_of(graph: Graph, name: str, which: int = 0) -> int:
    return [node for node in graph if graph.op(node).name == name][which]


def test_a_valid_graph_passes() -> None:
    verify(program())


# ---- one fault at a time -----------------------------------------------------------------------------


F64, SCALAR = TensorType((2,), float64), TensorType((), float64)


def put(name: str, which: int = 0, **data: object) -> Callable[[Graph], None]:
    """Changes the data of a node, bypassing the primitives."""
    return lambda g: g._node[node_of(g, name, which)].update(data)


def outputs(change: Callable[[Graph], tuple[object, ...]]) -> Callable[[Graph], None]:
    """Changes the outputs of a graph, bypassing the primitives."""
    return lambda g: setattr(g, "_out_tuple", change(g))


def result_out_of_range(g: Graph) -> None:
    g.rewire(node_of(g, "mul", 1), g.ins(node_of(g, "mul", 1)), ((g.inputs[0], 1), 0))


def edge_without_operand(g: Graph) -> None:
    with g.unsafe():
        g.add_edge(g.inputs[0], node_of(g, "mul", 1), 7, kind="data")


def edge_to_the_wrong_result(g: Graph) -> None:
    node = node_of(g, "add")
    source = g.ins(node)[1]
    g._pred[node][source] = g._succ[source][node] = {1: {"kind": "data", "result": 1}}


def half_an_edge(g: Graph) -> None:
    node = node_of(g, "add")
    del g._succ[g.ins(node)[1]][node]


def half_an_edge_forwards(g: Graph) -> None:
    g._succ[g.inputs[0]][node_of(g, "assign")] = {0: DATA_EDGE}


def order_edge_of_no_kind(g: Graph) -> None:
    with g.unsafe():
        g.add_edge(g.inputs[0], node_of(g, "add"), ("o", 1), kind="whim")


def cycle_of_order(g: Graph) -> None:
    g.order(node_of(g, "assign", 1), node_of(g, "assign"), "depend")


def cycle(g: Graph) -> None:
    first, second = node_of(g, "add"), node_of(g, "mul")
    g.set_operands(first, (second, g.ins(first)[1]))


def operands_that_do_not_fit(g: Graph) -> None:
    extra = g.emit(ms.ir.structural_ops.INPUT, (), {"name": "y"}, [TensorType((3,), float32)])
    g.inputs.append(extra)
    node = node_of(g, "add")
    g.set_operands(node, (extra, g.ins(node)[1]))


def input_is_no_input(g: Graph) -> None:
    g.inputs[0] = node_of(g, "add")


def body_takes_more(g: Graph) -> None:
    node = node_of(g, "fused")
    g.set_operands(node, (g.inputs[0], g.inputs[0]))


def body_broken_inside(g: Graph) -> None:
    body = g.regions(node_of(g, "fused"))[0]
    body._node[1]["types"] = (TensorType((7,), float32),)
    body._node[1]["op"] = body.op(1)


def remove_order(g: Graph, name: str) -> None:
    """Make two effects independent: the later one takes the input, and no order edge leads to it."""
    last = node_of(g, name, 1)
    for other in g.before(last):
        del g._pred[last][other], g._succ[other][last]
    g.set_operands(last, [g.inputs[0]] * len(g.ins(last)))


FAULTS = {
    "operand missing": (put("mul", 1, ins=(999, 0)), r"%\d+ = mul uses %999, which is not in the graph"),
    "result out of range": (result_out_of_range, r"uses result 1 of %0 = input, which has 1"),
    "operands without edges": (lambda g: put("mul", 1, ins=(g.inputs[0],) * 2)(g), r"edges are not its operands"),
    "edge without operand": (edge_without_operand, r"the edge from %0 for operand 7 is not among its operands"),
    "edge to the wrong result": (edge_to_the_wrong_result, r"for operand 1 is not among its operands"),
    "half an edge": (half_an_edge, r"in one direction only"),
    "half an edge forwards": (half_an_edge_forwards, r"in one direction only"),
    "order edge of no kind": (order_edge_of_no_kind, r"neither 'depend' nor 'effect'"),
    "cycle": (cycle, r"before it is computed: cycle %\d+ <- %\d+"),
    "cycle of order": (cycle_of_order, r"before it is computed: cycle"),
    "wrong type": (put("add", types=(F64,)), r"%\d+ = add has types f64\[2\], but its operands give f32\[2\]"),
    "wrong count of results": (put("print", types=(F32,)), r"has types f32\[2\], but its operands give none"),
    "attribute missing": (put("print", attrs={}), r"%\d+ = print rejects its operands or attributes"),
    "value that is no literal": (put("const", attrs={"value": F32}), r"const rejects its operands or attributes"),
    "operands that do not fit": (operands_that_do_not_fit, r"rejects its operands or attributes: .*f32\[3\]"),
    "type of a constant": (put("const", types=(SCALAR,)), r"const has types f64\[\], but its operands give f32\[\]"),
    "output missing": (outputs(lambda g: (*g.outs, 999)), r"output \d is %999, which is not in the graph"),
    "output out of range": (outputs(lambda g: ((g.inputs[0], 2),)), r"output 0 is result 2 of %0 = input, which has 1"),
    "input not listed": (lambda g: g.inputs.clear(), r"its inputs are none, but its input nodes are %0"),
    "input is no input": (input_is_no_input, r"but its input nodes are %0"),
    "input listed twice": (lambda g: g.inputs.append(g.inputs[0]), r"its inputs are %0, %0, but"),
    "parameter unknown": (lambda g: g.params.clear(), r"reads 'w', which is not in graph.params"),
    "no body": (put("fused", regions=()), r"fused node with 0 bodies"),
    "two bodies": (put("fused", regions=(parse(BODY),) * 2), r"fused node with 2 bodies"),
    "body takes more": (body_takes_more, r"takes f32\[2\], f32\[2\], but its body takes f32\[2\]"),
    "body gives another type": (put("fused", types=(F64,)), r"gives f64\[2\], but its body gives f32\[2\]"),
    "body broken inside": (body_broken_inside, r"gives f32\[2\], but its body gives f32\[7\]"),
    "unordered writes": (
        lambda g: remove_order(g, "assign"),
        r"assign and %\d+ = assign touch 'w' and no path orders them",
    ),
    "unordered read": (
        lambda g: remove_order(g, "print"),
        r"print and %\d+ = print touch 'io' and no path orders them",
    ),
}


@pytest.mark.parametrize(("plant", "message"), FAULTS.values(), ids=FAULTS)
def test_an_injected_fault_is_reported(plant, message: str) -> None:
    graph = program()
    plant(graph)
    with pytest.raises(VerifyError, match=message):
        verify(graph)


def test_a_fault_in_a_nested_body_is_reported_with_the_users_line() -> None:
    graph, inner = program(), program()
    put("add", types=(F64,))(graph)
    with pytest.raises(VerifyError, match=r"\(test_verify.py:\d+\)"):
        verify(graph)
    body = inner.regions(node_of(inner, "fused"))[0]
    extra = body.emit(body.op(1), (1,))
    body._node[extra]["types"] = (TensorType((7,), float32),)
    with pytest.raises(VerifyError, match=r"graph 'b': %2 = neg has types f32\[7\]"):
        verify(inner)


def test_nodes_without_results_and_literals_are_checked() -> None:
    graph = parse("graph f()\n %0 = const() {value=f32[]<1.0>} : f32[]\n %1 = neg(%0) : ()\n return", check=False)
    with pytest.raises(VerifyError, match=r"has types none, but its operands give f32\[\]"):
        verify(graph)
    literal = Graph()
    literal.emit(ms.ir.structural_ops.CONST, (), {"value": ms.ir.structural_ops.Literal(np.zeros(3))})
    verify(literal)


def test_effects_may_be_ordered_by_a_long_path_and_need_no_order_where_none_are_kept() -> None:
    graph = program()
    first, last = node_of(graph, "assign"), node_of(graph, "assign", 1)
    remove_order(graph, "assign")
    graph.keep_effects = False
    verify(graph)
    graph.keep_effects, value = True, first
    for _ in range(1_000):
        value = graph.emit(op_named("neg"), (value,))
    graph.set_operands(last, (value, value))
    verify(graph)


def test_checking_the_changed_nodes_is_enough() -> None:
    graph = program()
    node = node_of(graph, "mul", 1)
    graph._node[node]["types"] = (F64,)
    verify_nodes(graph, set(graph) - {node})
    with pytest.raises(VerifyError):
        verify_nodes(graph, {node, 12345})


MUTATED = [
    ('softmax(%0) {axis=1.5} : f32[2,3]', "softmax: axis must be an int, got 1.5"),
    ('softmax(%0) {axis="a"} : f32[2,3]', "axis must be an int"),
    ('softmax(%0) {axis=()} : f32[2,3]', "axis must be an int"),
    ('softmax(%0) {axis=2} : f32[2,3]', "axis 2 does not exist"),
    ('softmax(%0) : f32[2,3]', "missing 1 required keyword-only argument: 'axis'"),
    ('log_softmax(%0) {axis=1.5} : f32[2,3]', "axis must be an int"),
    ('sum(%0) {axis=1.5, keepdims=false} : f32[2]', "rejects its operands or attributes"),
    ('reshape(%0) {shape=3.5} : f32[2]', "rejects its operands or attributes"),
    ('transpose(%0) {perm=(0,9)} : f32[2,3]', "rejects its operands or attributes"),
    ('concat() {axis=0} : f32[2,3]', "rejects its operands or attributes"),
    ('matmul(%0) : f32[2,3]', "takes 2 operands, got 1"),
    ('cond() : f32[2,3]', "rejects its operands or attributes"),
    ('while_loop() {carries=1} : f32[2,3]', "rejects its operands or attributes"),
    ('add(%0) : f32[2,3]', "takes 2 operands, got 1"),
    ('add(%0, %0, %0) : f32[2,3]', "takes 2 operands, got 3"),
    ('print(%0) {texts=(none,none)} : ()', "its texts have places for 2 tensors, got 1"),
    ('normalize(%0) {axis=1.5, eps=0.1} : f32[2,3]', "rejects its operands or attributes"),
    ('max(%0) {axis="q", keepdims=true} : f32[2,3]', "rejects its operands or attributes"),
    ('cumsum(%0) {axis=-1} : f32[2,3]', "has the attributes {'axis': -1}; in canonical form: {'axis': 1}"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), MUTATED)
def test_attributes_and_operands_that_a_type_rule_trips_over(call: str, message: str) -> None:
    graph = parse(f'graph f(%0)\n %0 = input() {{name="x"}} : f32[2,3]\n %1 = {call}\n return %1', check=False)
    with pytest.raises(VerifyError, match=re.escape(message)):
        verify(graph)


def test_deep_and_wide_graphs() -> None:
    graph = parse('graph f(%0)\n %0 = input() {name="x"} : f32[2]\n return %0')
    neg, add = op_named("neg"), op_named("add")
    for node in range(50_000):
        graph.emit(neg, (node,))
    for _ in range(50_000):
        graph.emit(add, (0, 0))
    verify(graph)
    graph.set_operands(1, (50_000,))
    with pytest.raises(VerifyError, match=r"cycle %1 <- %50000 <- .*\.\.\. <- .*%1"):
        verify(graph)
