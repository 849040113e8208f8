"""The critical path as a table: its shares are the whole run, its edges the longest ones."""

import pytest

from minigraph.npu.reports.critical_path import MEANINGS, critical_sheet, edges_of
from minigraph.npu.simulator import simulate
from tests.npu.graphs import chain, matmul_add, nothing

REPORTS = [simulate(graph) for graph in (matmul_add(), chain(3), matmul_add(4096, 4096, 4096))]


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_shares_are_the_whole_run_and_edges_the_path_without_heads(report):
    told = critical_sheet(report).records()
    assert sum(row["%"] for row in told) == pytest.approx(100)
    assert sum(row["us"] for row in told) == pytest.approx(report.us)
    assert [row["cycles"] for row in told] == sorted((row["cycles"] for row in told), reverse=True)
    assert {row["cause"] for row in told} <= set(MEANINGS)
    heads = sum(row.head for row in report.rows)
    assert sum(edges_of(report).values()) == pytest.approx(report.cycles - heads)


def test_the_five_longest_edges_are_told_and_a_large_product_is_bound_by_a_queue_that_never_rests():
    report = REPORTS[2]
    notes = critical_sheet(report).notes
    assert len(notes) == 6 and notes[5] == report.standing
    longest = max(edges_of(report), key=edges_of(report).get)
    assert notes[0].startswith(f"{longest.before} -> {longest.after} ({longest.cause})")
    assert (longest.before, longest.cause) == (longest.after, "queue")


def test_without_instructions_only_heads_are_told_and_nothing_has_no_path():
    (told,) = critical_sheet(simulate(chain(3), engine="analytic")).records()
    assert told["cause"] == "head"
    assert critical_sheet(simulate(nothing())).rows == ()
