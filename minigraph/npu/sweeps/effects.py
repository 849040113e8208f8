"""What a single choice does: the times of the points that differ from one point in nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.table import Table


class Effect(NamedTuple):
    """One choice ("pipeline" or a figure), its fastest and its slowest value, and device microseconds with each."""

    choice: str
    fastest: str
    fastest_us: float
    slowest: str
    slowest_us: float

    def __str__(self) -> str:
        more = self.slowest_us / self.fastest_us - 1 if self.fastest_us else 0.0
        ends = f"{self.fastest} {self.fastest_us:,.1f} us, {self.slowest} {self.slowest_us:,.1f} us"
        return f"{self.choice}: {ends} ({more:+.1%})" if more else f"{self.choice}: nothing"


def effects_around(table: Table, point: Point) -> list[Effect]:
    """The effect of every choice that has several values, with everything else as at ``point``; the strongest first.

    Of equal times the first in the order of the space counts. Chips are no such choice: all of their figures differ.
    """
    found = []
    for choice, near in _choices(table, point):
        times = [(name, us) for name, p in near if p in table.rows and (us := table.rows[p].figures.us) is not None]
        if len(times) > 1:
            fastest, slowest = min(times, key=lambda one: one[1]), max(times, key=lambda one: one[1])
            found.append(Effect(choice, *fastest, *slowest))
    return sorted(found, key=lambda effect: effect.fastest_us - effect.slowest_us)


def _choices(table: Table, point: Point) -> Iterator[tuple[str, list[tuple[str, Point]]]]:
    """Every choice with the points that differ in it alone, each under its value."""
    yield "pipeline", [(name or "(no passes)", point._replace(pipeline=name)) for name in table.space.pipelines]
    for place, axis in enumerate(table.space.axes):
        around = point.values[:place], point.values[place + 1 :]
        yield axis.figure, [(f"{v:g}", point._replace(values=(*around[0], v, *around[1]))) for v in axis.values]
