import pytest

from minigraph.npu import simulate
from tests.viz.explore.programs import graph_of, run_of
from viz.explore import simulation as chip
from viz.explore.simulation import node_costs, roofline_data, timeline_data


@pytest.fixture(scope="module")
def report():
    return simulate(graph_of(3))


def rows(report):
    return {row.node: 100 + k for k, row in enumerate(report.rows)}


def test_every_task_has_a_cost_and_they_add_up(report):
    costs = node_costs([report])
    assert costs.keys() == rows(report).keys()
    assert sum(cost["cycles"] for cost in costs.values()) == report.cycles
    assert all(cost["bound"] and cost["queue"] and cost["cores"] >= 1 for cost in costs.values())


def test_the_last_report_has_the_last_word(report):
    later = run_of(3).report
    node = next(row.node for row in later.rows if row.node in rows(report))
    assert node_costs([report, later])[node] == node_costs([later])[node]


def test_bars_lie_in_the_run_and_name_their_rows(report):
    told = timeline_data(report, rows(report))
    assert told["cycles"] == report.cycles and told["mhz"] == report.mhz
    for lane, start, end, row, text, *_wait in told["bars"]:
        assert 0 <= start <= end <= report.cycles and row >= 100 and text and 0 <= lane < len(told["lanes"])
    assert {row for _, _, _, row, *_ in told["bars"]} == set(rows(report).values())


def test_of_very_many_bars_the_longest_are_kept(report, monkeypatch):
    monkeypatch.setattr(chip, "MAX_BARS", 5)
    told = timeline_data(report, rows(report))
    assert len(told["bars"]) == 5 and "the longest 5 of" in told["note"]


def test_roofs_and_points(report):
    told = roofline_data(report, rows(report))
    assert {unit for _, _, unit in told["roofs"]} == {"TB/s", "TOps/s"}
    assert told["points"] and all(point[0] >= 100 and point[2] > 0 and point[3] > 0 for point in told["points"])
