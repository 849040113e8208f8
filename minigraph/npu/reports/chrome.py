"""A report as a Chrome trace, for Perfetto and chrome://tracing.

Processes and threads have the names of the vendor's simulator. There is a track per queue of a cube and a vector core,
with waits as bars and flags as flow arrows; the device's tasks; the host's launches, each with an arrow to its task;
and counters for the bandwidth of both memories and the occupancy of every buffer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from minigraph.core.errors import UnknownNameError, did_you_mean
from minigraph.npu.cost import Part
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.host import MODES
from minigraph.npu.job_cost import VERDICT_LEGEND
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.reports.memory import occupancy
from minigraph.npu.reports.sheet import marks_of

Event = dict[str, Any]

HOST, DEVICE, CUBE, VECTOR = range(1, 5)
PROCESSES = ((HOST, "CANN", "CPU"), (DEVICE, "Ascend Hardware", "NPU"), (CUBE, "core0.cubecore0", "NPU"),
             (VECTOR, "core0.veccore0", "NPU"))  # fmt: skip
CORES = {"aic": CUBE, "aiv": VECTOR}
TRACK_NAMES = {"S": "SCALAR", "V": "VECTOR", "M": "CUBE"} | {queue: queue for queue in ("MTE1", "MTE2", "MTE3", "FIXP")}
FLAGS = ("flag", "buffer")  # dependencies between instructions, drawn as arrows
MAX_SUBTRACKS = 16  # thread ids reserved per queue, for overlapping loads


def chrome_trace(report: Report, mode: str = "graph") -> str:
    """The trace of a warm run as JSON text, in microseconds; ``mode``: "graph" (one launch) or "eager" (one per task).

    Time 0 is the host's first launch, because Perfetto drops events before 0. In eager mode, the tracks show where the
    device waits for the host. Raises ``UnknownNameError`` for another mode.
    """
    if mode not in MODES:
        raise UnknownNameError(f"no mode '{mode}'{did_you_mean(mode, MODES)}")
    report = report.eager if mode == "eager" else report
    starts = _starts(report, mode)
    instructions = list(_instructions(report, starts))
    assigned = _assign_sublanes([bar for instruction in instructions for bar in instruction.bars])
    bars = [*_host(report, mode), *_tasks(report, starts), *assigned]
    flows = [*_launches(report, mode, starts), *_flags(instructions)]
    events = [*_process_names(), *_thread_names(bars), *bars, *flows, *_counters(report, starts)]
    events += _occupancy(report) if mode == "graph" else []
    run = {
        "chip": report.calibration, "host": report.host_preset.label, "engine": report.engine, "simulated": True,
        "legend": VERDICT_LEGEND, **marks_of(report.what_if, report.basis.memory),
    }  # fmt: skip
    events = list(_shift_to_zero(events))
    document = {"schemaVersion": 1, "displayTimeUnit": "ns", "otherData": run, "traceEvents": events}
    return json.dumps(document, separators=(",", ":"))


def _shift_to_zero(events: Sequence[Event]) -> Iterator[Event]:
    """The events, shifted so that the first one is at time 0."""
    first = min((round(event["ts"] * 1e3) for event in events if "ts" in event), default=0)
    for event in events:
        yield event | {"ts": _us(round(event["ts"] * 1e3) - first)} if "ts" in event else event


def _starts(report: Report, mode: str) -> list[float]:
    """The start of each task on the device, in microseconds."""
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
        yield _meta("thread_name", process, thread, name=_track_name(process, thread))
        yield _meta("thread_sort_index", process, thread, sort_index=thread)


def _track_name(process: int, thread: int) -> str:
    if process in (HOST, DEVICE):
        return "launch" if process == HOST else "Stream 0"
    queue, row = divmod(thread, MAX_SUBTRACKS)
    return TRACK_NAMES[QUEUES[queue]] + (f"_{row + 1}" if row else "")


def _meta(kind: str, process: int, thread: int, **args: Any) -> Event:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": args}


def _bar(name: str, process: int, thread: int, start: float, end: float, **args: Any) -> Event:
    first, last = round(start * 1e3), round(end * 1e3)
    times = {"ts": _us(first), "dur": _us(last - first)}
    return {"ph": "X", "name": name, "pid": process, "tid": thread, **times, "args": args}


def _us(nanoseconds: int) -> float:
    """Microseconds that truncate to the exact nanosecond, as Perfetto reads them.

    Otherwise adjacent bars would overlap by one nanosecond, and Perfetto drops overlapping bars.

    >>> int(1001 / 1000 * 1000), int(_us(1001) * 1000)
    (1000, 1001)
    """
    us = nanoseconds / 1000
    return us if int(us * 1000) == nanoseconds else math.nextafter(us, math.copysign(math.inf, us))


def _host(report: Report, mode: str) -> Iterator[Event]:
    details = {"host": report.host_preset.label}
    if mode == "graph":
        yield _bar(f"launch {report.title}", HOST, 0, -report.host_preset.launch_us.v, 0.0, **details)
        return
    for row, host in zip(report.rows, report.host("eager"), strict=True):
        yield _bar(f"launch {row.name}", HOST, 0, host.issued - report.host_preset.issue_us.v, host.issued, **details)


def _tasks(report: Report, starts: Sequence[float]) -> Iterator[Event]:
    for index, (row, start) in enumerate(zip(report.rows, starts, strict=True)):
        details = {"Task Type": row.kind, "Task Id": index, "node": f"%{row.node}", "line": row.loc}
        yield _bar(row.name, DEVICE, 0, start, start + row.us, **details, verdict=row.cost.verdict)


def _launches(report: Report, mode: str, starts: Sequence[float]) -> Iterator[Event]:
    """Arrows from the host's launches to the tasks they start: one in graph mode, one per task in eager mode."""
    issued = [0.0] if mode == "graph" else [row.issued for row in report.host("eager")]
    for index, (launched, start) in enumerate(zip(issued, starts, strict=False)):
        yield from _arrow("acl_to_npu", "async_acl_npu", index, (HOST, 0, launched), (DEVICE, 0, start))


