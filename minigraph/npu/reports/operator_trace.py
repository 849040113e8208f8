"""The instructions of a run as JSON in the form of the vendor's operator simulator.

Its guide says that MindStudio Insight reads a file as the trace of an operator if ``profilingType`` precedes the first
event; this was not tested with the tool. Processes, tracks and columns have the names of the vendor's ``trace.json``;
addresses are not modelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from minigraph.npu.report import Report
from minigraph.npu.report_rows import TimelineSkip, TimelineSpan
from minigraph.npu.reports.chrome import TRACK_NAMES
from minigraph.npu.reports.sheet import marks_of

CORES = {"aic": "core0.cubecore0", "aiv": "core0.veccore0"}
COLORS = {
    "SCALAR": "startup", "VECTOR": "good", "CUBE": "rail_animation", "MTE1": "thread_state_runnable",
    "MTE2": "thread_state_iowait", "MTE3": "rail_response", "FIXP": "rail_load",
}  # fmt: skip
WAIT_COLOR = "yellow"
MISSING = "N/A"  # values that are not modelled


def operator_trace(report: Report) -> str:
    """The stepped instructions and waits of every queue as JSON text, in microseconds since the graph's start."""
    lines = {f"%{row.node}": row.loc for row in report.rows}
    events = [event for span in report.spans for event in _span_events(report, span, lines)]
    events += [_skip_event(report, skip) for skip in report.skips]
    head = {"profilingType": "op", "schemaVersion": 1, "displayTimeUnit": "ms"}  # before the first event
    run = {"chip": report.calibration, "engine": report.engine, "simulated": True}
    run |= marks_of(report.what_if, report.basis.memory)
    return json.dumps({**head, "traceEvents": events, "otherData": run}, separators=(",", ":"))


def _span_events(report: Report, span: TimelineSpan, lines: dict[str, str]) -> Iterator[dict[str, Any]]:
    track, code = TRACK_NAMES[span.queue], lines.get(span.node.split()[0]) or MISSING
    if span.wait:
        wait = f"waits for {span.bound_by}"
        yield _event(report, "WAIT_FLAG", WAIT_COLOR, span.core, track, span.start - span.wait, span.start, wait, code)
    detail = f"{span.node}, {span.bytes_moved} bytes" if span.bytes_moved else span.node
    yield _event(report, span.name, COLORS[track], span.core, track, span.start, span.end, detail, code)


def _skip_event(report: Report, skip: TimelineSkip) -> dict[str, Any]:
    name = f"{skip.times} extrapolated iterations"
    return _event(report, name, COLORS["SCALAR"], skip.core, "SCALAR", skip.start, skip.end, name, MISSING)


def _event(
    report: Report, name: str, color: str, core: str, track: str, start: int, end: int, detail: str, code: str
) -> dict[str, Any]:  # fmt: skip
    us = report.chip.us
    args = {"addr": MISSING, "detail": detail, "code": code}
    times = {"ts": round(us(start), 6), "dur": round(us(end) - us(start), 6)}
    return {"name": name, "cname": color, "ph": "X", **times, "pid": CORES[core], "tid": track, "args": args}
