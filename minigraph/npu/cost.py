"""The simulated cost of one job: its parts, memory traffic, bounds and critical path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.npu.engine.program import Program
from minigraph.npu.engine.record import Edge, Skip, Span
from minigraph.npu.tiling.plan import Layout


@dataclass(frozen=True)
class Part:
    """The execution of one plan: on which cores, ``offset`` cycles after the node's start, and each queue's cycles.

    ``busy``, ``wait`` and ``idle`` are cycles of the busiest core; for each queue they add up to ``cycles``. ``cores``
    run ``program``; ``balance`` is their mean work over the work of the busiest one.
    """

    core: str
    offset: int
    cycles: int
    cores: int
    balance: float
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
    """The cost of one job: ``cycles`` from the first instruction to the last, at least ``bound``, after ``head_us``.

    ``bytes``: traffic of each memory level, over all cores. ``cube_utilization``: share of the cube's peak (0 to 1).
    ``ops``: useful operations, a multiply-add counted as two; ``peak``: the cycles they take with all units of all
    cores at their peak. ``loaded``: bytes that all cores load through L2, of which ``missed`` come from device memory.
    ``tasks``: the kernel launches of the job; a loop has one per iteration and kernel.
    """

    layout: Layout
    cycles: int
    head_us: float
    parts: tuple[Part, ...]
    bytes: Mapping[str, float]
    bound: int
    cube_utilization: float
    verdict: str
    ops: float = 0.0
    peak: float = 0.0
    loaded: float = 0.0
    missed: float = 0.0
    tasks: int = 1

    cube_utilisation = DeprecatedAttribute("cube_utilization")

    @property
    def hit_rate(self) -> float:
        """L2 hit rate of the loads, 0 to 1; 1 without loads."""
        return 1 - self.missed / self.loaded if self.loaded else 1.0

    @property
    def busiest(self) -> tuple[str, float]:
        """The busiest queue, and the share of the cycles that it is busy."""
        busy, name = max((busy, name) for part in self.parts for name, busy in part.busy.items())
        return name, busy / max(self.cycles, 1)

    @property
    def critical(self) -> dict[str, float]:
        """Cycles of the critical path by cause: of all parts in sequence, in a MIX kernel of the longest part.

        The cycles that the other part adds are "other cores"; in a region node, the heads of inner tasks are "head".
        """
        cycles_by_cause: Counter[str] = Counter()
        for part in self._sequential_parts:
            cycles_by_cause.update(part.critical or {})
        wait = self.cycles - sum(part.cycles for part in self._sequential_parts)
        if cycles_by_cause and wait:
            cycles_by_cause["head" if self.layout.inside else "other cores"] += wait
        return dict(cycles_by_cause)

    @property
    def edges(self) -> dict[Edge, float]:
        """Cycles of the critical path by dependency edge, of the same parts."""
        cycles_by_edge: Counter[Edge] = Counter()
        for part in self._sequential_parts:
            cycles_by_edge.update(part.edges or {})
        return dict(cycles_by_edge)

    @property
    def _sequential_parts(self) -> list[Part]:
        """The parts that run one after another; of concurrent ones, the longest."""
        return [max(self.parts, key=lambda part: part.cycles)] if self.layout.is_mix else list(self.parts)
