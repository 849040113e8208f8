"""Depends become edges and every order is kept."""

import pytest

from minigraph.core.op import TABLE
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from passes import PASSES
from tests.passes.programs import program
from tests.passes.small_graphs import graph_of, names

lower_depend = PASSES["lower_depend"]


def ties(graph):
    """(first, last) pairs: the nodes before every consumer of a depend, resolved through depends."""
    handles = {node for node in graph if graph.op(node).role == "depend"}
    pairs = set()
    for node in set(graph) - handles:
        stack = [ref if isinstance(ref, int) else ref[0] for ref in graph.ins(node)]
        through = [k for k in stack if k in handles]
        while through:
            value, *waited = (ref if isinstance(ref, int) else ref[0] for ref in graph.ins(through.pop()))
            pairs |= {(first, node) for first in waited if first not in handles}
            through += [k for k in (value, *waited) if k in handles]
    return {(first, node) for first, node in pairs if not graph.op(first).is_leaf}


@pytest.mark.parametrize("seed", range(100))
def test_every_dependence_becomes_an_edge_of_kind_depend(seed):
    graph = program(seed, auto_depend=bool(seed % 2))
    before = ties(graph)
    lower_depend(graph)
    verify(graph)
    assert {(first, node) for first, node in before if graph.order_kind(first, node) != "depend"} == set()
    left = [node for node in graph if graph.op(node).role == "depend"]
    assert all(graph.is_out(node) and graph.before(node) and len(graph.ins(node)) == 1 for node in left)


def test_edges_to_a_depend_move_to_its_consumers_and_edges_from_it_to_the_producer():
    lines = ["exp(%0)", "tanh(%0)", "depend(%3) after %4(effect)", "neg(%5)", "abs(%0) after %5(effect)"]
    graph = graph_of(*lines, outs="%6, %7")
    lower_depend(graph)
    assert graph.order_kind(4, 6) == "effect"
    assert graph.order_kind(3, 7) == graph.order_kind(4, 7) == "effect"


def test_a_dead_depend_adds_no_edge():
    graph = graph_of("exp(%0)", "depend(%0, %3)", outs="%3")
    lower_depend(graph)
    assert names(graph) == ["exp"]


def test_a_handle_with_many_consumers_and_many_handles_on_one():
    graph = parse('graph f(%0)\n%0 = input() {name="x"} : f32[2]\n%1 = exp(%0) : f32[2]\nreturn %0')
    handle = graph.emit(TABLE["depend"], (0, 1))
    graph.set_outs([graph.emit(TABLE["neg"], (handle,)) for _ in range(20_000)])
    lower_depend(graph)
    assert len(graph.after(1)) == 20_000
    handles = [graph.emit(TABLE["depend"], (0, 1)) for _ in range(5_000)]
    wide = graph.emit(TABLE["concat"], handles, {"axis": 0})
    graph.set_outs([wide])
    lower_depend(graph)
    assert set(graph.ins(wide)) == {0}
