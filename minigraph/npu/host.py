"""The host model: one launch per operator (eager mode) or one launch per graph (graph mode), cold and warm.

Eager: the host issues an operator every ``issue_us`` and runs at most ``ahead`` operators ahead of the device; the
device starts an operator when it has been issued and the previous one has ended. Graph: one launch, then all tasks back
to back. The first call adds the one-time work of a framework (device start, kernel loading, capture and passes) and, on
chips that compile kernels at their first use, ``compile_us`` per new operator. Every parameter has an uncertainty band:
published host times vary more than those of kernels.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from minigraph.core.errors import UnknownNameError, did_you_mean
from minigraph.npu.chips.chip_file import check_keys, parameter_of
from minigraph.npu.chips.hardware_parameter import HardwareParameter, parameter_changes

DEFAULT_HOST = "mindspore-cpu-host"
MODES = ("eager", "graph")
BAND_KEYS = ("v", "lo", "hi")


@dataclass(frozen=True)
class Host:
    """One host preset, in microseconds with uncertainty bands.

    ``issue_us``: per operator in eager mode. ``launch_us``: one launch and the synchronisation at its end.
    ``first_eager_us``, ``first_graph_us``: extra time of the first call. ``compile_us``: per new operator, where
    kernels are compiled online. ``ahead``: the depth of the launch queue, in operators.
    """

    name: str
    note: str
    issue_us: HardwareParameter
    launch_us: HardwareParameter
    first_eager_us: HardwareParameter
    first_graph_us: HardwareParameter
    compile_us: HardwareParameter
    ahead: HardwareParameter

    @property
    def what_if(self) -> str:
        """What differs from the shipped preset of this name, as "issue_us 50 -> 10"; empty if nothing does.

        A host of another name differs from the default preset.
        """
        shipped = BUILT_IN.get(self.name, BUILT_IN[DEFAULT_HOST])
        is_new = self.name not in BUILT_IN
        pairs = zip(PARAMETERS, shipped, parameters_of(self), strict=True)
        changes = (parameter_changes(key, old, new, new.v, is_new) for key, old, new in pairs)
        return ", ".join(chain.from_iterable(changes))

    @property
    def label(self) -> str:
        """The name, and the changed parameters: "torch_npu-x86 (what-if: issue_us 46.8 -> 10)"."""
        return f"{self.name} (what-if: {self.what_if})" if self.what_if else self.name

    def first_call(self, mode: str) -> HardwareParameter:
        """Extra time of the first call in "eager" or "graph" mode, without kernel compilation."""
        return self.first_eager_us if mode == "eager" else self.first_graph_us


class Band(NamedTuple):
    """An estimate in microseconds and its uncertainty band."""

    us: float
    lo: float
    hi: float

    def __str__(self) -> str:
        return f"{self.us:,.1f} us ({self.lo:,.1f} to {self.hi:,.1f})"


class HostRow(NamedTuple):
    """One task on both timelines, in microseconds: issue on the host; idle time before, start and end on the device."""

    node: int
    issued: float
    wait: float
    start: float
    end: float


class Task(NamedTuple):
    """The device time of one node in microseconds, head overheads included, with its uncertainty band.

    ``kind``: key of the compiled kernel, "" if kernels are precompiled. ``runs``: operators that the node launches,
    such as the iterations of a loop.
    """

    node: int
    time: Band
    kind: str = ""
    runs: int = 1


def _load_presets() -> dict[str, Host]:
    path = Path(__file__).parent / "hosts.toml"
    return {name: host_of(path.name, name, data) for name, data in tomllib.loads(path.read_text("utf-8")).items()}


def host_of(where: str, name: str, entries: dict[str, object]) -> Host:
    """The preset in one table of a hosts file; raises ``ChipError`` with file and key for an invalid entry."""
    field_names = [field.name for field in fields(Host) if field.name != "name"]
    check_keys(where, f"{name}.", entries, field_names, "another preset of the file")
    parameters_by_key = {key: parameter_of(where, f"{name}.{key}", entries[key]) for key in entries if key != "note"}
    return Host(name, str(entries["note"]), **parameters_by_key)


PARAMETERS = tuple(field.name for field in fields(Host) if field.name not in ("name", "note"))


def parameters_of(host: Host) -> tuple[HardwareParameter, ...]:
    """The parameters of a host, in the order of ``PARAMETERS``."""
    return tuple(getattr(host, key) for key in PARAMETERS)


HOSTS: dict[str, Host] = _load_presets()
# The parameters as shipped, which neither an entry of ``HOSTS`` nor an attribute of a ``Host`` changes.
BUILT_IN: Mapping[str, tuple[HardwareParameter, ...]] = MappingProxyType(
    {name: parameters_of(host) for name, host in HOSTS.items()}
)


def host_named(name: str | Host) -> Host:
    """The preset of that name; a ``Host`` is returned as it is. Raises ``UnknownNameError`` with the nearest name.

    An entry of ``HOSTS`` under another name than its own takes the name of the entry.
    """
    if isinstance(name, Host):
        return name
    if name not in HOSTS:
        raise UnknownNameError(f"no host preset '{name}'{did_you_mean(name, HOSTS)}")
    host = HOSTS[name]
    return host if host.name == name else replace(host, name=name)


def host_rows(tasks: Sequence[Task], host: Host, mode: str, band: str = "v") -> list[HostRow]:
    """Both timelines of a warm run, without the final synchronisation; ``band`` is "v", "lo" or "hi".

    >>> rows = host_rows([Task(1, Band(6, 3, 21)), Task(2, Band(6, 3, 21))], HOSTS["torch_npu-aarch64"], "eager")
    >>> [(row.issued, round(row.wait, 1), round(row.end, 1)) for row in rows]
    [(70.3, 70.3, 76.3), (140.6, 64.3, 146.6)]
    """
    issue_time = getattr(host.issue_us, band) if mode == "eager" else 0.0
    ahead = int(getattr(host.ahead, band))
    rows: list[HostRow] = []
    device_free = issued = 0.0
    for number, task in enumerate(tasks):
        queue_free = rows[number - ahead].start if number >= ahead else 0.0
        first_issued = max(issued, queue_free) + issue_time
        issued = first_issued + (task.runs - 1) * issue_time
        start = max(device_free, first_issued)
        time = task.time.us if band == "v" else getattr(task.time, band)
        end = max(start + time, issued + time / task.runs)
        rows.append(HostRow(task.node, first_issued, start - device_free, start, end))
        device_free = end
    return rows


def wall_time(tasks: Sequence[Task], host: Host, mode: str, cold: bool = False) -> Band:
    """Wall-clock time of a run with its uncertainty band; ``cold``: the first run of the process.

    Raises ``UnknownNameError`` for a mode other than "eager" and "graph".
    """
    if mode not in MODES:
        raise UnknownNameError(f"no mode '{mode}'{did_you_mean(mode, MODES)}")
    return Band(*(_warm_us(tasks, host, mode, b) + (_cold_us(tasks, host, mode, b) if cold else 0) for b in BAND_KEYS))


def kernels_to_compile(tasks: Sequence[Task]) -> int:
    """How many kernels the first call compiles."""
    return len({task.kind for task in tasks if task.kind})


def _warm_us(tasks: Sequence[Task], host: Host, mode: str, band: str) -> float:
    rows = host_rows(tasks, host, mode, band)
    return (rows[-1].end if rows else 0.0) + float(getattr(host.launch_us, band))


def _cold_us(tasks: Sequence[Task], host: Host, mode: str, band: str) -> float:
    return float(getattr(host.first_call(mode), band) + kernels_to_compile(tasks) * getattr(host.compile_us, band))
