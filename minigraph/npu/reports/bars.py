"""The four bars of a program, eager and graph, cold and warm: what each is made of, and what their ratios contain.

A single "graph mode is N times faster" mixes two things that have nothing to do with each other: what a framework
does once, and what it does every time. Four bars keep them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minigraph.npu.host import BANDS, MODES, Band, Host, Task, compiled, host_rows, total
from minigraph.npu.reports.sheet import Sheet

STARTS = ("cold", "warm")


class Piece(NamedTuple):
    """One piece of a bar: what takes the time, how long, and where that figure comes from."""

    what: str
    time: Band
    src: str


class Bar(NamedTuple):
    """One bar: "cold" or "warm", "eager" or "graph", its whole time, and its pieces; their estimates add up to it."""

    start: str
    mode: str
    time: Band
    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        """Such as "cold eager"."""
        return f"{self.start} {self.mode}"


def four_bars(tasks: Sequence[Task], host: Host, graph: Sequence[Task] | None = None) -> tuple[Bar, ...]:
    """Cold eager, cold graph, warm eager, warm graph; ``graph`` are graph mode's tasks, if passes left other ones."""
    ran = {"eager": tasks, "graph": tasks if graph is None else graph}
    return tuple(
        Bar(start, mode, total(ran[mode], host, mode, cold), _pieces(ran[mode], host, mode, cold))
        for start, cold in ((start, start == "cold") for start in STARTS)
        for mode in MODES
    )


def _pieces(tasks: Sequence[Task], host: Host, mode: str, cold: bool) -> tuple[Piece, ...]:
    device = Band(*(sum(getattr(task.time, name) for task in tasks) for name in Band._fields))
    rows = {band: host_rows(tasks, host, mode, band) for band in BANDS}
    ends = Band(*(rows[band][-1].end if rows[band] else 0.0 for band in BANDS))
    waits = [max(0.0, end - busy) for end, busy in zip(ends, device, strict=True)]
    found = [Piece("device at work", device, "the simulated chip")]
    if mode == "eager":
        band = Band(waits[0], min(waits), max(waits))
        found.append(Piece("device waiting for the host to issue", band, host.issue_us.src))
    found.append(Piece("launch, and wait for the end", _band_of(host, "launch_us"), host.launch_us.src))
    if cold:
        first = "first_eager_us" if mode == "eager" else "first_graph_us"
        what = "first call: device start" + (", capture, passes, build" if mode == "graph" else "")
        found.append(Piece(what, _band_of(host, first), host.first(mode).src))
    count = compiled(tasks) if cold else 0
    if count:
        each = _band_of(host, "compile_us")
        band = Band(*(count * time for time in each))
        found.append(Piece(f"compiling {count} operator{'s' * (count != 1)}", band, host.compile_us.src))
    return tuple(found)


def _band_of(host: Host, name: str) -> Band:
    figure = getattr(host, name)
    return Band(figure.v, figure.lo, figure.hi)


def verdict(tasks: Sequence[Task], host: Host) -> str:
    """Who an eager run waits for: the host or the device, with the two times that decide it.

    >>> from minigraph.npu.host import HOSTS
    >>> verdict([Task(1, Band(6, 3, 21))], HOSTS["torch_npu-aarch64"])
    'host-bound: an operator is issued every 70.3 us, the device needs 6.0 us for one'
    """
    count = sum(task.runs for task in tasks)
    mean = sum(task.time.us for task in tasks) / max(count, 1)
    who = "host" if host.issue_us.v > mean else "device"
    return f"{who}-bound: an operator is issued every {host.issue_us.v:.1f} us, the device needs {mean:.1f} us for one"


def ratios(bars: Sequence[Bar]) -> list[str]:
    """What a published "graph is N times faster" contains, as sentences."""
    time = {bar.name: bar.time for bar in bars}
    mixed = time["cold eager"].us / time["warm graph"].us
    cold, warm = (time[f"{start} eager"].us / time[f"{start} graph"].us for start in STARTS)
    ends = [a / b for a, b in zip(time["warm eager"], time["warm graph"], strict=True)]
    once = 1 - time["warm eager"].us / time["cold eager"].us
    further = f"graph is {_times(warm)} as fast ({_times(min(ends))} to {_times(max(ends))})"
    cold_part = f"{'mostly' if once > 0.5 else 'partly'} cold start, and so is a published 30x"
    return [
        f"warm against warm, {further}: what every further call gains",
        f"cold against cold {_times(cold)}; a cold eager run against a warm graph {_times(mixed)}",
        f"{once:.0%} of the cold eager run happens once: a ratio measured without warming up is {cold_part}",
    ]


def bars_sheet(bars: Sequence[Bar], notes: Sequence[str] = ()) -> Sheet:
    """Every bar and, below it, its pieces with their sources; milliseconds with their bands."""
    rows: list[tuple[str, str, float, float, float, str]] = []
    for bar in bars:
        rows.append((bar.name, "whole run", *_ms(bar.time), ""))
        rows += [("", piece.what, *_ms(piece.time), piece.src) for piece in bar.pieces]
    columns = ("bar", "what", "ms", "from", "to", "source")
    return Sheet("eager against graph, the host included", columns, tuple(rows), (*notes, *ratios(bars)))


def _ms(time: Band) -> tuple[float, float, float]:
    return time.us / 1e3, time.lo / 1e3, time.hi / 1e3


def _times(ratio: float) -> str:
    return f"{ratio:,.1f} times" if ratio < 100 else f"{ratio:,.0f} times"
