"""The Chrome trace: valid events, named tracks, no overlapping bars in a track."""

import json
from itertools import pairwise

import pytest

from minigraph.core.errors import UnknownNameError
from minigraph.npu.reports.chrome import TRACK_NAMES, chrome_trace
from minigraph.npu.simulator import simulate
from tests.npu.graphs import chain, empty_graph, matmul_add

REPORTS = [simulate(graph) for graph in (matmul_add(), chain(30), matmul_add(8192, 8192, 8192))]
REQUIRED_FIELDS = {
    "X": {"name", "pid", "tid", "ts", "dur", "args"}, "M": {"name", "pid", "tid", "args"},
    "C": {"name", "pid", "ts", "args"}, "s": {"name", "cat", "id", "pid", "tid", "ts"},
    "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
}  # fmt: skip


def events(report, mode="graph"):
    """The events of a trace, read back from its text."""
    return json.loads(chrome_trace(report, mode))["traceEvents"]


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_every_event_has_its_required_fields_and_every_track_has_the_vendors_name(report):
    trace = events(report)
    assert {event["ph"] for event in trace} == set(REQUIRED_FIELDS)
    assert json.loads(chrome_trace(report))["displayTimeUnit"] in ("ms", "ns")
    for event in trace:
        assert REQUIRED_FIELDS[event["ph"]] <= set(event)
        assert isinstance(event["pid"], int) and isinstance(event.get("tid", 0), int)
        assert isinstance(event.get("ts", 0), int | float) and event.get("dur", 0) >= 0
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in trace if e["ph"] == "X"} == set(names)
    assert {name.split("_")[0] for name in names.values()} <= {*TRACK_NAMES.values(), "launch", "Stream 0"}
    processes = {e["args"]["name"] for e in trace if e["name"] == "process_name"}
    assert processes == {"CANN", "Ascend Hardware", "core0.cubecore0", "core0.veccore0"}


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_bars_of_a_track_do_not_overlap_by_a_nanosecond(report):
    ends = {}
    for event in (e for e in events(report) if e["ph"] == "X"):
        track, start = (event["pid"], event["tid"]), int(event["ts"] * 1000)  # as Perfetto reads it
        assert start >= ends.get(track, start), event
        ends[track] = start + int(event["dur"] * 1000)


def test_waits_are_bars_and_overlapping_loads_have_their_own_track():
    trace = events(REPORTS[2])
    assert any(e["name"] == "WAIT_FLAG" for e in trace)
    assert any(e["name"] == "MMAD" for e in trace)
    assert any(e["name"] == "thread_name" and e["args"]["name"] == "MTE2_2" for e in trace)
    assert any("extrapolated iterations" in e["name"] for e in trace)


def bars_at_event(bars, event):
    """The bars of an event's track that contain its time: a viewer binds a flow to them."""
    ns = round(event["ts"] * 1000)
    track = bars[event["pid"], event["tid"]]
    return [b for b in track if round(b["ts"] * 1000) <= ns < round((b["ts"] + b["dur"]) * 1000)]


@pytest.mark.parametrize("mode", ["graph", "eager"])
@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_every_arrow_binds_to_one_bar_at_both_ends(report, mode):
    trace = events(report, mode)
    bars = {}
    for event in (e for e in trace if e["ph"] == "X"):
        bars.setdefault((event["pid"], event["tid"]), []).append(event)
    starts, ends = ({(e["cat"], e["id"]): e for e in trace if e["ph"] == kind} for kind in "sf")
    assert len(starts) == len(ends) == sum(e["ph"] in "sf" for e in trace) / 2
    assert set(starts) == set(ends)
    for key, start in starts.items():
        end = ends[key]
        assert start["name"] == end["name"]
        assert start["ts"] <= end["ts"]
        assert len(bars_at_event(bars, start)) == 1
        assert end["bp"] == "e"
        assert [bar["ts"] for bar in bars_at_event(bars, end)] == [end["ts"]]


def test_graph_mode_has_one_launch_and_eager_mode_one_per_task():
    trace = events(REPORTS[1])
    (launch,) = (e for e in trace if e["ph"] == "X" and e["pid"] == 1)
    assert launch["ts"] == 0 == min(e["ts"] for e in trace if "ts" in e), "Perfetto drops earlier events"
    assert len([e for e in trace if e["ph"] == "s" and e["name"] == "acl_to_npu"]) == 1
    eager = events(REPORTS[1], "eager")
    assert len([e for e in eager if e["ph"] == "s" and e["name"] == "acl_to_npu"]) == 30
    tasks = [e for e in eager if e["ph"] == "X" and e["pid"] == 2]
    gaps = [after["ts"] - before["ts"] - before["dur"] for before, after in pairwise(tasks)]
    assert min(gaps) > 40  # the device waits for the host: 55 us per operator


def test_flags_are_arrows_between_dependent_instructions():
    trace = events(REPORTS[0])
    tracks = {(e["pid"], e["tid"]): e["args"]["name"].split("_")[0] for e in trace if e["name"] == "thread_name"}
    flags = [e for e in trace if e["ph"] in "sf" and e["cat"] == "flag"]
    tails, heads = ({e["id"]: tracks[e["pid"], e["tid"]] for e in flags if e["ph"] == kind} for kind in "sf")
    pairs = {(tails[number], heads[number]) for number in tails}
    assert {("MTE2", "MTE1"), ("MTE1", "CUBE"), ("CUBE", "FIXP"), ("MTE2", "VECTOR"), ("VECTOR", "MTE3")} <= pairs


def test_bandwidth_and_occupancy_are_counters():
    counters = [e for e in events(REPORTS[0]) if e["ph"] == "C"]
    rates = [e for e in counters if "GB/s" in e["args"]]
    assert len(rates) == 2 * len(REPORTS[0].rows)
    assert all(0 <= e["args"]["GB/s"] < 8000 for e in rates)
    names = {e["name"] for e in counters if "bytes" in e["args"]}
    assert names == {"L1 bytes", "L0A bytes", "L0B bytes", "L0C bytes", "UB bytes", "L2 bytes"}
    assert all(e["args"]["bytes"] >= 0 for e in counters if "bytes" in e["args"])


def test_a_trace_says_that_it_is_simulated_and_whether_the_chip_is_calibrated():
    about = json.loads(chrome_trace(simulate(chain(2), chip="ascend310")))["otherData"]
    assert about["simulated"] is True
    assert about["chip"].startswith("Ascend 310 is nominal: ")
    assert not any(e["ph"] in "sf" for e in events(simulate(empty_graph())))
    with pytest.raises(UnknownNameError, match="no mode 'eagerly'; did you mean 'eager'"):
        chrome_trace(REPORTS[0], "eagerly")
