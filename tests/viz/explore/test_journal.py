from minigraph.ir.graph import Edit
from tests.viz import graphs
from viz.explore.journal import RecordingJournal, in_edges_of


def recorded_step():
    graph = graphs.step()
    graph.journal = RecordingJournal(graph)
    return graph, graph.journal


def test_in_edges_consist_of_operands_and_ordering_edges():
    graph = graphs.step()
    assert in_edges_of(graph, 4) == ((3, 2), ())
    assert in_edges_of(graph, 12) == ((1, 11), ((3, "effect"),))


def test_every_edit_has_the_in_edges_after_it():
    graph, journal = recorded_step()
    new = graph.emit(graphs.EXP, (4,), {}, [graphs.f32(64, 10)])
    graph.set_operands(5, (new,))
    graph.order(3, 13)
    graph.set_outs([5])
    verbs = [edit.verb for edit in journal]
    assert verbs == ["emit", "operands", "order", "outs"]
    assert journal.in_edges == [
        ((4,), ()), ((new,), ()), ((10, 12), ((3, "depend"), (12, "depend"))), ((5,), ())
    ]  # fmt: skip
    journal += [Edit("erase", 3, "x"), Edit("erase", 4, "x")]
    assert [edit.node for edit in journal[4:]] == [3, 4] and len(journal.in_edges) == len(journal) == 6


def test_it_keeps_the_initial_graph_and_removed_nodes():
    graph, journal = recorded_step()
    before = graph.clone()
    new = graph.emit(graphs.EXP, (4,), {}, [graphs.f32(64, 10)])
    graph.erase([new])
    assert journal.nodes[new]["op"] is graphs.EXP
    assert journal.in_edges[-1] == ((), ()) and journal[-1] == Edit("erase", new, "capture")
    graph.set_outs([5])
    assert journal.outs == (13, 5) and journal.order == before.topological()
    assert journal.initial == {node: in_edges_of(before, node) for node in before}
