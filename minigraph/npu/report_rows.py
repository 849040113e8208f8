"""One task of a report: its times, its bytes, its bars on the timeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from minigraph.core.types import TensorType
from minigraph.npu.chips.chip import Chip
from minigraph.npu.cost import Cost, Part
from minigraph.npu.host import Band, Task

KINDS = {(True, False): "AI_CORE", (False, True): "AI_VECTOR_CORE", (True, True): "MIX_AIC"}
COLUMNS = (
    "task", "operator", "kind", "cores", "us", "head us", "at least us", "limited by", "busiest queue", "GM kB",
    "L2 kB", "line",
)  # fmt: skip


class TimelineSpan(NamedTuple):
    """One instruction on the timeline: cycles since the graph's start, the node it serves and its core."""

    node: str
    core: str
    queue: str
    name: str
    start: int
    end: int
    bound_by: str
    wait: int
    moved: int


class TimelineSkip(NamedTuple):
    """A stretch of ``times`` loop iterations that repeat exactly and were carried forward, in cycles."""

    core: str
    start: int
    end: int
    times: int


@dataclass(frozen=True)
class NodeRow:
    """One task: the node, where it stands in the program, its types, when it starts (cycles) and its cost.

    ``in_l2``: bytes of values L2 holds when it starts; ``weights``: bytes of operands that are Parameters or constants;
    ``originals``: the operators of a fused node's body.
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

    @property
    def told(self) -> str:
        """The node and its name, as timelines write it."""
        return f"%{self.node} {self.name}"

    @property
    def kind(self) -> str:
        """The profiler's task type: AI_CORE, AI_VECTOR_CORE or MIX_AIC."""
        return KINDS.get(self.cost.layout.units, "AI_VECTOR_CORE")

    @property
    def head(self) -> int:
        """Cycles before the first instruction."""
        return round(self.cost.head_us * self.chip.cores.freq_mhz)

    @property
    def cycles(self) -> int:
        """Cycles of the task, its head included."""
        return self.head + self.cost.cycles

    @property
    def end(self) -> float:
        """When the task ends, in cycles since the graph's start."""
        return self.start + self.cycles

    @property
    def us(self) -> float:
        """Microseconds of the task, its head included."""
        return self.chip.us(self.cycles)

    @property
    def band(self) -> Band:
        """Microseconds with the band of the head, the least certain figure of a task."""
        head, body = self.chip.figures["task.head_us"], self.chip.us(self.cost.cycles)
        extra = self.cost.head_us - head.v
        return Band(self.us, body + head.lo + extra, body + head.hi + extra)

    @property
    def task(self) -> Task:
        """The task as the host model sees it; kernels are told apart where they are compiled at first use."""
        kind = f"{self.type}{self.ins}" if self.chip.task.online else ""
        return Task(self.node, self.band, kind, self.cost.tasks)

    def cells(self) -> tuple[str, ...]:
        """The row as text, in the order of ``COLUMNS``."""
        queue, part = self.cost.busiest
        levels, us = self.cost.bytes, self.chip.us
        return (
            f"%{self.node}", self.name, self.kind, str(self.cost.layout.cores), f"{self.us:.2f}",
            f"{us(self.head):.2f}", f"{us(self.cost.bound):.2f}", self.cost.verdict, f"{queue} {part:.0%}",
            f"{levels['GM'] / 1e3:,.1f}", f"{levels['L2'] / 1e3:,.1f}", self.loc,
        )  # fmt: skip


def begin(row: NodeRow, part: Part) -> int:
    """The cycle, since the graph's start, of a part's first instruction."""
    return int(row.start) + row.head + part.offset


def spans_of(row: NodeRow) -> Iterator[TimelineSpan]:
    """The head of a task and every stepped instruction, on the graph's time axis."""
    told, start = row.told, int(row.start)
    yield TimelineSpan(told, row.cost.parts[0].core, "S", "head", start, start + row.head, "head", 0, 0)
    for part in row.cost.parts:
        at = begin(row, part)
        for span in part.spans:
            yield TimelineSpan(told, part.core, span.queue, span.name, at + span.start, at + span.end,
                               "bandwidth" if span.slowed else span.bound_by,
                               span.wait, span.moved)  # fmt: skip
