"""Comparison of graphs: every single difference is detected, and renumbered graphs are equal."""

import pytest

from minigraph.core.op import Op
from minigraph.ir.compare import equal, postorder, same_program
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse

ANY = Op("any", lambda *a, **k: a, lambda *types, **attrs: types[0], commutative=True)
OTHER = Op("other", lambda *a, **k: a, lambda *types, **attrs: types[0])
OPS = {"any": ANY, "other": OTHER}

TEXT = """graph f(%0, %1) {params=("w",)}
  %0 = input() {name="x"} : f32[2]
  %1 = input() {name="y"} : f32[2]
  %2 = any(%0, %1) {axis=1} : f32[2]  # net.py:1
  %3 = any(%2, %0) : f32[2] after %1(depend)
  %4 = fused(%3) {name="t"} : f32[2]
    graph b(%0)
      %0 = input() {name="x"} : f32[2]
      %1 = any(%0, %0) : f32[2]
      return %1
  return %4
"""

CHANGES = [
    ("any(%0, %1)", "any(%1, %0)"), ("axis=1", "axis=1.0"), ("axis=1", "axis=true"), ("axis=1", "size=1"),
    ("(depend)", "(effect)"), (" after %1(depend)", ""), ("any(%2, %0)", "other(%2, %0)"),
    ("  %1 = any(%0, %0)", "  %1 = other(%0, %0)"), ("return %4", "return %3"), ('("w",)', '("v",)'),
    ('params=("w",)', 'params=("w",), keep_effects=false'),
]  # fmt: skip
ONLY_NAMES = [("net.py:1", "net.py:2"), ("graph f", "graph g"), ("graph b", "graph c"), ("%4", "%9")]


def parse_graph(text: str) -> Graph:
    return parse(text, OPS)


@pytest.mark.parametrize(("old", "new"), CHANGES)
@pytest.mark.parametrize("compare", [equal, same_program])
def test_one_change_makes_another_program(compare, old: str, new: str) -> None:
    assert TEXT.count(old) >= 1
    assert not compare(parse_graph(TEXT), parse_graph(TEXT.replace(old, new)))


@pytest.mark.parametrize(("old", "new"), ONLY_NAMES)
def test_names_numbers_and_lines_are_not_part_of_the_program(old: str, new: str) -> None:
    first, second = parse_graph(TEXT), parse_graph(TEXT.replace(old, new))
    assert same_program(first, second)
    assert not equal(first, second)


def test_a_graph_equals_itself_and_its_clone_also_a_long_chain() -> None:
    graph, chain = parse_graph(TEXT), parse_graph("graph f(%0)\n %0 = input() : f32[2]\n return %0")
    for node in range(50_000):
        chain.emit(ANY, (node, node))
    chain.set_outs([50_000])
    assert graph.same_as(graph)
    assert all(same_program(g, g.clone()) and equal(g, g.clone()) for g in (graph, chain))
    order = postorder(graph)
    assert sorted(order) == sorted(graph), "operands first, and every node once"
    assert all(order.index(source) < order.index(node) for source, node in graph.edges())
