"""One task of a report."""

import pytest

from minigraph.npu.executor import simulate
from minigraph.npu.rows import COLUMNS, begin, spans_of
from tests.npu.graphs import matmul_add

REPORT = simulate(matmul_add())
PRODUCT, SUM = REPORT.rows


def test_tasks_follow_each_other():
    assert PRODUCT.start == 0
    assert SUM.start == PRODUCT.end == PRODUCT.cycles
    assert SUM.end == REPORT.cycles


def test_kinds_heads_and_bands():
    assert (PRODUCT.kind, SUM.kind) == ("AI_CORE", "AI_VECTOR_CORE")
    assert PRODUCT.head == 6 * 1850
    assert PRODUCT.cycles == PRODUCT.head + PRODUCT.cost.cycles
    assert PRODUCT.band.lo == pytest.approx(PRODUCT.us - 6 + 2.5)
    assert PRODUCT.band.hi == pytest.approx(PRODUCT.us - 6 + 21)


def test_the_busiest_queue():
    name, part = PRODUCT.cost.busiest
    assert name in ("M", "MTE1", "MTE2", "FIXP")
    assert 0 < part <= 1


def test_cells_are_in_the_order_of_the_columns():
    cells = dict(zip(COLUMNS, PRODUCT.cells(), strict=True))
    assert (cells["operator"], cells["kind"], cells["head us"]) == ("test matmul", "AI_CORE", "6.00")
    assert float(cells["at least us"]) <= float(cells["us"])


def test_spans_start_with_the_head_and_stay_inside_the_task():
    spans = list(spans_of(SUM))
    head = spans[0]
    assert (head.name, head.queue, head.start, head.end) == ("head", "S", SUM.start, SUM.start + SUM.head)
    assert begin(SUM, SUM.cost.parts[0]) == spans[0].end
    assert all(spans[0].end <= span.start < span.end <= SUM.end for span in spans[1:])
    assert {span.node for span in spans} == {f"%{SUM.node} test add"}
