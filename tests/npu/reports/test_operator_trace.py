"""The operator simulator's JSON: its header, its columns, the tracks of both cores."""

import json

import pytest

from minigraph.npu.reports import operator_trace
from minigraph.npu.reports.chrome import TRACK_NAMES
from minigraph.npu.simulator import simulate
from tests.npu.graphs import chain, matmul_add

COLUMNS = {"name", "cname", "ph", "ts", "dur", "pid", "tid", "args"}  # npu: the vendor's trace.json


@pytest.mark.parametrize("graph", [matmul_add(), chain(30), matmul_add(8192, 8192, 8192)], ids=repr)
def test_every_event_has_the_columns_of_the_vendors_trace(graph):
    report = simulate(graph)
    text = operator_trace(report)
    head = '{"profilingType":"op","schemaVersion":1,"displayTimeUnit":"ms",'  # the tool reads no further than this
    assert text.startswith(head)
    events = json.loads(text)["traceEvents"]
    for event in events:
        assert set(event) == COLUMNS and set(event["args"]) == {"addr", "detail", "code"}
        assert event["pid"] in ("core0.cubecore0", "core0.veccore0") and event["tid"] in TRACK_NAMES.values()
        assert event["ts"] >= 0 and event["dur"] >= 0
    waits = sum(span.wait > 0 for span in report.spans)
    assert len(events) == len(report.spans) + waits + len(report.skips)
    assert max(event["ts"] + event["dur"] for event in events) == pytest.approx(report.us, rel=1e-3)


def test_instructions_name_their_node_and_line():
    (event,) = (e for e in json.loads(operator_trace(simulate(chain(1))))["traceEvents"] if e["name"] == "VADD")
    assert event["args"]["detail"].startswith("%1 ") and event["args"]["addr"] == "N/A"
