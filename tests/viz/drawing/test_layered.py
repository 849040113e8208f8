import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.drawing.layered import NODE_GAP, break_cycles, layered_layout, layers_of


def random_edges(nodes, seed):
    choose = random.Random(seed)
    pairs = [(choose.randrange(nodes), choose.randrange(nodes)) for _ in range(2 * nodes)]
    return [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]


def overlaps(layout, sizes):
    by_row = {}
    for node, (width, _) in enumerate(sizes):
        by_row.setdefault(layout.y[node], []).append((layout.x[node] - width / 2, layout.x[node] + width / 2))
    return [
        (left, right)
        for row in by_row.values()
        for (_, left), (right, _) in pairwise(sorted(row))
        if right - left < NODE_GAP - 1e-6
    ]


graphs = st.integers(1, 25).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
)


@given(graphs)
def test_any_graph_is_placed_without_overlaps(graph):
    count, edges = graph
    sizes = [(20.0 + 13 * (node % 5), 20.0 + 7 * (node % 3)) for node in range(count)]
    layout = layered_layout(sizes, edges)
    assert overlaps(layout, sizes) == []
    assert min(x - w / 2 for x, (w, _) in zip(layout.x, sizes, strict=True)) >= -1e-6
    assert max(x + w / 2 for x, (w, _) in zip(layout.x, sizes, strict=True)) <= layout.width + 1e-6
    assert max(y + h for y, (_, h) in zip(layout.y, sizes, strict=True)) <= layout.height + 1e-6
    assert len(layout.bends) == len(edges)


@given(graphs)
def test_reversing_edges_leaves_no_cycle(graph):
    count, edges = graph
    acyclic = break_cycles(count, edges)
    layer = layers_of(count, acyclic)
    assert all(layer[tail] < layer[head] for tail, head in acyclic if tail != head)
    assert [{*edge} for edge in acyclic] == [{*edge} for edge in edges]


@pytest.mark.parametrize("seed", range(5))
def test_edges_of_a_dag_point_down(seed):
    edges = random_edges(60, seed)
    layout = layered_layout([(30.0, 20.0)] * 60, edges)
    assert break_cycles(60, edges) == edges
    assert all(layout.y[tail] < layout.y[head] for tail, head in edges)


def layout_of(count, edges):
    """The layout of ``count`` nodes of the same size."""
    return layered_layout([(30.0, 20.0)] * count, list(edges))


def test_bends_go_down_one_per_layer_passed():
    layout = layout_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert [len(bends) for bends in layout.bends] == [0, 0, 0, 2]
    path = [(layout.x[0], layout.y[0]), *layout.bends[3], (layout.x[3], layout.y[3])]
    assert all(upper[1] < lower[1] for upper, lower in pairwise(path))


def test_bends_of_a_reversed_edge_follow_its_original_direction():
    upper, lower = layout_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)]).bends[3]
    assert upper[1] > lower[1]


def test_nodes_without_edges_share_the_first_layer():
    assert layout_of(3, []).y == [0.0] * 3
    assert layered_layout([], []).width == 0.0


def test_a_chain_is_straight_branches_are_symmetric_and_avoidable_crossings_are_avoided():
    layout = layout_of(50, pairwise(range(50)))
    assert max(layout.x) - min(layout.x) < 1e-6
    layout = layout_of(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    assert layout.x[0] == pytest.approx((layout.x[1] + layout.x[2]) / 2)
    assert layout.x[3] == pytest.approx(layout.x[0])
    layout = layout_of(4, [(0, 3), (1, 2)])
    assert (layout.x[0] < layout.x[1]) == (layout.x[3] < layout.x[2])


def test_a_source_is_just_above_its_first_user():
    assert layers_of(5, [(0, 1), (1, 2), (2, 3), (4, 3)]) == [0, 1, 2, 3, 2]


def test_repeated_blocks_do_not_drift_sideways():
    edges, last = [], 0
    for _ in range(60):
        edges += [(last + k, last + k + 1) for k in range(6)] + [(last, last + 4), (last + 2, last + 6)]
        last += 6
    layout = layered_layout([(60.0, 20.0)] * (last + 1), edges)
    assert layout.width < 1200


def test_long_edges_never_outnumber_the_nodes():
    half = 3000
    layout = layout_of(2 * half, [*pairwise(range(2 * half)), *((i, 2 * half - 1 - i) for i in range(half - 1))])
    assert sum(map(len, layout.bends)) <= 4 * 2 * half + 2000
    longest, shortest = layout.bends[2 * half - 1], layout.bends[-1]
    assert longest == []
    assert len(shortest) == 2


def test_edges_of_one_length_are_treated_alike_and_self_loops_are_allowed():
    layout = layout_of(600, [*pairwise(range(600)), *[(i, i + 500) for i in range(100)] * 20])
    assert sum(map(len, layout.bends)) == 0
    layout = layout_of(2, [(0, 0), (0, 1)])
    assert layout.y[0] < layout.y[1]


def test_fifty_thousand_nodes_in_a_row_and_in_a_cycle():
    count = 50_000
    ring = [*pairwise(range(count)), (count - 1, 0)]
    assert layers_of(count, break_cycles(count, ring)) == list(range(count))
