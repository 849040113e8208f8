"""Buffer occupancy: never above capacity, 0 at the end, all slots during extrapolated loops."""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS
from minigraph.npu import CHIPS, chip_named, simulate
from minigraph.npu.job_cost import ENGINES, cost_of
from minigraph.npu.reports.memory import memory_sheet, occupancy
from tests.npu.graphs import chain, empty_graph, matmul_add, reports

GRAPHS = matmul_add(), chain(5, 1 << 20), matmul_add(4096, 4096, 4096)
REPORTS = reports(*GRAPHS, engines=ENGINES, chips=("ascend910b1", "ascend910a"))


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_no_buffer_exceeds_its_capacity(report):
    buffers = occupancy(report)
    assert buffers[-1].buffer == "L2"
    for usage in buffers:
        assert 0 <= usage.mean <= usage.peak <= usage.capacity
        assert min(level.bytes for level in usage.levels) >= 0
        assert [level.at for level in usage.levels] == sorted(level.at for level in usage.levels)
        assert usage.levels[-1].at <= report.cycles
    for usage in buffers[:-1]:
        assert usage.peak > 0 == usage.levels[-1].bytes


@pytest.mark.parametrize("chip", sorted(CHIPS))
def test_every_plan_fits_the_buffers_of_every_chip(chip):
    buf = chip_named(chip).buf
    for _, job in ALL_JOBS:
        for part in cost_of(job, chip_named(chip), "analytic").parts:
            assert all(size <= getattr(buf, name.lower()) for name, size in part.program.footprint.items())


def test_a_large_product_fills_most_of_l1_and_all_of_l0c():
    by_name = {usage.buffer: usage for usage in occupancy(REPORTS[8]) if usage.core == "aic"}
    assert by_name["L1"].peak > 0.5 * by_name["L1"].capacity
    assert by_name["L0C"].peak == by_name["L0C"].capacity
    assert set(by_name) == {"L1", "L0A", "L0B", "L0C"}


def test_l2_holds_the_values_of_the_last_uses():
    n, size = 4, 2 * (1 << 20)
    (l2,) = (usage for usage in occupancy(simulate(chain(n, 1 << 20), warm=False)) if usage.buffer == "L2")
    assert [level.bytes for level in l2.levels] == [0, *(size * k for k in range(2, n + 1)), size * n]
    small = chip_named("ascend910b1").replace(buf_l2=3 * size + 1)
    (l2,) = (usage for usage in occupancy(simulate(chain(9, 1 << 20), chip=small)) if usage.buffer == "L2")
    assert l2.peak == 3 * size


def test_the_sheet_has_a_row_per_buffer_and_an_empty_graph_occupies_nothing():
    records = memory_sheet(REPORTS[0]).records()
    buffers = ["L1 aic", "L0A aic", "L0B aic", "L0C aic", "UB aiv", "L2 chip"]
    assert [f"{row['buffer']} {row['core']}" for row in records] == buffers
    assert all(0 < row["peak %"] <= 100 for row in records)
    (l2,) = occupancy(simulate(empty_graph()))
    assert l2.peak == l2.mean == 0
