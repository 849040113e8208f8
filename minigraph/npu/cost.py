"""What a simulation of one job tells: its parts, its bytes, what bound it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from minigraph.npu.plan import Layout
from minigraph.npu.record import Skip, Span


@dataclass(frozen=True)
class Part:
    """One plan at work: on which cores, from when (cycles after the node's first), and each queue's account.

    ``busy``, ``wait`` and ``idle`` are cycles of the busiest core and add up to ``cycles`` for each queue.
    ``cores`` cores take part, on average for ``share`` of the busiest one's time.
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


@dataclass(frozen=True)
class Cost:
    """One job's cost: ``cycles`` from first instruction to last, ``head_us`` before, never less than ``bound``.

    ``bytes`` by memory level over all cores; ``use`` is the part of the cube's peak reached (0 to 1).
    ``tasks`` is how many kernels it stands for: the rounds of a loop are many.
    """

    layout: Layout
    cycles: int
    head_us: float
    parts: tuple[Part, ...]
    bytes: Mapping[str, float]
    bound: int
    use: float
    verdict: str
    tasks: int = 1

    @property
    def critical(self) -> dict[str, float]:
        """Cycles by what bound them: of all parts in turn, or in a mixed node of the longest one.

        What the other one adds to that is "other cores"; the heads of tasks inside a node with bodies are "head".
        """
        chosen = [max(self.parts, key=lambda part: part.cycles)] if self.layout.mixed else list(self.parts)
        found: Counter[str] = Counter()
        for part in chosen:
            found.update(part.critical or {})
        rest = self.cycles - sum(part.cycles for part in chosen)
        if found and rest:
            found["head" if self.layout.inside else "other cores"] += rest
        return dict(found)
