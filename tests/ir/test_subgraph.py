"""Extracted subgraphs: their inputs, outputs and order edges, and the keys of equal ones."""

import random

import pytest

from minigraph.ir.graph import producer
from minigraph.ir.subgraph import extract_subgraph, structural_key
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from tests.passes.programs import program

TEXT = """graph f(%0)
  %0 = input() {name="x"} : f32[2]
  %1 = const() {value=f32[]<2.0>} : f32[]
  %2 = mul(%0, %1) : f32[2]
  %3 = exp(%2) : f32[2]
  %4 = add(%3, %2) : f32[2]
  %5 = mul(%4, %1) : f32[2]
  %6 = exp(%5) : f32[2]
  %7 = add(%6, %5) : f32[2]
  return %7
"""


def test_a_subgraph_has_the_inputs_and_outputs_it_needs_and_equal_subgraphs_have_equal_keys() -> None:
    graph = parse(TEXT)
    subgraph, ids = extract_subgraph(graph, [3, 4])
    assert list(ids) == [3, 4] and [graph.op(n) for n in ids] == [subgraph.op(ids[n]) for n in ids]
    assert len(subgraph.inputs) == 1 and subgraph.outs == (ids[4],)
    subgraph, ids = extract_subgraph(graph, [2, 3])
    assert len(subgraph.inputs) == 1 and subgraph.outs == (ids[2], ids[3])
    assert len(subgraph) == 4, "the constant is copied"
    verify(subgraph)
    first, second, other = (
        structural_key(extract_subgraph(graph, nodes)[0]) for nodes in ((2, 3, 4), (5, 6, 7), (3, 4))
    )
    assert first == second and hash(first) == hash(second) and first != other


@pytest.mark.parametrize("seed", range(40))
def test_subgraphs_are_valid_and_keep_their_order_edges(seed: int) -> None:
    graph, rng = program(seed), random.Random(seed)
    operators = [node for node in graph if not graph.op(node).is_leaf]
    selected = rng.sample(operators, min(len(operators), 8))
    subgraph, ids = extract_subgraph(graph, selected)
    subgraph.keep_effects = False  # the nodes that ordered its effects may be outside
    verify(subgraph)
    assert set(ids) == set(selected)
    order_edges = {(ids[a], ids[b]) for b in selected for a in graph.before(b) if a in ids}
    assert order_edges <= {(a, b) for b in subgraph for a in subgraph.before(b)}
    used_outside = [node for node in selected if graph.is_out(node) or not set(selected) >= set(graph._succ[node])]
    assert {ids[node] for node in used_outside if graph.types(node)} == set(map(producer, subgraph.outs))
