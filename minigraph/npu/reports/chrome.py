"""A report as a Chrome trace: what Perfetto, chrome://tracing and the vendor's MindStudio Insight open.

Processes and lanes carry the names of the vendor's simulator: a lane per queue of a cube and a vector core with waits
as bars and flags as arrows, the device's tasks, the host's launches with an arrow to the task each starts, and as
counters the bandwidth of both memories and the bytes taken of every buffer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from minigraph.core.errors import UnknownName, did_you_mean
from minigraph.npu.cost import Part
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.host import MODES
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.reports.memory import occupancy

Event = dict[str, Any]

HOST, DEVICE, CUBE, VECTOR = range(1, 5)
PROCESSES = ((HOST, "CANN", "CPU"), (DEVICE, "Ascend Hardware", "NPU"), (CUBE, "core0.cubecore0", "NPU"),
             (VECTOR, "core0.veccore0", "NPU"))  # fmt: skip
CORES = {"aic": CUBE, "aiv": VECTOR}
LANES = {"S": "SCALAR", "V": "VECTOR", "M": "CUBE", "MTE1": "MTE1", "MTE2": "MTE2", "MTE3": "MTE3", "FIXP": "FIXP"}
FLAGS = ("flag", "buffer")  # causes that another instruction ends: arrows are drawn for them
ROWS = 16  # lanes kept for loads of one queue that are in flight together


def chrome_trace(report: Report, mode: str = "graph") -> str:
    """The trace of a warm run as JSON text, microseconds: by "graph", one launch, or "eager", one per operator.

    Time 0 is the host's first launch: Perfetto drops what lies before 0. Eagerly the lanes show where the device
    waits for the host. Raises ``UnknownName`` for another mode.
    """
    if mode not in MODES:
        raise UnknownName(f"no mode '{mode}'{did_you_mean(mode, MODES)}")
    starts = _starts(report, mode)
    shown = list(_instructions(report, starts))
    placed = _in_rows([bar for one in shown for bar in one.bars])
    bars = [*_host(report, mode), *_tasks(report, starts), *placed]
    flows = [*_launches(report, mode, starts), *_flags(shown)]
    events = [*_process_names(), *_thread_names(bars), *bars, *flows, *_counters(report, starts)]
    events += _occupancy(report) if mode == "graph" else []
    about = {"chip": report.chip.standing, "host": report.host_preset.name, "engine": report.engine, "simulated": True}
    events = list(_from_0(events))
    whole = {"schemaVersion": 1, "displayTimeUnit": "ns", "otherData": about, "traceEvents": events}
    return json.dumps(whole, separators=(",", ":"))


def _from_0(events: Sequence[Event]) -> Iterator[Event]:
    """The events with the first of them at time 0."""
    first = min((round(event["ts"] * 1e3) for event in events if "ts" in event), default=0)
    for event in events:
        yield event | {"ts": _us(round(event["ts"] * 1e3) - first)} if "ts" in event else event


def _starts(report: Report, mode: str) -> list[float]:
    """When each task starts on the device, microseconds."""
    if mode == "eager":
        return [row.start for row in report.host("eager")]
    return [report.chip.us(row.start) for row in report.rows]


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


def _host(report: Report, mode: str) -> Iterator[Event]:
    told = {"host": report.host_preset.name}
    if mode == "graph":
        yield _bar(f"launch {report.title}", HOST, 0, -report.host_preset.launch_us.v, 0.0, **told)
        return
    for row, issued in zip(report.rows, report.host("eager"), strict=True):
        yield _bar(f"launch {row.name}", HOST, 0, issued.issued - report.host_preset.issue_us.v, issued.issued, **told)


def _tasks(report: Report, starts: Sequence[float]) -> Iterator[Event]:
    for number, (row, start) in enumerate(zip(report.rows, starts, strict=True)):
        told = {"Task Type": row.kind, "Task Id": number, "node": f"%{row.node}", "line": row.loc}
        yield _bar(row.name, DEVICE, 0, start, start + row.us, **told, verdict=row.cost.verdict)


def _launches(report: Report, mode: str, starts: Sequence[float]) -> Iterator[Event]:
    """An arrow from the host's launch to the task it starts: one in graph mode, eagerly one for each."""
    issued = [0.0] if mode == "graph" else [row.issued for row in report.host("eager")]
    for number, (launched, start) in enumerate(zip(issued, starts, strict=False)):
        yield from _arrow("acl_to_npu", "async_acl_npu", number, (HOST, 0, launched), (DEVICE, 0, start))


