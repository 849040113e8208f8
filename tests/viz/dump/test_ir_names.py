"""Names of subgraphs, kernels and parameters in ``.ir`` files."""

import pytest

from minigraph.ir.graph import Graph
from minigraph.ir.outline import outline
from tests.viz import graphs
from tests.viz.graphs import ADD, COND, EXP, HOSTILE, MATMUL, MUL, RELU, f32, fused_step, hostile, one_input, op, step
from viz.dump import ir_names


def graph_of_kernel(*ops, name="rule"):
    """A graph with one operator, a kernel of these types."""
    graph = one_input(f32(4, 4))
    for operator in ops:
        graph.emit(operator, (graph.next_id - 1,) * (1 if operator in (EXP, RELU) else 2), {}, [f32(4, 4)])
    graph.set_outs([graph.next_id - 1])
    return graph, outline(graph, range(1, graph.next_id), {"name": name})


KERNELS = [
    ((ADD, MUL), "GraphKernel_Add_Mul_fusion"),
    ((EXP, EXP, ADD), "GraphKernel_Exp_Exp_Add_fusion"),
    ((MATMUL, ADD, RELU), "my_rule"),
    ((EXP,) * 15, "GraphKernel_" + "Exp_" * 12 + "and_3_more_fusion"),
]


@pytest.mark.parametrize(("ops", "expected"), KERNELS)
def test_kernels_are_named_after_their_operators_and_cube_kernels_after_their_rule(ops, expected):
    graph, node = graph_of_kernel(*ops, name="my rule")
    assert ir_names.kernel_name(graph, node) == ir_names.node_name(graph, node) == expected
    assert [subgraph.name for subgraph in ir_names.subgraphs_of(graph)] == ["net", f"{expected}_{node}"]


def branching(depth, titles=("then", "else")):
    """A graph with a branch in the branch of a branch."""
    graph = one_input(f32())
    bodies = tuple(branching(depth - 1 if k == 0 else 0) for k in range(2 if depth else 0))
    for body, title in zip(bodies, titles, strict=False):
        body.title = title
    graph.set_outs([graph.emit(COND, (0,), {}, [f32()], regions=bodies) if depth else 0])
    return graph


def test_bodies_are_named_by_path_and_ambiguous_names_are_numbered():
    names = [subgraph.name for subgraph in ir_names.subgraphs_of(branching(2))]
    assert names == ["net", "then_1", "else_1", "then_1_1", "else_1_1"]
    entry = ir_names.subgraphs_of(branching(1, ("body", "body")))[0]
    assert ir_names.body_names(entry, 1) == ["body_1_0", "body_1_1"]


def test_nested_bodies_need_no_recursion():
    graph = branching(0)
    for _ in range(3000):
        outer = branching(0)
        outer.set_outs([outer.emit(COND, (0,), {}, [f32()], regions=(graph,))])
        graph = outer
    names = [subgraph.name for subgraph in ir_names.subgraphs_of(graph)]
    assert len(set(names)) == 3001


def test_inputs_then_parameters_are_numbered_and_assigned_ones_are_marked():
    assert [para.text for para in ir_names.inputs_of(step()).values()] == ["%para1_x"]
    parameters = {key: (para.text, "is_inplace" in para.type) for key, para in ir_names.parameters_of(step()).items()}
    assert parameters == {"fc.weight": ("%para2_fc.weight", True), "fc.bias": ("%para3_fc.bias", False)}
    assert ir_names.assigned_parameters(step(), 12) == ["fc.weight"]


def test_effects_other_than_assignments_store_nothing():
    graph = Graph()
    node = graph.emit(op("say", effects=("io",)), (), {}, [])
    assert graph.writes(node)
    assert ir_names.assigned_parameters(graph, node) == []


def test_hostile_names_become_identifiers():
    names = [subgraph.name for subgraph in ir_names.subgraphs_of(hostile())]
    assert all(name.isprintable() and not set(name) & set("<>(){} '\"") for name in names)
    assert HOSTILE not in ir_names.inputs_of(hostile())[0].text


def test_a_broken_graph_is_read_by_number():
    graph = graphs.chain(3)
    graph.nodes[1]["ins"] = (3,)
    with graph.unsafe():
        graph.add_edge(3, 1, 0, kind="data")
    assert ir_names.execution_order(graph) == [0, 1, 2, 3]
    assert ir_names.execution_order(fused_step())[-1] != max(fused_step())
