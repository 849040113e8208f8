"""The task table: all columns of the design, for both engines."""

import pytest

from benchmarks.ascend.jobs import B1
from minigraph.core.op import Op
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.reports.tasks import COLUMNS, PARAMETERS, grade_of, imbalance, queue_use, task_sheet, waves
from minigraph.npu.simulator import simulate
from minigraph.npu.tiling.layout import ESTIMATE_NOTE
from tests.npu.graphs import chain, graph_of, matmul_add, reports

NO_WORK_MODEL = Op("test no work", lambda x: x, lambda x: x)
REPORTS = reports(matmul_add(), chain(3), matmul_add(4096, 4096, 4096), engines=ENGINES)


def grade(row):
    """The grade of a task's time."""
    return grade_of(row.cost, row.chip)


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_every_column_is_consistent(report):
    for record, row in zip(task_sheet(report).records(), sorted(report.rows, key=lambda row: -row.us), strict=True):
        assert tuple(record) == COLUMNS
        assert record["bound us"] + record["head us"] <= record["us"] == pytest.approx(row.us)
        assert all(0 <= record[f"{queue} %"] <= 100 for queue in QUEUES)
        assert 0 <= record["L2 hit %"] <= 100
        assert record["imbalance"] >= 1 <= record["waves"]
        assert record["verdict"] == row.cost.verdict
        assert record["grade"] in "DSMPXFU"


def test_the_sheet_names_the_chip_and_whether_it_is_calibrated():
    sheet = task_sheet(simulate(chain(2), chip="ascend310"))
    assert "nominal" in sheet.notes[0]
    assert "Ascend 310" in sheet.title


def test_a_large_product_keeps_the_cube_busy_and_imbalance_is_the_busiest_core_over_the_mean():
    (product, _) = REPORTS[4].rows
    plan = product.cost.layout.cube[0]
    assert queue_use(product)["M"] > 0.7
    assert waves(product) == plan.per_core > 1
    assert imbalance(product) == pytest.approx(plan.per_core * plan.cores / plan.tiles)


def test_l2_hits_are_loads_not_from_device_memory():
    graph = matmul_add(4096, 4096, 4096)
    warm, cold = (simulate(graph, warm=warm).rows[0].cost for warm in (True, False))
    assert warm.hit_rate == 1
    assert cold.missed == pytest.approx(2 * 2 * 4096 * 4096)
    assert cold.hit_rate == pytest.approx(1 - cold.missed / cold.loaded)


def test_a_grade_is_the_least_of_all_significant_parameters_and_estimates_are_unverified():
    small, large = (simulate(matmul_add(size, size, size)).rows[0] for size in (512, 8192))
    assert grade(small) == "F"  # the head dominates
    assert grade(large) == B1.parameters["cube.head"].grade
    assert grade(simulate(matmul_add(), chip="ascend910a").rows[0]) == "U"
    assert all(parameter in B1.parameters for parameters in PARAMETERS.values() for parameter in parameters)
    graph, (x,) = graph_of((64, 64))
    graph.set_outs([graph.emit(NO_WORK_MODEL, [x])])
    (row,) = simulate(graph).rows
    assert ESTIMATE_NOTE in row.cost.layout.notes and grade(row) == "U"
