"""The table of tasks: every figure of the design's list, for both engines."""

import pytest

from benchmarks.ascend.jobs import B1
from minigraph.core.op import Op
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.reports.tasks import COLUMNS, FIGURES, grade_of, imbalance, queue_use, task_sheet, waves
from minigraph.npu.simulator import simulate
from minigraph.npu.tiling.layout import ESTIMATE
from tests.npu.graphs import chain, graph_of, matmul_add, reports

GUESS = Op("test guess", lambda x: x, lambda x: x)
REPORTS = reports(matmul_add(), chain(3), matmul_add(4096, 4096, 4096), engines=ENGINES)


def grade(row):
    """The grade of a task's time."""
    return grade_of(row.cost, row.chip)


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_every_column_says_something_true(report):
    for told, row in zip(task_sheet(report).records(), report.rows, strict=True):
        assert tuple(told) == COLUMNS
        assert told["at least us"] + told["head us"] <= told["us"] == pytest.approx(row.us)
        assert all(0 <= told[f"{queue} %"] <= 100 for queue in QUEUES)
        assert 0 <= told["L2 hit %"] <= 100
        assert told["imbalance"] >= 1 <= told["waves"]
        assert told["verdict"] == row.cost.verdict
        assert told["grade"] in "DSMPXFU"


def test_the_sheet_says_which_chip_and_how_far_to_trust_it():
    sheet = task_sheet(simulate(chain(2), chip="ascend310"))
    assert "nominal" in sheet.notes[0]
    assert "Ascend 310" in sheet.title


def test_a_large_product_keeps_the_cube_busy_and_imbalance_is_the_busiest_core_over_an_even_share():
    (product, _) = REPORTS[4].rows
    plan = product.cost.layout.cube[0]
    assert queue_use(product)["M"] > 0.7
    assert waves(product) == plan.per_core > 1
    assert imbalance(product) == pytest.approx(plan.per_core * plan.cores / plan.tiles)


def test_l2_hits_are_what_did_not_come_from_device_memory():
    graph = matmul_add(4096, 4096, 4096)
    warm, cold = (simulate(graph, warm=warm).rows[0].cost for warm in (True, False))
    assert warm.hits == 1
    assert cold.missed == pytest.approx(2 * 2 * 4096 * 4096)
    assert cold.hits == pytest.approx(1 - cold.missed / cold.loaded)


def test_grades_are_the_least_certain_figure_that_matters_and_a_guess_is_graded_as_one():
    small, large = (simulate(matmul_add(size, size, size)).rows[0] for size in (512, 8192))
    assert grade(small) == "F"  # the head carries it
    assert grade(large) == B1.figures["cube.head"].grade
    assert grade(simulate(matmul_add(), chip="ascend910a").rows[0]) == "U"
    assert all(figure in B1.figures for figures in FIGURES.values() for figure in figures)
    graph, (x,) = graph_of((64, 64))
    graph.set_outs([graph.emit(GUESS, [x])])
    (row,) = simulate(graph).rows
    assert ESTIMATE in row.cost.layout.notes and grade(row) == "U"
