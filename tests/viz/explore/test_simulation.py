import pytest

from minigraph.npu import simulate
from tests.viz.explore.programs import graph_of, run_of
from viz.explore import simulation
from viz.explore.simulation import node_costs, roofline_data, timeline_data


@pytest.fixture(scope="module")
def report():
    return simulate(graph_of(3))


def rows(report):
    return {row.node: 100 + k for k, row in enumerate(report.rows)}


def test_the_costs_of_all_tasks_add_up(report):
    costs = node_costs([report])
    assert costs.keys() == rows(report).keys()
    assert sum(cost["cycles"] for cost in costs.values()) == report.cycles
    assert all(cost["bound"] and cost["queue"] and cost["cores"] >= 1 for cost in costs.values())


def test_the_last_report_takes_precedence(report):
    later = run_of(3).report
    node = next(row.node for row in later.rows if row.node in rows(report))
    assert node_costs([report, later])[node] == node_costs([later])[node]


def test_bars_are_within_the_simulated_time_and_refer_to_rows(report):
    timeline = timeline_data(report, rows(report))
    assert timeline["cycles"] == report.cycles and timeline["mhz"] == report.mhz
    for track, start, end, row, text, *_wait in timeline["bars"]:
        assert 0 <= start <= end <= report.cycles and row >= 100 and text and 0 <= track < len(timeline["tracks"])
    assert {row for _, _, _, row, *_ in timeline["bars"]} == set(rows(report).values())


def test_only_the_longest_bars_are_kept(report, monkeypatch):
    monkeypatch.setattr(simulation, "MAX_BARS", 5)
    timeline = timeline_data(report, rows(report))
    assert len(timeline["bars"]) == 5 and "the longest 5 of" in timeline["note"]


def test_roofs_and_points(report):
    roofs = roofline_data(report, rows(report))
    assert {unit for _, _, unit in roofs["roofs"]} == {"TB/s", "TOps/s"}
    assert roofs["points"] and all(point[0] >= 100 and point[2] > 0 and point[3] > 0 for point in roofs["points"])