def _arrow(
    name: str, kind: str, number: int, tail: tuple[int, int, float], head: tuple[int, int, float]
) -> Iterator[Event]:  # fmt: skip
    """A flow between two bars, from the last nanosecond of one to the first of the other, so that it binds to both."""
    flow = {"name": name, "cat": kind, "id": number}
    yield {**flow, "ph": "s", "pid": tail[0], "tid": tail[1], "ts": _us(round(tail[2] * 1e3) - 1)}
    yield {**flow, "ph": "f", "bp": "e", "pid": head[0], "tid": head[1], "ts": _us(round(head[2] * 1e3))}


class Shown(NamedTuple):
    """The bars of one instruction, its own last, and of the one whose flag or slot it waited for."""

    bars: tuple[Event, ...]
    after: Event | None


def _instructions(report: Report, starts: Sequence[float]) -> Iterator[Shown]:
    us = report.chip.us
    for row, start in zip(report.rows, starts, strict=True):
        head = _bar("head", CORES[row.cost.parts[0].core], 0, start, start + us(row.head), detail=row.told)
        yield Shown((head,), None)
        for part in row.cost.parts:
            yield from _part(row, part, us, start + us(row.head + part.offset))


def _part(row: NodeRow, part: Part, us: Callable[[float], float], start: float) -> Iterator[Shown]:
    core = CORES[part.core]
    own: list[Event] = []
    for span in part.spans:
        lane = QUEUES.index(span.queue) * ROWS
        bound = "bandwidth" if span.slowed else span.bound_by
        told = {"detail": row.told, "bytes": span.moved, "bound_by": bound}
        own.append(_bar(span.name, core, lane, start + us(span.start), start + us(span.end), **told))
        begin = start + us(span.start)
        waits = [_bar("WAIT_FLAG", core, lane, begin - us(span.wait), begin, bound_by=bound)] if span.wait else []
        after = own[span.after] if span.bound_by in FLAGS and span.after >= 0 else None
        yield Shown((*waits, own[-1]), after)
    for skip in part.skips:
        name = f"{skip.times} iterations like these"
        yield Shown((_bar(name, core, 0, start + us(skip.start), start + us(skip.end)),), None)


def _flags(shown: Iterable[Shown]) -> Iterator[Event]:
    """An arrow from the instruction that set a flag, or gave a slot back, to the one that waited for it."""
    pairs = ((one.after, one.bars[-1]) for one in shown if one.after)
    for number, (tail, head) in enumerate(pair for pair in pairs if pair[0]["dur"] and pair[1]["dur"]):
        ends = tail["pid"], tail["tid"], tail["ts"] + tail["dur"]
        yield from _arrow("set_flag", "flag", number, ends, (head["pid"], head["tid"], head["ts"]))


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


def _counters(report: Report, starts: Sequence[float]) -> Iterator[Event]:
    """Mean bandwidth of device memory and L2 during each task, GB/s."""
    for row, start in zip(report.rows, starts, strict=True):
        for level in ("GM", "L2"):
            rate = row.cost.bytes[level] / row.us / 1e3
            yield _counter(f"{level} bandwidth", DEVICE, start, "GB/s", round(rate, 3))


def _occupancy(report: Report) -> Iterator[Event]:
    """Bytes taken of every buffer, at each change."""
    for one in occupancy(report):
        process = CORES.get(one.core, DEVICE)
        for level in one.levels:
            yield _counter(f"{one.buffer} bytes", process, report.chip.us(level.at), "bytes", level.bytes)


def _counter(name: str, process: int, at: float, unit: str, value: float) -> Event:
    return {"ph": "C", "name": name, "pid": process, "ts": _us(round(at * 1e3)), "args": {unit: value}}
