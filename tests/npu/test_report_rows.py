"""The rows of a report."""

import pytest

from minigraph.npu.report_rows import COLUMNS, first_cycle, spans_of
from minigraph.npu.simulator import simulate
from tests.npu.graphs import matmul_add

REPORT = simulate(matmul_add())
PRODUCT, SUM = REPORT.rows


def test_tasks_follow_each_other_with_kinds_heads_bands_and_cells():
    assert (PRODUCT.start, SUM.start, SUM.end) == (0, PRODUCT.end, REPORT.cycles)
    assert PRODUCT.end == PRODUCT.cycles == PRODUCT.head + PRODUCT.cost.cycles
    assert (PRODUCT.kind, SUM.kind, PRODUCT.head) == ("AI_CORE", "AI_VECTOR_CORE", 6 * 1850)
    assert PRODUCT.band.lo == pytest.approx(PRODUCT.us - 6 + 2.5)
    assert PRODUCT.band.hi == pytest.approx(PRODUCT.us - 6 + 21)
    name, part = PRODUCT.cost.busiest
    assert name in ("M", "MTE1", "MTE2", "FIXP") and 0 < part <= 1
    cells = dict(zip(COLUMNS, PRODUCT.cells(), strict=True))
    assert (cells["operator"], cells["kind"], cells["head us"]) == ("test matmul", "AI_CORE", "6.00")
    assert float(cells["bound us"]) <= float(cells["us"])


def test_spans_start_with_the_head_and_stay_inside_the_task():
    spans = list(spans_of(SUM))
    head = spans[0]
    assert (head.name, head.queue, head.start, head.end) == ("head", "S", SUM.start, SUM.start + SUM.head)
    assert first_cycle(SUM, SUM.cost.parts[0]) == spans[0].end
    assert all(spans[0].end <= span.start < span.end <= SUM.end for span in spans[1:])
    assert {span.node for span in spans} == {f"%{SUM.node} test add"}
