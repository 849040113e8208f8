from minigraph import Tensor, jit, ops, trace
from minigraph.ir.compare import equal
from tests.viz.graphs import random_dag
from viz import diff
from viz.drawing.align import align

X = Tensor([1.0, 2.0])


def network(x):
    y = ops.exp(x)
    return ops.tanh(y) + y


def changed_network(x):
    z = x * 3.0
    y = ops.exp(x)
    return ops.tanh(y) + z


def test_a_graph_captured_again_is_the_same():
    graph, recaptured = trace(network, X), trace(lambda x: network(x), X)
    assert not diff(graph, recaptured, by="structure").changed
    assert equal(align(recaptured, graph), recaptured)


def test_differences_are_added_removed_or_rewired():
    graph, changed_graph = trace(network, X), trace(changed_network, X)
    change = diff(graph, changed_graph, by="structure")
    added, rewired = ([change.after.op(node).name for node in nodes] for nodes in (change.added, change.rewired))
    assert added == ["const", "mul"] and change.removed == () and rewired == ["add"]
    assert len(diff(graph, changed_graph).rewired) > 1  # by id, every node after the first difference differs


def test_numbers_do_not_matter_and_long_graphs_work():
    graph = random_dag(3000)
    shifted = graph.clone()
    new_node = shifted.emit(graph.op(1), (0,), {}, graph.types(1))
    aligned = align(shifted, graph)
    assert len(aligned) == len(graph) + 1 and set(graph) < set(aligned) and equal(align(graph, shifted), graph)
    assert new_node in shifted and aligned.outs == graph.outs


def test_bodies_are_compared_too():
    def loop(divisor):
        return jit(lambda x: ops.while_loop(lambda v: v.sum() > 1.0, lambda v: v / divisor, x)).graph(X, pipeline=())

    assert not diff(loop(2.0), loop(2.0), by="structure").changed
    assert diff(loop(2.0), loop(3.0), by="structure").changed
