"""L2 residency: hits drop at its capacity, as measured."""

import pytest

from minigraph.npu.chips.registry import chip_named
from minigraph.npu.residency import ReuseDistances, cold_fractions, device_bytes
from minigraph.npu.simulator import simulate
from tests.npu.graphs import ADD, VIEW, chain, graph_of

L2 = 192 << 20


@pytest.mark.parametrize("parts, size, hit", [(1, 302 << 20, 0.0), (4, 75 << 20, 0.75)])
def test_the_measured_cliff(parts, size, hit):
    """302 MB read four times: no hit; in four slices, each read four times, one after the other: 75 %."""
    graph, inputs = graph_of(*[(size // 2,)] * parts)
    tiny, _ = graph_of((1,))
    reads = [graph.emit(ADD, [x], types=tiny.types(0)) for x in inputs for _ in range(4)]
    cold = cold_fractions(graph, graph.topological(), L2, warm=False)
    assert 1 - sum(cold[node] for node in reads) / len(reads) == pytest.approx(hit, abs=1e-3)


def test_kernels_hit_what_they_wrote_and_read_if_little_was_touched_since():
    l2 = ReuseDistances(1000)
    kernels = (({"x": 400}, {"y": 200}), ({"y": 200}, {}), ({"z": 300, "y": 100}, {}), ({"z": 300, "v": 900}, {}))
    # at last, z was touched 400 to 1200 bytes ago: three quarters of it hit
    assert [l2.run(operands, results) for operands, results in kernels] == [1.0, 0.0, 0.75, 0.8125]
    assert l2.run({}, {"w": 2000}) == 0.0 and l2.run({"x": 400}) == 1.0


def test_a_chain_hits_l2_unless_the_reuse_distance_exceeds_it():
    graph = chain(5)
    nodes = graph.topological()
    assert [cold_fractions(graph, nodes, L2, warm=False)[node] for node in nodes[1:]] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert set(cold_fractions(graph, nodes, L2).values()) == {0.0}
    graph, (x, y) = graph_of((1 << 20,), (1 << 20,))
    first, second = graph.emit(ADD, [x]), graph.emit(ADD, [y])
    nodes = [first, second, graph.emit(ADD, [first])]
    assert [cold_fractions(graph, nodes, size << 20, warm=False)[nodes[2]] for size in (64, 5)] == [0.0, 1.0]


def test_a_view_aliases_its_operand_and_operands_are_weighted_by_bytes():
    graph, (x, y, z) = graph_of((3000,), (1000,), (1024,))
    both = graph.emit(ADD, [graph.emit(ADD, [x]), y])
    last = graph.emit(ADD, [graph.emit(VIEW, [graph.emit(VIEW, [graph.emit(ADD, [z])])])])
    cold = cold_fractions(graph, graph.topological(), L2, warm=False)
    assert (cold[both], cold[last]) == (0.25, 0.0)


def test_device_memory_holds_inputs_and_the_results_alive_at_once():
    graph = chain(5, n=1000)
    assert device_bytes(graph, graph.topological()) == 2 * 1000 * (1 + 2)
    report = simulate(graph)
    assert report.fits and not any("does not fit" in note for note in report.notes)
    small = simulate(graph, chip=chip_named("ascend910b1").replace(buf_gm=5000))
    assert not small.fits and "does not fit: it needs at least" in str(small)
