"""Outlining: the body contains the matched nodes, and the graph around it stays connected."""

import numpy as np
import pytest

from minigraph import Graph, Tensor, interpret
from minigraph.core.errors import GraphError
from minigraph.core.op import TABLE
from minigraph.ir.compare import equal
from minigraph.ir.convexity import find_reentry
from minigraph.ir.outline import Group, outline, outline_groups
from minigraph.ir.text import parse, to_text
from minigraph.ir.verify import verify
from tests.inspection import bits

HEAD = 'graph f(%0)\n%0 = input() {name="x"} : f32[2,2]\n'


def graph_of(lines: str, outs: str) -> Graph:
    """A graph over an input %0; every line is one node of f32[2,2] without its type."""
    nodes = "".join(f"{line} : f32[2,2]{' after ' if after else ''}{after}\n" for line, _, after in
                    (line.partition(" after ") for line in lines.strip().split("\n")))  # fmt: skip
    return parse(f"{HEAD}{nodes}return {outs}")


def result_bits(graph: Graph):
    """The bits that the graph returns for random inputs."""
    rng = np.random.default_rng(0)
    args = [Tensor(rng.normal(size=graph.type(node).shape).astype(np.float32)) for node in graph.inputs]
    return bits(interpret(graph, *args))


def test_operands_results_and_outputs_are_connected() -> None:
    graph = graph_of("%1 = exp(%0)\n%2 = neg(%1)\n%3 = add(%1, %2)\n%4 = abs(%2)\n%5 = mul(%4, %0)", "%5, %1, %1")
    fused = outline(graph, [2, 1], {"name": "t"})
    verify(graph)
    assert graph.outs == (5, fused, fused)
    assert graph.ins(3) == (fused, (fused, 1)) and graph.ins(4) == ((fused, 1),)
    body = graph.regions(fused)[0]
    assert [str(body.op(node)) for node in body] == ["input", "exp", "neg"] and body.title == "f.body"


def test_one_element_constants_are_copied_longer_ones_passed_and_operands_used_twice_enter_once() -> None:
    graph = parse(
        HEAD + "%1 = const() {value=f32[]<2.0>} : f32[]\n%2 = const() {value=f32[2]<2.0, 3.0>} : f32[2]\n"
        "%3 = mul(%0, %1) : f32[2,2]\n%4 = mul(%3, %2) : f32[2,2]\nreturn %4"
    )
    fused = outline(graph, [3, 4])
    assert graph.ins(fused) == (0, 2)
    body = graph.regions(fused)[0]
    assert [str(body.op(node)) for node in body] == ["input", "const", "mul", "input", "mul"]
    twice = graph_of("%1 = add(%0, %0)\n%2 = mul(%1, %0)", "%2")
    assert twice.ins(outline(twice, [1, 2])) == (0,)


NO_BODIES = [
    ([], "outline: no nodes"),
    ([2, 99], "outline: %99 is not in graph 'f'"),
    ([0, 2], "outline: %0 = input is an input or has an effect"),
    ([1, 3], "outline: %1 = parameter is an input or has an effect"),
    ([2, 4], "outline: %4 = print is an input or has an effect"),
]


@pytest.mark.parametrize(("nodes", "message"), NO_BODIES)
def test_nodes_that_cannot_be_a_body_are_refused_with_nothing_changed(nodes, message: str) -> None:
    graph = parse(
        'graph f(%0) {params=("w",)}\n%0 = input() {name="x"} : f32[2,2]\n%1 = parameter() {name="w"} : f32[2,2]\n'
        "%2 = exp(%0) : f32[2,2]\n%3 = mul(%2, %1) : f32[2,2]\n%4 = print(%2) {texts=(none,)} : ()\n"
        "return %3"
    )
    verify(graph)
    before, graph.journal = graph.clone(), []
    with pytest.raises(GraphError, match=message):
        outline(graph, nodes)
    assert equal(graph, before) and graph.journal == []


NOT_CONVEX = [
    ("%1 = exp(%0)\n%2 = sum_to(%1) {shape=(2,2)}\n%3 = add(%1, %2)", "%3"),
    ("%1 = exp(%0)\n%2 = neg(%0) after %1(depend)\n%3 = abs(%1) after %2(effect)", "%3, %2"),
]


@pytest.mark.parametrize(("lines", "outs"), NOT_CONVEX, ids=["data", "order"])
def test_a_set_that_is_not_convex_is_refused_with_nothing_changed(lines: str, outs: str) -> None:
    graph = graph_of(lines, outs)
    before = to_text(graph)
    assert find_reentry(graph, {1, 3}) == 2
    with pytest.raises(GraphError, match="a path leaves the set and comes back through %2; fuse a convex set"):
        outline(graph, [1, 3])
    assert to_text(graph) == before


