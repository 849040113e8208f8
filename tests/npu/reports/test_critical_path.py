"""The critical path as a table: its cycles cover the run, and its notes are the longest edges."""

import pytest

from minigraph.npu.reports.critical_path import MEANINGS, critical_sheet, edges_of
from minigraph.npu.simulator import simulate
from tests.npu.graphs import chain, empty_graph, matmul_add

REPORTS = [simulate(graph) for graph in (matmul_add(), chain(3), matmul_add(4096, 4096, 4096))]


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_cycles_cover_the_run_and_edges_the_path_without_heads(report):
    records = critical_sheet(report).records()
    assert sum(row["%"] for row in records) == pytest.approx(100)
    assert sum(row["us"] for row in records) == pytest.approx(report.us)
    assert [row["cycles"] for row in records] == sorted((row["cycles"] for row in records), reverse=True)
    assert {row["cause"] for row in records} <= set(MEANINGS)
    heads = sum(row.head for row in report.rows)
    assert sum(edges_of(report).values()) == pytest.approx(report.cycles - heads)


def test_the_five_longest_edges_are_notes_and_a_large_product_is_bound_by_one_queue():
    report = REPORTS[2]
    notes = critical_sheet(report).notes
    assert len(notes) == 6 and notes[5] == report.calibration
    longest = max(edges_of(report), key=edges_of(report).get)
    assert notes[0].startswith(f"{longest.before} -> {longest.after} ({longest.cause})")
    assert (longest.before, longest.cause) == (longest.after, "queue")


def test_the_analytic_engine_has_heads_only_and_an_empty_graph_no_path():
    (record,) = critical_sheet(simulate(chain(3), engine="analytic")).records()
    assert record["cause"] == "head"
    assert critical_sheet(simulate(empty_graph())).rows == ()
