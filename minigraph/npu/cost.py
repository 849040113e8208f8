"""What a simulation of one job tells: its parts, its bytes, what bound it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from minigraph.npu.engine.program import Program
from minigraph.npu.engine.record import Edge, Skip, Span
from minigraph.npu.tiling.plan import Layout


@dataclass(frozen=True)
class Part:
    """One plan at work: on which cores, from when (cycles after the node's first), and each queue's account.

    ``busy``, ``wait`` and ``idle`` are cycles of the busiest core and add up to ``cycles`` for each queue.
    ``cores`` cores take part, on average for ``share`` of the busiest one's time; they run ``program``.
    """

    core: str
    offset: int
    cycles: int
    cores: int
    share: float
    busy: Mapping[str, int]
    wait: Mapping[str, int]
    idle: Mapping[str, int]
    spans: tuple[Span, ...] = ()
    skips: tuple[Skip, ...] = ()
    critical: Mapping[str, float] | None = None
    edges: Mapping[Edge, float] | None = None
    program: Program | None = None


@dataclass(frozen=True)
class Cost:
    """One job's cost: ``cycles`` from first instruction to last, ``head_us`` before, never less than ``bound``.

    ``bytes`` by memory level over all cores; ``use`` is the part of the cube's peak reached (0 to 1).
    ``ops`` are the operations that are wanted, a multiply-add counted as two, and ``peak`` the cycles they would take
    with every unit of every core at its peak. ``loaded`` are the bytes all cores load through L2, of which ``missed``
    come from device memory. ``tasks`` is how many kernels it stands for: the rounds of a loop are many.
    """

    layout: Layout
    cycles: int
    head_us: float
    parts: tuple[Part, ...]
    bytes: Mapping[str, float]
    bound: int
    use: float
    verdict: str
    ops: float = 0.0
    peak: float = 0.0
    loaded: float = 0.0
    missed: float = 0.0
    tasks: int = 1

    @property
    def hits(self) -> float:
        """The part of the loads that L2 served, 0 to 1; 1 when nothing was loaded."""
        return 1 - self.missed / self.loaded if self.loaded else 1.0

    @property
    def busiest(self) -> tuple[str, float]:
        """The queue with the most to do and the part of the cycles it was busy."""
        busy, name = max((busy, name) for part in self.parts for name, busy in part.busy.items())
        return name, busy / max(self.cycles, 1)

    @property
    def critical(self) -> dict[str, float]:
        """Cycles by what bound them: of all parts in turn, or in a mixed node of the longest one.

        What the other one adds to that is "other cores"; the heads of tasks inside a node with bodies are "head".
        """
        found: Counter[str] = Counter()
        for part in self._in_turn:
            found.update(part.critical or {})
        rest = self.cycles - sum(part.cycles for part in self._in_turn)
        if found and rest:
            found["head" if self.layout.inside else "other cores"] += rest
        return dict(found)

    @property
    def edges(self) -> dict[Edge, float]:
        """Cycles of the critical path by edge between instructions, of the same parts."""
        found: Counter[Edge] = Counter()
        for part in self._in_turn:
            found.update(part.edges or {})
        return dict(found)

    @property
    def _in_turn(self) -> list[Part]:
        """The parts that follow each other; of those side by side the longest."""
        return [max(self.parts, key=lambda part: part.cycles)] if self.layout.mixed else list(self.parts)
