"""The run time of a program, eager and graph mode, cold and warm: four stacked bars, and what their ratios contain.

A single "graph mode is N times faster" mixes the one-time work of a framework with the work of every call. Four bars
separate them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minigraph.npu.host import BAND_KEYS, MODES, Band, Host, Task, host_rows, kernels_to_compile, wall_time
from minigraph.npu.reports.sheet import Sheet

STARTS = ("cold", "warm")


class Segment(NamedTuple):
    """One segment of a bar: the activity, its duration, and the source of that value."""

    what: str
    time: Band
    src: str


class Bar(NamedTuple):
    """One bar: "cold" or "warm", "eager" or "graph", its total time, and the segments that add up to it."""

    start: str
    mode: str
    time: Band
    segments: tuple[Segment, ...]

    @property
    def name(self) -> str:
        """Such as "cold eager"."""
        return f"{self.start} {self.mode}"


def four_bars(tasks: Sequence[Task], host: Host, graph: Sequence[Task] | None = None) -> tuple[Bar, ...]:
    """Cold eager, cold graph, warm eager, warm graph; ``graph``: the tasks of graph mode, if passes changed them."""
    by_mode = {"eager": tasks, "graph": tasks if graph is None else graph}
    return tuple(
        Bar(start, mode, wall_time(by_mode[mode], host, mode, cold), _segments(by_mode[mode], host, mode, cold))
        for start, cold in ((start, start == "cold") for start in STARTS)
        for mode in MODES
    )


def _segments(tasks: Sequence[Task], host: Host, mode: str, cold: bool) -> tuple[Segment, ...]:
    device = Band(*(sum(getattr(task.time, name) for task in tasks) for name in Band._fields))
    rows = {band: host_rows(tasks, host, mode, band) for band in BAND_KEYS}
    run_end = Band(*(rows[band][-1].end if rows[band] else 0.0 for band in BAND_KEYS))
    waiting = [max(0.0, end - busy) for end, busy in zip(run_end, device, strict=True)]
    segments = [Segment("device busy", device, "the simulated chip")]
    if mode == "eager":
        band = Band(waiting[0], min(waiting), max(waiting))
        segments.append(Segment("device waiting for the host to issue operators", band, host.issue_us.src))
    segments.append(Segment("launch and synchronisation", _band_of(host, "launch_us"), host.launch_us.src))
    if cold:
        first = "first_eager_us" if mode == "eager" else "first_graph_us"
        text = "first call: device start" + (", capture, passes, build" if mode == "graph" else "")
        segments.append(Segment(text, _band_of(host, first), host.first_call(mode).src))
    count = kernels_to_compile(tasks) if cold else 0
    if count:
        compile_band = _band_of(host, "compile_us")
        band = Band(*(count * time for time in compile_band))
        segments.append(Segment(f"compilation of {count} operator{'s' * (count != 1)}", band, host.compile_us.src))
    return tuple(segments)


def _band_of(host: Host, name: str) -> Band:
    parameter = getattr(host, name)
    return Band(parameter.v, parameter.lo, parameter.hi)


def verdict(tasks: Sequence[Task], host: Host) -> str:
    """Whether an eager run is host-bound or device-bound, with the two times that decide it.

    >>> from minigraph.npu.host import HOSTS
    >>> verdict([Task(1, Band(6, 3, 21))], HOSTS["torch_npu-aarch64"])
    'host-bound: the host issues an operator every 70.3 us, the device executes one in 6.0 us'
    """
    count = sum(task.runs for task in tasks)
    mean = sum(task.time.us for task in tasks) / max(count, 1)
    side, issue_us = "host" if host.issue_us.v > mean else "device", host.issue_us.v
    return (
        f"{side}-bound: the host issues an operator every {issue_us:.1f} us, the device executes one in {mean:.1f} us"
    )


def ratios(bars: Sequence[Bar]) -> list[str]:
    """The components of a published "graph is N times faster", as sentences."""
    time = {bar.name: bar.time for bar in bars}
    cold, warm = (time[f"{start} eager"].us / time[f"{start} graph"].us for start in STARTS)
    bounds = [a / b for a, b in zip(time["warm eager"], time["warm graph"], strict=True)]
    one_time = 1 - time["warm eager"].us / time["cold eager"].us
    mixed = _factor(time["cold eager"].us / time["warm graph"].us)
    published = f"{'mostly' if one_time > 0.5 else 'partly'} cold start, as in a published 30x"
    band = f"({_factor(min(bounds))} to {_factor(max(bounds))})"
    return [
        f"warm: graph mode speed-up over eager {_factor(warm)} {band}, the gain for every later call",
        f"cold: graph mode speed-up over eager {_factor(cold)}; cold eager run over warm graph run {mixed}",
        f"one-time work is {one_time:.0%} of the cold eager run: a ratio measured without warm-up is {published}",
    ]


def bars_sheet(bars: Sequence[Bar], notes: Sequence[str] = (), what_if: str = "", memory: str = "") -> Sheet:
    """Every bar and, below it, its segments with their sources, in milliseconds with uncertainty bands.

    ``what_if``: the changed parameters of the chip. ``memory``: why the program does not fit its device memory.
    """
    rows: list[tuple[str, str, float, float, float, str]] = []
    for bar in bars:
        rows.append((bar.name, "total", *_ms(bar.time), ""))
        rows += [("", segment.what, *_ms(segment.time), segment.src) for segment in bar.segments]
    columns = ("bar", "segment", "ms", "low", "high", "source")
    title = "run time in eager and graph mode, host included"
    return Sheet(title, columns, tuple(rows), (*notes, *ratios(bars)), what_if, memory=memory)


def _ms(time: Band) -> tuple[float, float, float]:
    return time.us / 1e3, time.lo / 1e3, time.hi / 1e3


def _factor(ratio: float) -> str:
    return f"{ratio:,.1f}x" if ratio < 100 else f"{ratio:,.0f}x"
