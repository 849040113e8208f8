"""The gain of fusing an edge: one head and the traffic between, minus the cost of smaller tiles."""

import pytest

from benchmarks.ascend.jobs import B1, elementwise
from minigraph.npu.reports.fusion import fused_job, fusion_gains, fusion_sheet
from minigraph.npu.simulator import simulate
from tests.npu.graphs import ADD, MATMUL, VIEW, chain, graph_of, matmul_add


def test_a_gain_is_the_sum_of_its_components_and_apart_is_the_cost_of_both_tasks():
    for gain in fusion_gains(chain(4, 1 << 22)):
        assert gain.saved_us == pytest.approx(gain.head + gain.traffic + gain.other)
        assert gain.saved_us == pytest.approx(gain.unfused - gain.fused)
        assert gain.unfused > gain.fused > 0
        assert gain.launch == 55
    (gain,) = fusion_gains(chain(2, 1 << 22))
    assert gain.unfused == pytest.approx(B1.us(simulate(chain(2, 1 << 22), engine="analytic").cycles), rel=1e-3)


def test_small_kernels_save_their_head_and_large_ones_their_traffic():
    small, large = fusion_gains(chain(2, 1 << 10))[0], fusion_gains(chain(2, 1 << 27))[0]
    assert small.saved_us == pytest.approx(small.head, rel=0.1)
    assert (small.level, large.level) == ("L2", "GM")
    assert large.traffic > 10 * large.head
    assert large.saved_us == pytest.approx(large.head + large.traffic, rel=0.25)


def test_the_fused_job_is_one_kernel_with_both_instructions():
    """Two elementwise jobs fused are one job with two instructions per element."""
    n, operation = 1 << 22, elementwise(1 << 22, 1, 1, {"simple": 1})
    assert fused_job(operation, operation, 2 * n, 2 * n).work == elementwise(n, 1, 1, {"simple": 2}).work
    assert fused_job(operation, operation, 2 * n, 0).work.written == 4 * n


def test_edges_connect_tasks_through_views():
    graph, (x,) = graph_of((1 << 20,))
    first = graph.emit(ADD, [x, x])
    view = graph.emit(VIEW, [first])
    last = graph.emit(ADD, [view, view])
    graph.set_outs([last])
    (gain,) = fusion_gains(graph)
    assert (gain.before, gain.after) == (first, last)


def test_a_value_with_another_reader_is_still_written():
    graph, (x,) = graph_of((1 << 26,))
    first = graph.emit(ADD, [x, x])
    last, saved = graph.emit(ADD, [first, first]), []
    for outs in ([last], [last, first]):
        graph.set_outs(outs)
        saved.append(fusion_gains(graph)[0].saved_us)
    assert saved[1] < saved[0] - 50  # 134 MB less to write


def test_two_products_are_not_fused_and_a_mix_kernel_pays_for_the_exchange_through_l2():
    graph, (x, w) = graph_of((512, 512), (512, 512))
    graph.set_outs([graph.emit(MATMUL, [graph.emit(MATMUL, [x, w]), w])])
    assert fusion_gains(graph) == ()
    (gain,) = fusion_gains(matmul_add())
    assert gain.other < 0 and gain.saved_us < gain.head


def test_gains_are_sorted_and_the_sheet_shows_all():
    gains = fusion_gains(chain(5, 1 << 20))
    assert len(gains) == 4
    assert [gain.saved_us for gain in gains] == sorted((gain.saved_us for gain in gains), reverse=True)
    assert [row["saved us"] for row in fusion_sheet(chain(5, 1 << 20)).records()] == [gain.saved_us for gain in gains]
