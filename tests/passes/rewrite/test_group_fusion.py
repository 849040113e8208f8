"""Groups are convex by construction, on any graph."""

from collections import Counter

import networkx as nx
import pytest

from minigraph.core.op import TABLE
from minigraph.ir.convexity import find_reentry
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from passes import Statistics, as_pipeline, fuse_groups
from passes.rewrite.group_fusion import fuse_all_groups, grow_groups
from tests.passes.small_graphs import mesh_of


def random_mesh(seed):
    """A random graph with order edges and several outputs."""
    return mesh_of(seed, ("add", "mul"), near=6, ordered=0.2, type="f32[2]")


def is_chosen(graph, node):
    """Two thirds of the operators."""
    return not graph.op(node).is_leaf and node % 3 != 0


@pytest.mark.parametrize("seed", range(40))
def test_groups_are_disjoint_convex_and_have_one_output(seed):
    graph = random_mesh(seed)
    groups = grow_groups(graph, is_chosen, 6)
    assert all(count == 1 for count in Counter(node for group in groups for node in group).values())
    for group in groups:
        inside = set(group)
        assert 2 <= len(group) <= 6 and all(is_chosen(graph, node) for node in group)
        assert find_reentry(graph, inside) is None
        leaving = [n for n in group if graph.is_out(n) or not inside.issuperset(graph.successors(n))]
        assert leaving in ([group[-1]], [])


@pytest.mark.parametrize("seed", range(40))
def test_with_a_last_kind_every_group_ends_with_its_only_node_of_that_kind(seed):
    graph = random_mesh(seed)
    groups = grow_groups(graph, is_chosen, 6, lambda graph, node: node % 3 == 0)
    assert all(group[-1] % 3 == 0 and all(node % 3 for node in group[:-1]) for group in groups)
    assert all(find_reentry(graph, set(group)) is None for group in groups)


@pytest.mark.parametrize("seed", range(40))
def test_fusing_them_all_at_once_leaves_no_cycle_and_loses_no_order(seed):
    graph = random_mesh(seed)
    before = nx.transitive_closure_dag(graph.copy())
    home = {node: node for node in graph}
    for fused in fuse_all_groups(graph, fuse_groups(is_chosen, max_nodes=6, name="mesh"), Statistics()):
        home.update(dict.fromkeys(graph.prov(fused).sources, fused))
        assert graph.attrs(fused) == {"name": "mesh"}
    verify(graph)
    after = nx.transitive_closure_dag(graph.copy())
    for first, last in before.edges():
        assert home[first] == home[last] or after.has_edge(home[first], home[last])


def test_rewrites_are_counted_and_timed():
    graph, statistics = random_mesh(1), Statistics()
    nodes = len(graph)
    fused = fuse_all_groups(graph, fuse_groups(is_chosen, name="mesh"), statistics)
    assert fused and (statistics["mesh"].tries, statistics["mesh"].rewrites) == (nodes, len(fused))
    assert statistics["mesh"].seconds > 0


def test_nothing_to_fuse_changes_nothing():
    graph = random_mesh(1)
    graph.journal = []
    fuse_groups(lambda graph, node: False)(graph)
    assert graph.journal == []


def test_a_group_rule_describes_itself():
    rule = fuse_groups(is_chosen, max_nodes=8, name="mesh")
    assert str(rule) == "mesh: group(is_chosen, max_nodes=8) -> fused"
    assert rule.loc.startswith("test_group_fusion.py:") and rule.__name__ == "mesh"
    assert str(as_pipeline((rule, "dce"))) == "mesh,dce"


def test_wide_and_deep():
    graph = parse('graph f(%0)\n%0 = input() {name="x"} : f32[2]\nreturn %0')
    outs = []
    for _ in range(10_000):
        outs.append(graph.emit(TABLE["exp"], (graph.emit(TABLE["neg"], (0,)),)))
    graph.set_outs(outs)
    assert len(fuse_all_groups(graph, fuse_groups(is_operator), Statistics())) == 10_000
    assert len(graph) == 10_001


def is_operator(graph, node):
    """Every operator."""
    return not graph.op(node).is_leaf
