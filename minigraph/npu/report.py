"""What a simulation tells: per task, per queue, per memory level, and against the host.

``str(report)`` is a table for terminals, a notebook shows the same as HTML, ``report.spans`` is the timeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import NamedTuple

from minigraph.core.context import drawn
from minigraph.core.errors import MinigraphError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.engine.resource_use import LEVELS
from minigraph.npu.host import MODES, Band, Host, HostRow, Task, host_rows, total
from minigraph.npu.report_rows import COLUMNS, NodeRow, TimelineSkip, TimelineSpan, begin, spans_of

SHOWN = 100  # tasks in a text or a notebook


class Account(NamedTuple):
    """Cycles one queue was busy, waited for others, and had nothing to do; together the whole run."""

    busy: int
    wait: int
    idle: int


@dataclass(frozen=True, eq=False)
class Report:
    """A simulated run of a graph: one row per task, back to back as one launched graph runs them.

    ``eager_us`` and ``graph_us`` add the host: one launch per task against one launch in all.
    """

    title: str
    chip: Chip
    host_preset: Host
    engine: str
    rows: tuple[NodeRow, ...]

    def __post_init__(self) -> None:
        for (core, queue), account in self.queues.items():
            if sum(account) != self.cycles or min(account) < 0:
                raise MinigraphError(
                    f"simulator: {core} {queue} accounts for {sum(account)} of {self.cycles} cycles; this is a bug "
                    "in minigraph.npu, please report it"
                )

    # ---- totals ------------------------------------------------------------------------------------

    @property
    def mhz(self) -> float:
        """The clock: cycles per microsecond."""
        return self.chip.cores.freq_mhz

    @cached_property
    def cycles(self) -> int:
        """Device cycles of all tasks, heads included."""
        return sum(row.cycles for row in self.rows)

    @property
    def us(self) -> float:
        """Device microseconds of all tasks, heads included."""
        return self.chip.us(self.cycles)

    @property
    def bound_us(self) -> float:
        """No schedule is faster: the sum of every task's roofline bound, without heads."""
        return self.chip.us(sum(row.cost.bound for row in self.rows))

    @cached_property
    def queues(self) -> Mapping[tuple[str, str], Account]:
        """The account of every queue of the busiest cube core ("aic") and vector core ("aiv")."""
        found = {}
        for core in ("aic", "aiv"):
            parts = [part for row in self.rows for part in row.cost.parts if part.core == core]
            heads = sum(row.head for row in self.rows if row.cost.parts[0].core == core)
            for queue in QUEUES:
                busy = sum(part.busy[queue] for part in parts) + (heads if queue == "S" else 0)
                wait = sum(part.wait[queue] for part in parts)
                found[core, queue] = Account(busy, wait, self.cycles - busy - wait)
        return found

    @cached_property
    def busy(self) -> dict[str, int]:
        """Cycles each queue was busy, cube and vector cores together; S is busy during a task's head."""
        return {queue: self.queues["aic", queue].busy + self.queues["aiv", queue].busy for queue in QUEUES}

    @cached_property
    def bytes(self) -> dict[str, float]:
        """Bytes through each memory level, all cores together."""
        return {level: sum(row.cost.bytes[level] for row in self.rows) for level in LEVELS}

    @cached_property
    def critical(self) -> dict[str, float]:
        """Cycles of the critical path by what bound it, longest first; "head" is the start of every task."""
        found = {"head": float(sum(row.head for row in self.rows))}
        for row in self.rows:
            for cause, taken in row.cost.critical.items():
                found[cause] = found.get(cause, 0.0) + taken
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    # ---- host --------------------------------------------------------------------------------------

    @property
    def tasks(self) -> list[Task]:
        """Every task's device time with its band, for the host model."""
        return [row.task for row in self.rows]

    def host(self, mode: str) -> list[HostRow]:
        """Host and device timelines of a warm run in "eager" or "graph" mode, one row per task."""
        return host_rows(self.tasks, self.host_preset, mode)

    @cached_property
    def times(self) -> dict[tuple[str, str], Band]:
        """Wall-clock microseconds of a run, by ("cold" or "warm", "eager" or "graph")."""
        return {
            (start, mode): total(self.tasks, self.host_preset, mode, start == "cold")
            for start in ("cold", "warm")
            for mode in MODES
        }

    @property
    def eager_us(self) -> float:
        """Microseconds of a warm eager run: every operator launched by the host."""
        return self.times["warm", "eager"].us

    @property
    def graph_us(self) -> float:
        """Microseconds of a warm graph run: one launch."""
        return self.times["warm", "graph"].us

    # ---- timeline ----------------------------------------------------------------------------------

    @cached_property
    def spans(self) -> tuple[TimelineSpan, ...]:
        """Every stepped instruction and every task head, on one time axis; only heads by the analytic engine."""
        return tuple(span for row in self.rows for span in spans_of(row))

    @cached_property
    def skips(self) -> tuple[TimelineSkip, ...]:
        """The stretches of long loops that were carried forward."""
        return tuple(
            TimelineSkip(part.core, at + skip.start, at + skip.end, skip.times)
            for row in self.rows
            for part in row.cost.parts
            for at in [begin(row, part)]
            for skip in part.skips
        )

    # ---- text --------------------------------------------------------------------------------------

    def table(self, most: int | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The column names and one row of text per task, for the first ``most`` tasks (``None``: all)."""
        return COLUMNS, [row.cells() for row in self.rows[:most]]

    @property
    def notes(self) -> list[str]:
        """What the figures leave out or what stays idle, each with the tasks it concerns."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            for note in row.cost.layout.notes:
                found.setdefault(note, []).append(f"%{row.node}")
        return [f"{note} ({_listed(nodes)})" for note, nodes in found.items()]

    @property
    def standing(self) -> str:
        """How far the chip's figures can be trusted, and why."""
        return self.chip.standing

    def summary(self) -> list[str]:
        """The totals as lines of text."""
        warm, cold = (" ".join(f"{mode} {self.times[start, mode]}" for mode in MODES) for start in ("warm", "cold"))
        busy = ", ".join(f"{queue} {cycles:,}" for queue, cycles in self.busy.items() if cycles)
        levels = ", ".join(f"{level} {moved / 1e6:,.3f} MB" for level, moved in self.bytes.items())
        path = ", ".join(
            f"{cause} {taken / max(self.cycles, 1):.0%}" for cause, taken in list(self.critical.items())[:5]
        )
        first = f"{self.title} on {self.chip.label}: {self._count}, {self.cycles:,} cycles = {self.us:,.2f} us"
        return [
            f"{first}, at least {self.bound_us:,.2f} us ({self.engine} engine)",
            f"busy cycles: {busy}",
            f"bytes: {levels}",
            f"critical path: {path}",
            f"warm: {warm}",
            f"cold: {cold} ({self.host_preset.name})",
            self.standing,
            *self.notes,
        ]

    def __str__(self) -> str:
        columns, rows = self.table(SHOWN)
        cells = [columns, *rows]
        wide = [max(len(row[i]) for row in cells) for i in range(len(columns))]
        lines = ["  ".join(cell.ljust(size) for cell, size in zip(row, wide, strict=True)).rstrip() for row in cells]
        return "\n".join([*self.summary(), "", *lines, *self._left_out])

    def __repr__(self) -> str:
        return f"<report {self.title} on {self.chip.name}: {self._count}, {self.cycles:,} cycles>"

    def _repr_svg_(self) -> str | None:
        return drawn(self)

    def _repr_html_(self) -> str:
        columns, rows = self.table(SHOWN)
        head = "".join(f"<th>{escape(column)}</th>" for column in columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        told = "".join(f"<p>{escape(line)}</p>" for line in self.summary())
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{''.join(self._left_out)}"
        return f"<div>{self._repr_svg_() or ''}{told}{table}</div>"

    @property
    def _count(self) -> str:
        return f"{len(self.rows):,} task{'s' * (len(self.rows) != 1)}"

    @property
    def _left_out(self) -> list[str]:
        more = len(self.rows) - SHOWN
        return [f"and {more:,} more; report.table() has all"] if more > 0 else []


def _listed(nodes: list[str]) -> str:
    return ", ".join(nodes[:6]) + (f" and {len(nodes) - 6} more" if len(nodes) > 6 else "")
