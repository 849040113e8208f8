"""A report as a Chrome trace: what Perfetto, chrome://tracing and the vendor's MindStudio Insight open.

Processes and lanes carry the names of the vendor's simulator: a lane per queue of a cube and a vector core, the
device's tasks, the host's launch with a flow to the first task, and the bandwidth of both memories as counters.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from minigraph.npu.program import QUEUES
from minigraph.npu.report import Report

Event = dict[str, Any]

HOST, DEVICE, CUBE, VECTOR = range(1, 5)
PROCESSES = ((HOST, "CANN", "CPU"), (DEVICE, "Ascend Hardware", "NPU"), (CUBE, "core0.cubecore0", "NPU"),
             (VECTOR, "core0.veccore0", "NPU"))  # fmt: skip
CORES = {"aic": CUBE, "aiv": VECTOR}
LANES = {"S": "SCALAR", "V": "VECTOR", "M": "CUBE", "MTE1": "MTE1", "MTE2": "MTE2", "MTE3": "MTE3", "FIXP": "FIXP"}
ROWS = 16  # lanes kept for loads of one queue that are in flight together


def chrome_trace(report: Report) -> str:
    """The trace as JSON text; times in microseconds since the device's first task.

    ``ts`` may be negative for the host, which launches before.
    """
    bars = [*_host(report), *_tasks(report), *_in_rows(_instructions(report))]
    events = [*_process_names(), *_thread_names(bars), *bars, *_flow(report), *_counters(report)]
    return json.dumps({"schemaVersion": 1, "displayTimeUnit": "ns", "traceEvents": events}, separators=(",", ":"))


def _process_names() -> Iterator[Event]:
    for order, (process, name, label) in enumerate(PROCESSES):
        yield _meta("process_name", process, 0, name=name)
        yield _meta("process_labels", process, 0, labels=label)
        yield _meta("process_sort_index", process, 0, sort_index=order)


def _thread_names(bars: Iterable[Event]) -> Iterator[Event]:
    for process, thread in sorted({(bar["pid"], bar["tid"]) for bar in bars}):
        yield _meta("thread_name", process, thread, name=_lane_name(process, thread))
        yield _meta("thread_sort_index", process, thread, sort_index=thread)


def _lane_name(process: int, thread: int) -> str:
    if process in (HOST, DEVICE):
        return "launch" if process == HOST else "Stream 0"
    queue, row = divmod(thread, ROWS)
    return LANES[QUEUES[queue]] + (f"_{row + 1}" if row else "")


def _meta(kind: str, process: int, thread: int, **args: Any) -> Event:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": args}


def _bar(name: str, process: int, thread: int, start: float, end: float, **args: Any) -> Event:
    first, last = round(start * 1e3), round(end * 1e3)
    times = {"ts": _us(first), "dur": _us(last - first)}
    return {"ph": "X", "name": name, "pid": process, "tid": thread, **times, "args": args}


def _us(nanoseconds: int) -> float:
    """Microseconds of which a reader that cuts off, as Perfetto does, keeps every nanosecond.

    Else bars that touch would overlap by one, and Perfetto drops what overlaps.

    >>> int(1001 / 1000 * 1000), int(_us(1001) * 1000)
    (1000, 1001)
    """
    us = nanoseconds / 1000
    return us if int(us * 1000) == nanoseconds else math.nextafter(us, math.copysign(math.inf, us))


def _host(report: Report) -> Iterator[Event]:
    launch = report.host_preset.launch_us.v
    yield _bar(f"launch {report.title}", HOST, 0, -launch, 0.0, host=report.host_preset.name)


def _tasks(report: Report) -> Iterator[Event]:
    for number, row in enumerate(report.rows):
        told = {"Task Type": row.kind, "Task Id": number, "node": f"%{row.node}", "line": row.loc}
        start, end = report.chip.us(row.start), report.chip.us(row.end)
        yield _bar(row.name, DEVICE, 0, start, end, **told, verdict=row.cost.verdict)


def _flow(report: Report) -> Iterator[Event]:
    flow = {"name": "acl_to_npu", "cat": "async_acl_npu", "id": 0, "tid": 0}
    if report.rows:
        yield {**flow, "ph": "s", "pid": HOST, "ts": -report.host_preset.launch_us.v}
        yield {**flow, "ph": "f", "bp": "e", "pid": DEVICE, "ts": 0.0}


def _instructions(report: Report) -> Iterator[Event]:
    us = report.chip.us
    for span in report.spans:
        core, lane = CORES[span.core], QUEUES.index(span.queue) * ROWS
        if span.wait:
            yield _bar("WAIT_FLAG", core, lane, us(span.start - span.wait), us(span.start), bound_by=span.bound_by)
        told = {"detail": span.node, "bytes": span.moved, "bound_by": span.bound_by}
        yield _bar(span.name, core, lane, us(span.start), us(span.end), **told)
    for skip in report.skips:
        name = f"{skip.times} iterations like these"
        yield _bar(name, CORES[skip.core], 0, us(skip.start), us(skip.end))


def _in_rows(bars: Iterable[Event]) -> list[Event]:
    """Bars of a lane must follow each other: loads in flight together go to rows of their own (MTE2, MTE2_2)."""
    ends: dict[tuple[int, int], list[float]] = {}
    placed = sorted(bars, key=lambda bar: (bar["ts"], -bar["dur"]))
    for bar in placed:
        rows = ends.setdefault((bar["pid"], bar["tid"]), [])
        row = next(i for i in count() if i == len(rows) or rows[i] <= bar["ts"] + 1e-6)
        rows[row : row + 1] = [bar["ts"] + bar["dur"]]
        bar["tid"] += min(row, ROWS - 1)
    return placed


def _counters(report: Report) -> Iterator[Event]:
    """Mean bandwidth of device memory and L2 during each task, GB/s."""
    for row in report.rows:
        for level in ("GM", "L2"):
            rate = row.cost.bytes[level] / row.us / 1e3
            at = _us(round(report.chip.us(row.start) * 1e3))
            yield {"ph": "C", "name": f"{level} bandwidth", "pid": DEVICE, "ts": at, "args": {"GB/s": round(rate, 3)}}
