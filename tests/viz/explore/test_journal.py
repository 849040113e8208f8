from minigraph.ir.graph import Edit
from tests.viz import graphs
from viz.explore.journal import RecordingJournal, Wiring, wiring_of


def filmed_step():
    graph = graphs.step()
    graph.journal = RecordingJournal(graph)
    return graph, graph.journal


def test_a_wiring_holds_operands_and_order_edges():
    graph = graphs.step()
    assert wiring_of(graph, 4) == Wiring((3, 2))
    assert wiring_of(graph, 12) == Wiring((1, 11), ((3, "effect"),))


def test_every_edit_has_a_shot_of_the_wiring_after_it():
    graph, film = filmed_step()
    new = graph.emit(graphs.EXP, (4,), {}, [graphs.f32(64, 10)])
    graph.set_operands(5, (new,))
    graph.order(3, 13)
    graph.set_outs([5])
    assert (
        [edit.verb for edit in film]
        == ["emit", "operands", "order", "outs"]
        == [shot.verb for shot in film.wiring_edits]
    )
    assert [shot.wiring for shot in film.wiring_edits] == [
        Wiring((4,)), Wiring((new,)), Wiring((10, 12), ((3, "depend"), (12, "depend"))), Wiring((5,))
    ]  # fmt: skip
    film += [Edit("erase", 3, "x"), Edit("erase", 4, "x")]
    assert [shot.node for shot in film.wiring_edits[4:]] == [3, 4] and len(film) == 6


def test_it_knows_the_graph_as_it_was_and_nodes_that_are_gone():
    graph, film = filmed_step()
    before = graph.clone()
    new = graph.emit(graphs.EXP, (4,), {}, [graphs.f32(64, 10)])
    graph.erase([new])
    assert film.nodes[new]["op"] is graphs.EXP
    assert film.wiring_edits[-1].verb == "erase" and film[-1] == Edit("erase", new, "capture")
    graph.set_outs([5])
    assert film.outs == (13, 5) and film.order == before.topological()
    assert film.first == {node: wiring_of(before, node) for node in before}