def test_order_lines_and_sources_are_inherited_and_all_edits_journaled() -> None:
    graph = parse(
        HEAD + "%1 = exp(%0) : f32[2,2]\n%2 = neg(%0) : f32[2,2] after %1(depend)  # net.py:1\n"
        "%3 = abs(%2) : f32[2,2]  # net.py:2\n%4 = tanh(%0) : f32[2,2] after %3(effect)\n%5 = neg(%3) : f32[2,2]\n"
        "return %4, %5"
    )
    graph.journal, graph.by = [], "mine"
    fused = outline(graph, [2, 3])
    assert graph.order_kind(1, fused) == "depend" and graph.order_kind(fused, 4) == "effect"
    assert [str(loc) for loc in graph.loc(fused)] == ["net.py:1", "net.py:2"]
    assert graph.prov(fused) == ("mine", (2, 3))
    edits = [(edit.verb, edit.node) for edit in graph.journal if edit.verb != "order"]
    assert edits == [("emit", fused), ("operands", 5), ("erase", 3), ("erase", 2)]
    assert {edit.by for edit in graph.journal} == {"mine"}


def test_groups_that_feed_and_follow_each_other_are_outlined_at_once_in_any_order() -> None:
    text = (
        "%1 = exp(%0)\n%2 = neg(%1)\n%3 = abs(%2)\n%4 = tanh(%3)\n%5 = exp(%0) after %4(depend)\n%6 = neg(%5)\n"
        "%7 = add(%4, %6)"
    )
    for groups in ([[1, 2], [3, 4], [5, 6]], [[5, 6], [3, 4], [1, 2]], [[3, 4], [5, 6], [1, 2]]):
        graph = graph_of(text, "%7, %2")
        fused = outline_groups(graph, [Group(g, {"name": "t"}) for g in groups])
        node_of_group = dict(zip(map(tuple, groups), fused, strict=True))
        verify(graph)
        assert graph.ins(node_of_group[3, 4]) == (node_of_group[1, 2],) and graph.outs == (7, node_of_group[1, 2])
        assert graph.order_kind(node_of_group[3, 4], node_of_group[5, 6]) == "depend"
        assert graph.ins(7) == (node_of_group[3, 4], node_of_group[5, 6])


def test_each_result_of_a_node_is_a_separate_live_out() -> None:
    graph = parse(
        HEAD + "%1 = neg(%0) : f32[2,2]\n%2 = split(%1) {axis=0, sizes=(1, 1)} : f32[1,2], f32[1,2]\n"
        "%3 = neg(%2.1) : f32[1,2]\nreturn %3"
    )
    fused = outline(graph, [1, 2])
    assert graph.ins(3) == (fused,) and len(graph.types(fused)) == 1
    verify(graph)


def test_a_long_chain_is_one_body() -> None:
    graph = parse(HEAD + "return %0")
    for node in range(50_000):
        graph.emit(TABLE["neg"], (node,))
    graph.set_outs([50_000])
    assert len(graph.regions(outline(graph, range(1, 50_001)))[0]) == 50_001
    assert len(graph) == 2


PROGRAM = "%1 = exp(%0)\n%2 = tanh(%1)\n%3 = mul(%1, %2)\n%4 = sub(%3, %0)\n%5 = add(%4, %2)\n%6 = neg(%5)"


@pytest.mark.parametrize("nodes", [[1], [1, 2], [3, 4, 5], [1, 2, 3, 4, 5, 6], [4, 5, 3], [2, 3]])
def test_values_stay_bit_for_bit(nodes: list[int]) -> None:
    graph = graph_of(PROGRAM, "%6, %2, %1")
    before = result_bits(graph)
    outline(graph, nodes)
    verify(graph)
    assert result_bits(graph) == before


def test_a_fused_node_can_be_fused_again() -> None:
    graph = graph_of(PROGRAM, "%6, %2")
    before = result_bits(graph)
    inner = outline(graph, [1, 2], {"name": "inner"})
    middle = outline(graph, [inner, 3, 4], {"name": "middle"})
    outer = outline(graph, [middle, 5, 6], {"name": "outer"})
    verify(graph)
    assert result_bits(graph) == before and len(graph) == 2
    names, body = [], graph
    while fused := [node for node in body if body.regions(node)]:
        names.append(body.attrs(fused[0])["name"])
        body = body.regions(fused[0])[0]
    assert names == ["outer", "middle", "inner"] and graph.ins(outer) == (0,)
    again = parse(to_text(graph))
    assert equal(again, graph) and result_bits(again) == before