def _arrow(
    name: str, kind: str, index: int, tail: tuple[int, int, float], head: tuple[int, int, float]
) -> Iterator[Event]:  # fmt: skip
    """A flow arrow from the last nanosecond of one bar to the first of another, so that it binds to both."""
    flow = {"name": name, "cat": kind, "id": index}
    yield {**flow, "ph": "s", "pid": tail[0], "tid": tail[1], "ts": _us(round(tail[2] * 1e3) - 1)}
    yield {**flow, "ph": "f", "bp": "e", "pid": head[0], "tid": head[1], "ts": _us(round(head[2] * 1e3))}


class InstructionEvents(NamedTuple):
    """The bars of one instruction, its own one last, and the bar of the instruction that it waited for."""

    bars: tuple[Event, ...]
    predecessor: Event | None


def _instructions(report: Report, starts: Sequence[float]) -> Iterator[InstructionEvents]:
    us = report.chip.us
    for row, start in zip(report.rows, starts, strict=True):
        head = _bar("head", CORES[row.cost.parts[0].core], 0, start, start + us(row.head), detail=row.label)
        yield InstructionEvents((head,), None)
        for part in row.cost.parts:
            yield from _part(row, part, us, start + us(row.head + part.offset))


def _part(row: NodeRow, part: Part, us: Callable[[float], float], start: float) -> Iterator[InstructionEvents]:
    core = CORES[part.core]
    own_bars: list[Event] = []
    for span in part.spans:
        track = QUEUES.index(span.queue) * MAX_SUBTRACKS
        bound = "bandwidth" if span.slowed else span.bound_by
        details = {"detail": row.label, "bytes": span.bytes_moved, "bound_by": bound}
        own_bars.append(_bar(span.name, core, track, start + us(span.start), start + us(span.end), **details))
        begin = start + us(span.start)
        waits = [_bar("WAIT_FLAG", core, track, begin - us(span.wait), begin, bound_by=bound)] if span.wait else []
        predecessor = own_bars[span.after] if span.bound_by in FLAGS and span.after >= 0 else None
        yield InstructionEvents((*waits, own_bars[-1]), predecessor)
    for skip in part.skips:
        name = f"{skip.times} extrapolated iterations"
        yield InstructionEvents((_bar(name, core, 0, start + us(skip.start), start + us(skip.end)),), None)


def _flags(instructions: Iterable[InstructionEvents]) -> Iterator[Event]:
    """Arrows from instructions that set a flag or free a slot, to the instructions that wait for it."""
    pairs = ((instruction.predecessor, instruction.bars[-1]) for instruction in instructions if instruction.predecessor)
    for index, (tail, head) in enumerate(pair for pair in pairs if pair[0]["dur"] and pair[1]["dur"]):
        ends = tail["pid"], tail["tid"], tail["ts"] + tail["dur"]
        yield from _arrow("set_flag", "flag", index, ends, (head["pid"], head["tid"], head["ts"]))


def _assign_sublanes(bars: Iterable[Event]) -> list[Event]:
    """The bars, with overlapping loads of a queue moved to threads of their own (MTE2, MTE2_2)."""
    ends: dict[tuple[int, int], list[float]] = {}
    assigned = sorted(bars, key=lambda bar: (bar["ts"], -bar["dur"]))
    for bar in assigned:
        sublane_ends = ends.setdefault((bar["pid"], bar["tid"]), [])
        row = next(i for i in count() if i == len(sublane_ends) or sublane_ends[i] <= bar["ts"] + 1e-6)
        sublane_ends[row : row + 1] = [bar["ts"] + bar["dur"]]
        bar["tid"] += min(row, MAX_SUBTRACKS - 1)
    return assigned


def _counters(report: Report, starts: Sequence[float]) -> Iterator[Event]:
    """Mean bandwidth of device memory and L2 during each task, in GB/s."""
    for row, start in zip(report.rows, starts, strict=True):
        for level in ("GM", "L2"):
            rate = row.cost.bytes[level] / row.us / 1e3
            yield _counter(f"{level} bandwidth", DEVICE, start, "GB/s", round(rate, 3))


def _occupancy(report: Report) -> Iterator[Event]:
    """Occupied bytes of every buffer, at each change."""
    for usage in occupancy(report):
        process = CORES.get(usage.core, DEVICE)
        for level in usage.levels:
            yield _counter(f"{usage.buffer} bytes", process, report.chip.us(level.at), "bytes", level.bytes)


def _counter(name: str, process: int, at: float, unit: str, value: float) -> Event:
    return {"ph": "C", "name": name, "pid": process, "ts": _us(round(at * 1e3)), "args": {unit: value}}
