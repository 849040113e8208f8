"""Host and device together: one launch per operator (eager) against one launch per graph, cold and warm.

Eager: the host issues an operator every ``issue_us``, at most ``ahead`` of them before the device; the device starts
one when it is issued and the one before has ended. Graph: one launch, then the tasks back to back. The first call
ever adds what a framework does once (device start, kernel loading, capture and passes) and, on chips whose kernels
are compiled at first use, ``compile_us`` for each operator not seen before. Every figure has a band, because
published host times differ by more than any kernel does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

from minigraph.core.errors import UnknownName, did_you_mean
from minigraph.npu.chips.chip_file import figure_of, same_keys
from minigraph.npu.chips.figure import Figure

DEFAULT_HOST = "mindspore-cpu-host"
MODES = ("eager", "graph")
BANDS = ("v", "lo", "hi")


@dataclass(frozen=True)
class Host:
    """One host preset, microseconds with their bands.

    ``issue_us`` per operator in eager mode, ``launch_us`` for one launch and the wait for its end,
    ``first_eager_us`` and ``first_graph_us`` what the first call adds, ``compile_us`` what each operator not seen
    before adds where kernels are compiled online; ``ahead`` operators may be issued before the device takes them.
    """

    name: str
    note: str
    issue_us: Figure
    launch_us: Figure
    first_eager_us: Figure
    first_graph_us: Figure
    compile_us: Figure
    ahead: Figure

    def first(self, mode: str) -> Figure:
        """What the first call adds in "eager" or "graph" mode, compilation of kernels apart."""
        return self.first_eager_us if mode == "eager" else self.first_graph_us


class Band(NamedTuple):
    """An estimate in microseconds and its band."""

    us: float
    lo: float
    hi: float

    def __str__(self) -> str:
        return f"{self.us:,.1f} us ({self.lo:,.1f} to {self.hi:,.1f})"


class HostRow(NamedTuple):
    """One task on both timelines, microseconds: issued by the host, then wait, start and end on the device."""

    node: int
    issued: float
    wait: float
    start: float
    end: float


class Task(NamedTuple):
    """One node's device time in microseconds, heads included, with its band.

    ``kind`` tells operators apart that are compiled apart, "" where nothing is compiled; ``runs`` is how many
    operators the node stands for (the rounds of a loop).
    """

    node: int
    time: Band
    kind: str = ""
    runs: int = 1


def _presets() -> dict[str, Host]:
    path = Path(__file__).parent / "hosts.toml"
    return {name: host_of(path.name, name, data) for name, data in tomllib.loads(path.read_text("utf-8")).items()}


def host_of(where: str, name: str, entries: dict[str, object]) -> Host:
    """The preset of one table of a hosts file; raises ``ChipError`` naming file and key for anything wrong in it."""
    wanted = [field.name for field in fields(Host) if field.name != "name"]
    same_keys(where, f"{name}.", entries, wanted, "another preset of the file")
    figures = {key: figure_of(where, f"{name}.{key}", entries[key]) for key in entries if key != "note"}
    return Host(name, str(entries["note"]), **figures)


HOSTS: dict[str, Host] = _presets()


def host_named(name: str | Host) -> Host:
    """The preset of that name (a ``Host`` is returned as it is); raises ``UnknownName`` with the nearest."""
    if isinstance(name, Host):
        return name
    if name not in HOSTS:
        raise UnknownName(f"no host preset '{name}'{did_you_mean(name, HOSTS)}")
    return HOSTS[name]


def host_rows(tasks: Sequence[Task], host: Host, mode: str, band: str = "v") -> list[HostRow]:
    """Both timelines of a warm run, without the final wait; ``band`` is "v", "lo" or "hi".

    >>> rows = host_rows([Task(1, Band(6, 3, 21)), Task(2, Band(6, 3, 21))], HOSTS["torch_npu-aarch64"], "eager")
    >>> [(row.issued, round(row.wait, 1), round(row.end, 1)) for row in rows]
    [(70.3, 70.3, 76.3), (140.6, 64.3, 146.6)]
    """
    step = getattr(host.issue_us, band) if mode == "eager" else 0.0
    ahead = int(getattr(host.ahead, band))
    rows: list[HostRow] = []
    ended = issued = 0.0
    for number, task in enumerate(tasks):
        full = rows[number - ahead].start if number >= ahead else 0.0
        first = max(issued, full) + step
        issued = first + (task.runs - 1) * step
        start = max(ended, first)
        time = _time(task, band)
        end = max(start + time, issued + time / task.runs)
        rows.append(HostRow(task.node, first, start - ended, start, end))
        ended = end
    return rows


def total(tasks: Sequence[Task], host: Host, mode: str, cold: bool = False) -> Band:
    """Wall-clock time of a run with its band; ``cold`` is the first one ever.

    Raises ``UnknownName`` for a mode other than "eager" and "graph".
    """
    if mode not in MODES:
        raise UnknownName(f"no mode '{mode}'{did_you_mean(mode, MODES)}")
    return Band(*(_wall(tasks, host, mode, band) + (_first(tasks, host, mode, band) if cold else 0) for band in BANDS))


def compiled(tasks: Sequence[Task]) -> int:
    """How many operators the first call compiles."""
    return len({task.kind for task in tasks if task.kind})


def bubbles(rows: Sequence[HostRow]) -> float:
    """The part of the device's time, from its first task on, spent waiting for the host."""
    busy = rows[-1].end - rows[0].start if rows else 0.0
    return sum(row.wait for row in rows[1:]) / busy if busy else 0.0


def _time(task: Task, band: str) -> float:
    return task.time.us if band == "v" else task.time.lo if band == "lo" else task.time.hi


def _wall(tasks: Sequence[Task], host: Host, mode: str, band: str) -> float:
    rows = host_rows(tasks, host, mode, band)
    return (rows[-1].end if rows else 0.0) + float(getattr(host.launch_us, band))


def _first(tasks: Sequence[Task], host: Host, mode: str, band: str) -> float:
    return float(getattr(host.first(mode), band) + compiled(tasks) * getattr(host.compile_us, band))
