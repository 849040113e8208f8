"""One row of a report, which is one task: its times, its traffic, its spans on the timeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from minigraph.core.types import TensorType
from minigraph.npu.chips.chip import Chip
from minigraph.npu.cost import Cost, Part
from minigraph.npu.efficiency import Efficiency, efficiency_of
from minigraph.npu.host import Band, Task
from minigraph.npu.schedules import schedule_of
from minigraph.npu.tiling.plan import Job
from minigraph.npu.tiling.schedule import DEFAULT, Schedule

TASK_KINDS = {(True, False): "AI_CORE", (False, True): "AI_VECTOR_CORE", (True, True): "MIX_AIC"}
COLUMNS = (
    "task", "operator", "kind", "cores", "us", "band us", "head us", "bound us", "bottleneck", "busiest queue",
    "GM kB", "L2 kB", "line",
)  # fmt: skip


class TimelineSpan(NamedTuple):
    """One instruction on the timeline, in cycles since the graph's start, with its node and core."""

    node: str
    core: str
    queue: str
    name: str
    start: int
    end: int
    bound_by: str
    wait: int
    bytes_moved: int


class TimelineSkip(NamedTuple):
    """An extrapolated stretch of ``times`` loop iterations, in cycles."""

    core: str
    start: int
    end: int
    times: int


@dataclass(frozen=True)
class NodeRow:
    """One task: its node, source location, types, start in cycles, and cost.

    ``in_l2``: bytes of values that are resident in L2 at its start; ``weights``: bytes of operands that are Parameters
    or constants; ``originals``: the operators of a fused node's body; ``mapped``: the job and its given schedule.
    """

    node: int
    name: str
    type: str
    loc: str
    ins: tuple[TensorType, ...]
    outs: tuple[TensorType, ...]
    start: float
    cost: Cost
    chip: Chip
    in_l2: int = 0
    weights: int = 0
    originals: tuple[str, ...] = ()
    mapped: tuple[Job, Schedule] | None = None

    @property
    def schedule(self) -> Schedule:
        """The schedule that fixes the task's plan: change it and pass it to ``simulate``."""
        return schedule_of(self.mapped[0], self.chip, self.mapped[1]) if self.mapped else DEFAULT

    @property
    def label(self) -> str:
        """The node's id and name, as timelines show them."""
        return f"%{self.node} {self.name}"

    @property
    def kind(self) -> str:
        """The profiler's task type: AI_CORE, AI_VECTOR_CORE or MIX_AIC; cores with both units are AI_CORE."""
        units = (True, False) if self.chip.family == "coupled" else self.cost.layout.units
        return TASK_KINDS.get(units, "AI_VECTOR_CORE")

    @property
    def head(self) -> int:
        """Head overhead: cycles before the first instruction."""
        return round(self.cost.head_us * self.chip.cores.freq_mhz)

    @property
    def cycles(self) -> int:
        """Cycles of the task, head overhead included."""
        return self.head + self.cost.cycles

    @property
    def end(self) -> float:
        """The end of the task, in cycles since the graph's start."""
        return self.start + self.cycles

    @property
    def us(self) -> float:
        """Microseconds of the task, head overhead included."""
        return self.chip.us(self.cycles)

    @property
    def efficiency(self) -> Efficiency | None:
        """The band of the kernel's class; ``None`` without published rows, as for all chips with coupled cores."""
        if self.mapped is None or self.chip.family != "split":
            return None
        return efficiency_of((self.mapped[0],))

    @property
    def band(self) -> Band:
        """Microseconds with the band of the kernel's class, above the lower bound; for kernels without a band, of the
        head.
        """
        head, body, class_band = self.chip.parameters["task.head_us"], self.chip.us(self.cost.cycles), self.efficiency
        if class_band is not None:
            least = min(self.us, max(self.us * class_band.lo, self.chip.us(self.cost.bound)))
            return Band(self.us, least, self.us * class_band.hi)
        extra = self.cost.head_us - head.v
        return Band(self.us, body + head.lo + extra, body + head.hi + extra)

    @property
    def band_text(self) -> str:
        """The band of the kernel's class as text, such as "7.31 to 12.9"; "" without one."""
        return f"{self.band.lo:.3g} to {self.band.hi:.3g}" if self.efficiency else ""

    @property
    def task(self) -> Task:
        """The task for the host model; ``kind`` is set where kernels are compiled at their first use."""
        kind = f"{self.type}{self.ins}" if self.chip.task.online else ""
        return Task(self.node, self.band, kind, self.cost.tasks)

    def cells(self) -> tuple[str, ...]:
        """The row as text, in the order of ``COLUMNS``."""
        queue, part = self.cost.busiest
        levels, us = self.cost.bytes, self.chip.us
        return (
            f"%{self.node}", self.name, self.kind, str(self.cost.layout.cores), f"{self.us:.2f}",
            self.band_text, f"{us(self.head):.2f}", f"{us(self.cost.bound):.2f}", self.cost.verdict,
            f"{queue} {part:.0%}", f"{levels['GM'] / 1e3:,.1f}", f"{levels['L2'] / 1e3:,.1f}", self.loc,
        )  # fmt: skip


def first_cycle(row: NodeRow, part: Part) -> int:
    """The cycle of a part's first instruction, since the graph's start."""
    return int(row.start) + row.head + part.offset


def spans_of(row: NodeRow) -> Iterator[TimelineSpan]:
    """The head of a task and all stepped instructions, on the graph's time axis."""
    label, start = row.label, int(row.start)
    yield TimelineSpan(label, row.cost.parts[0].core, "S", "head", start, start + row.head, "head", 0, 0)
    for part in row.cost.parts:
        offset = first_cycle(row, part)
        for span in part.spans:
            yield TimelineSpan(label, part.core, span.queue, span.name, offset + span.start, offset + span.end,
                               "bandwidth" if span.slowed else span.bound_by,
                               span.wait, span.bytes_moved)  # fmt: skip
