"""Live nodes stay, dead nodes are erased."""

import networkx as nx
import pytest

from minigraph.core.op import TABLE
from minigraph.ir.text import parse
from passes import PASSES
from passes.optimize.dce import live_nodes
from tests.passes.programs import program

dce, lower_depend = PASSES["dce"], PASSES["lower_depend"]


def reachable_nodes(graph):
    """The same by networkx: ancestors of the roots over data and depend edges."""
    plain = graph.copy()
    plain.remove_edges_from([(u, v, k) for u, v, k, kind in graph.edges.data("kind", keys=True) if kind == "effect"])
    roots = [ref if isinstance(ref, int) else ref[0] for ref in graph.outs] + graph.inputs
    roots += [node for node in graph if graph.keep_effects and graph.op(node).writes]
    return {node for root in roots for node in (root, *nx.ancestors(plain, root))}


@pytest.mark.parametrize("seed", range(60))
def test_only_values_reachable_from_the_roots_stay(seed):
    graph = program(seed, auto_depend=bool(seed % 2))
    if seed % 3:
        lower_depend(graph)
    expected = reachable_nodes(graph)
    assert live_nodes(graph) == expected
    dce(graph)
    assert set(graph) == expected


def test_unused_inputs_stay_because_callers_pass_them():
    graph = parse("graph f(%0, %1)\n%0 = input() : f32[2]\n%1 = input() : f32[2]\nreturn %1")
    dce(graph)
    assert graph.inputs == [0, 1]


def test_an_unused_read_of_a_parameter_is_removed_but_its_key_stays():
    graph = parse('graph f(%0) {params=("w",)}\n%0 = input() : f32[2]\n%1 = parameter() {name="w"} : f32[2]\nreturn %0')
    dce(graph)
    assert sorted(graph) == [0] and list(graph.params) == ["w"]


def test_a_wide_fan_of_dead_nodes():
    graph = parse("graph f(%0)\n%0 = input() : f32[2]\nreturn %0")
    for _ in range(50_000):
        graph.emit(TABLE["neg"], (0,))
    dce(graph)
    assert sorted(graph) == [0]
