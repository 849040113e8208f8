"""The result of a simulation: per task, per queue and per memory level, with the host's timeline.

``str(report)`` is a table for terminals, notebooks show it as HTML, and ``report.spans`` is the timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from minigraph.core.context import svg_of
from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.errors import MinigraphError
from minigraph.core.lazy import cached_property
from minigraph.npu.basis import Basis
from minigraph.npu.chips.chip import Chip
from minigraph.npu.efficiency import band_legend
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.engine.resource_use import LEVELS
from minigraph.npu.host import MODES, Band, Host, HostRow, Task, host_rows, wall_time
from minigraph.npu.job_cost import VERDICT_LEGEND
from minigraph.npu.report_rows import COLUMNS, NodeRow, TimelineSkip, TimelineSpan, first_cycle, spans_of

SHOWN_TASKS = 100  # rows of the table in a terminal or a notebook


class QueueCycles(NamedTuple):
    """Cycles in which one queue was busy, waiting for other queues, and idle; they add up to the run."""

    busy: int
    wait: int
    idle: int


@dataclass(frozen=True, eq=False)
class Report:
    """A simulated run of a graph: one row per task, in sequence, as in graph mode.

    ``eager_us`` and ``graph_us`` include the host: one launch per operator of the captured function, and one launch of
    the graph. ``eager_run`` simulates the former when it is needed; without it, each task is an operator.
    ``device_bytes``: device memory that the graph needs at least.
    """

    title: str
    chip: Chip
    host_preset: Host
    engine: str
    rows: tuple[NodeRow, ...]
    eager_run: Callable[[], Report] | None = None
    device_bytes: int = 0

    def __post_init__(self) -> None:
        for (core, queue), counts in self.queues.items():
            if sum(counts) != self.cycles or min(counts) < 0:
                raise MinigraphError(
                    f"simulator: {core} {queue} accounts for {sum(counts)} of {self.cycles} cycles; this is a bug "
                    "in minigraph.npu, please report it"
                )

    # ---- totals ------------------------------------------------------------------------------------

    @property
    def mhz(self) -> float:
        """The clock: cycles per microsecond."""
        return self.chip.cores.freq_mhz

    @cached_property
    def cycles(self) -> int:
        """Device cycles of all tasks, head overheads included."""
        return sum(row.cycles for row in self.rows)

    @property
    def us(self) -> float:
        """Device microseconds of all tasks, head overheads included."""
        return self.chip.us(self.cycles)

    @property
    def bound_us(self) -> float:
        """Lower bound for any schedule: the sum of the tasks' roofline bounds, without head overheads."""
        return self.chip.us(sum(row.cost.bound for row in self.rows))

    @cached_property
    def queues(self) -> Mapping[tuple[str, str], QueueCycles]:
        """The cycles of every queue of the busiest cube core ("aic") and the busiest vector core ("aiv")."""
        cycles = {}
        for core in ("aic", "aiv"):
            parts = [part for row in self.rows for part in row.cost.parts if part.core == core]
            heads = sum(row.head for row in self.rows if row.cost.parts[0].core == core)
            for queue in QUEUES:
                busy = sum(part.busy[queue] for part in parts) + (heads if queue == "S" else 0)
                wait = sum(part.wait[queue] for part in parts)
                cycles[core, queue] = QueueCycles(busy, wait, self.cycles - busy - wait)
        return cycles

    @cached_property
    def busy(self) -> dict[str, int]:
        """Busy cycles of each queue, cube and vector cores together; S is busy during a task's head."""
        return {queue: self.queues["aic", queue].busy + self.queues["aiv", queue].busy for queue in QUEUES}

    @cached_property
    def bytes(self) -> dict[str, float]:
        """Traffic in bytes of each memory level, summed over all cores."""
        return {level: sum(row.cost.bytes[level] for row in self.rows) for level in LEVELS}

    @cached_property
    def critical(self) -> dict[str, float]:
        """Cycles of the critical path by cause, longest first; "head" is the start-up of every task."""
        cycles = {"head": float(sum(row.head for row in self.rows))}
        for row in self.rows:
            for cause, part in row.cost.critical.items():
                cycles[cause] = cycles.get(cause, 0.0) + part
        return dict(sorted(cycles.items(), key=lambda item: -item[1]))

    # ---- host --------------------------------------------------------------------------------------

    @property
    def tasks(self) -> list[Task]:
        """The device time of every task with its uncertainty, for the host model."""
        return [row.task for row in self.rows]

    @cached_property
    def eager(self) -> Report:
        """The run in eager mode, where every operator is a task."""
        return self if self.eager_run is None else self.eager_run()

    def host(self, mode: str) -> list[HostRow]:
        """Host and device timelines of a warm run in "eager" or "graph" mode, one row per task of that mode."""
        return host_rows((self.eager if mode == "eager" else self).tasks, self.host_preset, mode)

    @cached_property
    def times(self) -> dict[tuple[str, str], Band]:
        """Wall-clock microseconds of a run, by ("cold" or "warm", "eager" or "graph")."""
        return {
            (start, mode): wall_time(tasks, self.host_preset, mode, start == "cold")
            for start in ("cold", "warm")
            for mode, tasks in zip(MODES, (self.eager.tasks, self.tasks), strict=True)
        }

    @property
    def eager_us(self) -> float:
        """Microseconds of a warm eager run: one launch per operator."""
        return self.times["warm", "eager"].us

    @property
    def graph_us(self) -> float:
        """Microseconds of a warm graph run: one launch."""
        return self.times["warm", "graph"].us

    # ---- timeline ----------------------------------------------------------------------------------

    @cached_property
    def spans(self) -> tuple[TimelineSpan, ...]:
        """All simulated instructions and task heads on one time axis; the analytic engine has only heads."""
        return tuple(span for row in self.rows for span in spans_of(row))

    @cached_property
    def skips(self) -> tuple[TimelineSkip, ...]:
        """The iterations of long loops that were extrapolated, not simulated one by one."""
        return tuple(
            TimelineSkip(part.core, start + skip.start, start + skip.end, skip.times)
            for row in self.rows
            for part in row.cost.parts
            for start in [first_cycle(row, part)]
            for skip in part.skips
        )

    # ---- text --------------------------------------------------------------------------------------

    def table(self, limit: int | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The column names and one row of text per task, for the first ``limit`` tasks (``None``: all)."""
        return COLUMNS, [row.cells() for row in self.rows[:limit]]

    @property
    def fits(self) -> bool:
        """Whether the graph's values fit the chip's device memory."""
        return not self.basis.memory

    @property
    def notes(self) -> list[str]:
        """Notes on device memory that is too small, idle units and costs that are not modelled, each with its tasks."""
        nodes_by_note: dict[str, list[str]] = {}
        for row in self.rows:
            for note in row.cost.layout.notes:
                nodes_by_note.setdefault(note, []).append(f"%{row.node}")
        notes = [f"{note} ({_node_list(nodes)})" for note, nodes in nodes_by_note.items()]
        return [*filter(None, [self.basis.memory]), *notes]

    @property
    def basis(self) -> Basis:
        """What the prediction rests on: chip, host, bands of kernels, and the needed device memory."""
        return Basis(self.chip, self.host_preset, self.device_bytes)

    @property
    def what_if(self) -> str:
        """The changed parameters of the chip, of the host and of the bands of kernels; empty if none is."""
        return self.basis.what_if

    @property
    def label(self) -> str:
        """The chip with its grade; the host and the bands of kernels if they are what-ifs; the memory if too small."""
        return self.basis.label

    standing = DeprecatedAttribute("calibration")

    @property
    def calibration(self) -> str:
        """Whether the chip is calibrated, nominal or a what-if, and why; host and bands if they are what-ifs."""
        return self.basis.calibration

    def summary(self) -> list[str]:
        """The totals as lines of text."""
        warm, cold = (" ".join(f"{mode} {self.times[start, mode]}" for mode in MODES) for start in ("warm", "cold"))
        busy = ", ".join(f"{queue} {cycles:,}" for queue, cycles in self.busy.items() if cycles)
        levels = ", ".join(f"{level} {bytes_moved / 1e6:,.3f} MB" for level, bytes_moved in self.bytes.items())
        causes = ", ".join(
            f"{cause} {cycles / max(self.cycles, 1):.0%}" for cause, cycles in list(self.critical.items())[:5]
        )
        totals = f"{self.title} on {self.label}: {self._task_count}, {self.cycles:,} cycles = {self.us:,.2f} us"
        return [
            f"{totals}, lower bound {self.bound_us:,.2f} us ({self.engine} engine)",
            f"busy cycles: {busy}",
            f"memory traffic: {levels}",
            f"critical path: {causes}",
            f"warm: {warm}",
            f"cold: {cold} ({self.host_preset.label})",
            self.calibration,
            *self.notes,
            band_legend(),
            VERDICT_LEGEND,
        ]

    def __str__(self) -> str:
        columns, rows = self.table(SHOWN_TASKS)
        cells = [columns, *rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
        lines = ["  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([*self.summary(), "", *lines, *self._truncation_note])

    def __repr__(self) -> str:
        return f"<report {self.title} on {self.label}: {self._task_count}, {self.cycles:,} cycles>"

    def _repr_svg_(self) -> str | None:
        return svg_of(self)

    def _repr_html_(self) -> str:
        columns, rows = self.table(SHOWN_TASKS)
        head = "".join(f"<th>{escape(column)}</th>" for column in columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in self.summary())
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{''.join(self._truncation_note)}"
        return f"<div>{self._repr_svg_() or ''}{paragraphs}{table}</div>"

    @property
    def _task_count(self) -> str:
        return f"{len(self.rows):,} task{'s' * (len(self.rows) != 1)}"

    @property
    def _truncation_note(self) -> list[str]:
        hidden = len(self.rows) - SHOWN_TASKS
        return [f"and {hidden:,} more; report.table() has all"] if hidden > 0 else []


def _node_list(nodes: list[str]) -> str:
    return ", ".join(nodes[:6]) + (f" and {len(nodes) - 6} more" if len(nodes) > 6 else "")
