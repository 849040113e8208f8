"""The rows of a report."""

import pytest

from minigraph import Tensor, ops
from minigraph.npu.efficiency import EFFICIENCIES
from minigraph.npu.report_rows import COLUMNS, first_cycle, spans_of
from minigraph.npu.simulator import simulate
from tests.npu.graphs import matmul_add

REPORT = simulate(matmul_add())
PRODUCT, SUM = REPORT.rows


def test_tasks_follow_each_other_with_kinds_heads_bands_and_cells():
    assert (PRODUCT.start, SUM.start, SUM.end) == (0, PRODUCT.end, REPORT.cycles)
    assert PRODUCT.end == PRODUCT.cycles == PRODUCT.head + PRODUCT.cost.cycles
    assert (PRODUCT.kind, SUM.kind, PRODUCT.head) == ("AI_CORE", "AI_VECTOR_CORE", 6 * 1850)
    band = EFFICIENCIES["product"]
    assert PRODUCT.band == (PRODUCT.us, pytest.approx(PRODUCT.us * band.lo), pytest.approx(PRODUCT.us * band.hi))
    name, part = PRODUCT.cost.busiest
    assert name in ("M", "MTE1", "MTE2", "FIXP") and 0 < part <= 1
    cells = dict(zip(COLUMNS, PRODUCT.cells(), strict=True))
    assert (cells["operator"], cells["kind"], cells["head us"]) == ("test matmul", "AI_CORE", "6.00")
    assert float(cells["bound us"]) <= float(cells["us"])
    assert cells["band us"] == f"{PRODUCT.us * band.lo:.3g} to {PRODUCT.us * band.hi:.3g}"


def test_without_published_kernels_a_task_has_the_band_of_its_head_only():
    product, _ = simulate(matmul_add(), chip="ascend310").rows
    head = product.chip.parameters["task.head_us"]
    assert (product.efficiency, product.band_text) == (None, "")
    assert product.band.lo == pytest.approx(product.us - head.v + head.lo)
    assert product.band.hi == pytest.approx(product.us - head.v + head.hi)
    (estimate,) = simulate(lambda x: ops.cumsum(x, 1), Tensor([[1.0, 2.0]])).rows
    assert estimate.band_text == ""


def test_spans_start_with_the_head_and_stay_inside_the_task():
    spans = list(spans_of(SUM))
    head = spans[0]
    assert (head.name, head.queue, head.start, head.end) == ("head", "S", SUM.start, SUM.start + SUM.head)
    assert first_cycle(SUM, SUM.cost.parts[0]) == spans[0].end
    assert all(spans[0].end <= span.start < span.end <= SUM.end for span in spans[1:])
    assert {span.node for span in spans} == {f"%{SUM.node} test add"}
