"""How full the buffers are over time: L1, L0A, L0B, L0C and UB of the busiest cores, and L2 of the chip.

A buffer holds a tile from the start of what fills it to the end of what gives it back; L2 holds the values touched
last, as far as they fit. The analytic engine has no instructions: a buffer counts as full of all its slots then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from minigraph.npu.cost import Part
from minigraph.npu.engine.program import Program
from minigraph.npu.report import Report
from minigraph.npu.report_rows import begin
from minigraph.npu.reports.sheet import Sheet

BUFFERS = (("aic", "L1"), ("aic", "L0A"), ("aic", "L0B"), ("aic", "L0C"), ("aic", "UB"), ("aiv", "UB"))
COLUMNS = ("buffer", "core", "capacity kB", "peak kB", "peak %", "mean kB", "mean %")


class Level(NamedTuple):
    """From cycle ``at`` on, ``bytes`` are taken."""

    at: int
    bytes: int


@dataclass(frozen=True)
class Occupancy:
    """One buffer through a run: its capacity in bytes and every change; ``core`` is "aic", "aiv" or "chip"."""

    buffer: str
    core: str
    capacity: int
    levels: tuple[Level, ...]

    @property
    def peak(self) -> int:
        """The most bytes taken at any time."""
        return max((level.bytes for level in self.levels), default=0)

    @property
    def mean(self) -> float:
        """Bytes taken, on average over the run."""
        held = sum(level.bytes * (after.at - level.at) for level, after in pairwise(self.levels))
        span = self.levels[-1].at - self.levels[0].at if self.levels else 0
        return held / span if span else 0.0


def occupancy(report: Report) -> tuple[Occupancy, ...]:
    """Every buffer that a run used, and L2; from the first task's start to the last one's end."""
    moves: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in report.rows:
        for part in row.cost.parts:
            for buffer, at, change in _moves(part, begin(row, part)):
                moves[part.core, buffer].append((at, change))
    sizes = report.chip.buf
    found = [
        Occupancy(buffer, core, getattr(sizes, buffer.lower()), _levels(moves[core, buffer], report.cycles))
        for core, buffer in BUFFERS
        if any(change for _, change in moves[core, buffer])
    ]
    held = [Level(int(row.start), row.in_l2) for row in report.rows]
    last = [Level(report.cycles, held[-1].bytes)] if held else []
    return (*found, Occupancy("L2", "chip", sizes.l2, (*held, *last)))


def memory_sheet(report: Report) -> Sheet:
    """Capacity, peak and mean of every buffer."""
    rows = tuple(
        (one.buffer, one.core, one.capacity / 1e3, one.peak / 1e3, 100 * one.peak / one.capacity, one.mean / 1e3,
         100 * one.mean / one.capacity)
        for one in occupancy(report)
    )  # fmt: skip
    notes = ["of the busiest core; L2 of the chip", report.standing]
    if report.skips:
        notes.append("stretches of long loops that were carried forward count as full of all their slots")
    return Sheet(f"memory of {report.title} on {report.chip.label}", COLUMNS, rows, tuple(notes))


def _moves(part: Part, start: int) -> Iterator[tuple[str, int, int]]:
    """Buffer, cycle and bytes taken or given back, of one plan at work."""
    program = part.program
    if program is None:
        return
    end = start + part.cycles
    for buffer, size in (program.kept if part.spans else program.room).items():
        yield from ((buffer, start, size), (buffer, end, -size))
    changes = [(span.takes, span.start, 1) for span in part.spans] + [(span.gives, span.end, -1) for span in part.spans]
    taken: defaultdict[str, int] = defaultdict(int)
    for ring, _, slots in changes:
        taken[ring] += slots
    returns = [(ring, part.cycles, -left) for ring, left in taken.items()]
    for ring, at, slots in (*changes, *_carried(part, program), *returns):
        yield from ((buffer, start + at, slots * size) for buffer, size in program.sizes.get(ring, {}).items())


def _carried(part: Part, program: Program) -> Iterator[tuple[str, int, int]]:
    """Ring, cycle and slots taken or given back so that a stretch that was carried forward counts as full."""
    for ring, slots in program.rings.items():
        takes = [span.start for span in part.spans if span.takes == ring]
        gives = [span.end for span in part.spans if span.gives == ring]
        for skip in part.skips:
            more = slots - sum(at <= skip.start for at in takes) + sum(at <= skip.start for at in gives)
            until = min((at for at in takes if at > skip.start), default=skip.end)
            yield from ((ring, skip.start, more), (ring, until, -more))


def _levels(moves: Iterable[tuple[int, int]], end: int) -> tuple[Level, ...]:
    """Bytes taken after each cycle with a change, from 0 to the end of the run."""
    changes: defaultdict[int, int] = defaultdict(int, {0: 0, end: 0})
    for at, change in moves:
        changes[at] += change
    found, taken = [], 0
    for at in sorted(changes):
        taken += changes[at]
        found.append(Level(at, taken))
    return tuple(found)
