"""The Chrome trace: valid events, named lanes, bars that do not overlap in a lane."""

import json

import pytest

from minigraph.npu.chrome import LANES, chrome_trace
from minigraph.npu.executor import simulate
from tests.npu.graphs import chain, graph_of, matmul_add

REPORTS = [simulate(graph) for graph in (matmul_add(), chain(30), matmul_add(8192, 8192, 8192))]
NEEDED = {
    "X": {"name", "pid", "tid", "ts", "dur", "args"}, "M": {"name", "pid", "tid", "args"},
    "C": {"name", "pid", "ts", "args"}, "s": {"name", "cat", "id", "pid", "tid", "ts"},
    "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
}  # fmt: skip


def events(report):
    """The events of a trace, read back from its text."""
    return json.loads(chrome_trace(report))["traceEvents"]


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_every_event_has_what_its_kind_needs(report):
    for event in events(report):
        assert NEEDED[event["ph"]] <= set(event)
        assert isinstance(event["pid"], int)
        assert isinstance(event.get("tid", 0), int)
        assert isinstance(event.get("ts", 0), int | float)
        assert event.get("dur", 0) >= 0


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_every_lane_is_named_in_the_vendors_words(report):
    found = events(report)
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in found if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in found if e["ph"] == "X"} == set(names)
    assert {name.split("_")[0] for name in names.values()} <= {*LANES.values(), "launch", "Stream 0"}
    processes = {e["args"]["name"] for e in found if e["name"] == "process_name"}
    assert processes == {"CANN", "Ascend Hardware", "core0.cubecore0", "core0.veccore0"}


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_bars_of_a_lane_do_not_overlap_by_a_nanosecond(report):
    ends = {}
    for event in (e for e in events(report) if e["ph"] == "X"):
        lane, start = (event["pid"], event["tid"]), int(event["ts"] * 1000)  # as Perfetto reads it
        assert start >= ends.get(lane, start), event
        ends[lane] = start + int(event["dur"] * 1000)


def test_waits_are_bars_and_loads_in_flight_have_their_own_lane():
    found = events(REPORTS[2])
    assert any(e["name"] == "WAIT_FLAG" for e in found)
    assert any(e["name"] == "MMAD" for e in found)
    assert any(e["name"] == "thread_name" and e["args"]["name"] == "MTE2_2" for e in found)
    assert any("iterations like these" in e["name"] for e in found)


def test_the_launch_flows_to_the_first_task():
    found = events(REPORTS[0])
    start, end = (next(e for e in found if e["ph"] == kind) for kind in "sf")
    assert start["id"] == end["id"]
    assert start["ts"] < 0 == end["ts"]


def test_bandwidth_is_counted_per_task():
    counters = [e for e in events(REPORTS[0]) if e["ph"] == "C"]
    assert len(counters) == 2 * len(REPORTS[0].rows)
    assert all(0 <= e["args"]["GB/s"] < 8000 for e in counters)


def test_an_empty_report_is_a_valid_trace():
    graph, (x,) = graph_of((4,))
    graph.set_outs([x])
    assert not any(e["ph"] in "sfC" for e in events(simulate(graph)))
