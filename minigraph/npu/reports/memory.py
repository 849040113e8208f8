"""Buffer occupancy over time: L1, L0A, L0B, L0C and UB of the busiest cores, and L2 of the chip.

A slot is occupied from the start of the instruction that allocates it to the end of the one that frees it; L2 holds the
values of the last uses (LRU). The analytic engine has no instructions: it counts all slots as occupied.
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
from minigraph.npu.report_rows import first_cycle
from minigraph.npu.reports.sheet import Sheet

BUFFERS = (("aic", "L1"), ("aic", "L0A"), ("aic", "L0B"), ("aic", "L0C"), ("aic", "UB"), ("aiv", "UB"))
COLUMNS = ("buffer", "core", "capacity kB", "peak kB", "peak %", "mean kB", "mean %")


class Level(NamedTuple):
    """Occupied ``bytes`` from cycle ``at`` on."""

    at: int
    bytes: int


@dataclass(frozen=True)
class Occupancy:
    """One buffer during a run: its capacity in bytes, and every change; ``core`` is "aic", "aiv" or "chip"."""

    buffer: str
    core: str
    capacity: int
    levels: tuple[Level, ...]

    @property
    def peak(self) -> int:
        """Maximum of the occupied bytes."""
        return max((level.bytes for level in self.levels), default=0)

    @property
    def mean(self) -> float:
        """Mean of the occupied bytes over the run."""
        byte_cycles = sum(level.bytes * (after.at - level.at) for level, after in pairwise(self.levels))
        span = self.levels[-1].at - self.levels[0].at if self.levels else 0
        return byte_cycles / span if span else 0.0


def occupancy(report: Report) -> tuple[Occupancy, ...]:
    """Every buffer that a run uses, and L2, from the first task's start to the last one's end."""
    changes: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in report.rows:
        for part in row.cost.parts:
            for buffer, at, change in _slot_changes(part, first_cycle(row, part)):
                changes[part.core, buffer].append((at, change))
    sizes = report.chip.buf
    buffers = [
        Occupancy(buffer, core, getattr(sizes, buffer.lower()), _occupancy_levels(changes[core, buffer], report.cycles))
        for core, buffer in BUFFERS
        if any(change for _, change in changes[core, buffer])
    ]
    l2_levels = [Level(int(row.start), row.in_l2) for row in report.rows]
    last = [Level(report.cycles, l2_levels[-1].bytes)] if l2_levels else []
    return (*buffers, Occupancy("L2", "chip", sizes.l2, (*l2_levels, *last)))


def memory_sheet(report: Report) -> Sheet:
    """Capacity, peak and mean of every buffer."""
    rows = tuple(
        (usage.buffer, usage.core, usage.capacity / 1e3, usage.peak / 1e3, 100 * usage.peak / usage.capacity,
         usage.mean / 1e3, 100 * usage.mean / usage.capacity)
        for usage in occupancy(report)
    )  # fmt: skip
    notes = ["buffers of the busiest core; L2 of the chip", report.calibration]
    if report.skips:
        notes.append("extrapolated stretches of long loops count all slots as occupied")
    title = f"buffer occupancy of {report.title} on {report.label}"
    return Sheet(title, COLUMNS, rows, tuple(notes), report.what_if, memory=report.basis.memory)


def _slot_changes(part: Part, start: int) -> Iterator[tuple[str, int, int]]:
    """Buffer, cycle and bytes of every allocation (positive) and release (negative) of one part."""
    program = part.program
    if program is None:
        return
    end = start + part.cycles
    for buffer, size in (program.resident if part.spans else program.footprint).items():
        yield from ((buffer, start, size), (buffer, end, -size))
    changes = [(span.alloc, span.start, 1) for span in part.spans] + [(span.free, span.end, -1) for span in part.spans]
    open_slots: defaultdict[str, int] = defaultdict(int)
    for ring, _, slots in changes:
        open_slots[ring] += slots
    returns = [(ring, part.cycles, -left) for ring, left in open_slots.items()]
    for ring, at, slots in (*changes, *_extrapolated_changes(part, program), *returns):
        yield from ((buffer, start + at, slots * size) for buffer, size in program.slot_bytes.get(ring, {}).items())


def _extrapolated_changes(part: Part, program: Program) -> Iterator[tuple[str, int, int]]:
    """Ring, cycle and slots of the changes that make extrapolated stretches count as full."""
    for ring, slots in program.rings.items():
        allocs = [span.start for span in part.spans if span.alloc == ring]
        frees = [span.end for span in part.spans if span.free == ring]
        for skip in part.skips:
            missing = slots - sum(at <= skip.start for at in allocs) + sum(at <= skip.start for at in frees)
            until = min((at for at in allocs if at > skip.start), default=skip.end)
            yield from ((ring, skip.start, missing), (ring, until, -missing))


def _occupancy_levels(changes: Iterable[tuple[int, int]], end: int) -> tuple[Level, ...]:
    """Occupied bytes after each cycle with a change, from 0 to the end of the run."""
    by_cycle: defaultdict[int, int] = defaultdict(int, {0: 0, end: 0})
    for at, change in changes:
        by_cycle[at] += change
    levels, occupied = [], 0
    for at in sorted(by_cycle):
        occupied += by_cycle[at]
        levels.append(Level(at, occupied))
    return tuple(levels)
