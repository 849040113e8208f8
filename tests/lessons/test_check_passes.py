"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import networkx as nx
import pytest

import passes
from minigraph import ops
from minigraph.ir.graph import producer
from minigraph.ir.verify import verify
from minigraph.lessons import WrongAnswerError, check_dce, check_order, numbers, random_graph
from minigraph.lessons.check_passes import ORDER, needed_nodes
from tests.tables import error_cases


def test_the_pass_that_ships_is_a_right_answer(capsys):
    check_dce(passes.pass_named("dce"))
    assert capsys.readouterr().out.startswith("Right: 50 random programs")


@pytest.mark.parametrize("seed", range(20))
def test_live_nodes_are_the_ancestors_along_all_edges(seed):
    graph = random_graph(seed)
    verify(graph)
    outs = set(map(producer, graph.outs))
    assert needed_nodes(graph) == outs.union(graph.inputs, *(nx.ancestors(graph, node) for node in outs))


def test_random_programs_have_dead_code_assignments_and_order():
    graphs = [random_graph(seed) for seed in range(20)]
    assert sum(len(graph) - len(needed_nodes(graph)) for graph in graphs) > 20
    assert any(graph.op(node).writes and graph.after(node) for graph in graphs for node in graph)


def test_a_pass_that_changes_a_value_is_refused():
    def dce_and_swap(graph, *, options):
        passes.pass_named("dce")(graph)
        last = producer(graph.outs[0])
        graph.set_operands(last, (graph.inputs[0], graph.ins(last)[1]))

    with pytest.raises(WrongAnswerError, match="has a different value than before"):
        check_dce(dce_and_swap)


def layers(x, w):
    y = ops.tanh(x)
    return ops.relu(y @ w + 1.0) + ops.relu((y * 1.0) @ w + 1.0)


INPUTS = numbers(0, 64, 64), numbers(1, 64, 64)


def test_spaces_between_the_names_do_not_matter(capsys):
    check_order(layers, INPUTS, " , ".join(ORDER))
    assert capsys.readouterr().out.startswith("Right")


test_wrong_orders_are_refused = error_cases(
    ("", "'' is not one of them"),
    (",".join((*ORDER, "cse")), "'cse' occurs twice"),
    (",".join(ORDER[1:]), "'canonicalize' is missing"),
    (",".join(reversed(ORDER)), "two products are left"),
    by=lambda order: check_order(layers, INPUTS, order),
    error=WrongAnswerError,
)
