"""One-at-a-time effects: the times of the points that differ from one point in a single choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.table import Table


class Effect(NamedTuple):
    """One choice ("pipeline" or a parameter), its fastest and slowest value, and the device microseconds of both."""

    choice: str
    fastest: str
    fastest_us: float
    slowest: str
    slowest_us: float

    def __str__(self) -> str:
        slowdown = self.slowest_us / self.fastest_us - 1 if self.fastest_us else 0.0
        ends = f"{self.fastest} {self.fastest_us:,.1f} us, {self.slowest} {self.slowest_us:,.1f} us"
        return f"{self.choice}: {ends} ({slowdown:+.1%})" if slowdown else f"{self.choice}: no effect"


def effects_around(table: Table, point: Point) -> list[Effect]:
    """The effect of every choice with several values, all others fixed as at ``point``; the largest first.

    Points whose model does not fit the chip's device memory are left out.

    Ties go to the first point in the order of the space. The chip is not a choice: chips differ in many parameters.
    """
    effects = []
    for choice, points in _neighbors_by_choice(table, point):
        rows = [(name, table.rows[p].metrics) for name, p in points if p in table.rows]
        times = [(name, metrics.us) for name, metrics in rows if metrics.us is not None and not metrics.memory]
        if len(times) > 1:
            fastest, slowest = min(times, key=lambda time: time[1]), max(times, key=lambda time: time[1])
            effects.append(Effect(choice, *fastest, *slowest))
    return sorted(effects, key=lambda effect: effect.fastest_us - effect.slowest_us)


def _neighbors_by_choice(table: Table, point: Point) -> Iterator[tuple[str, list[tuple[str, Point]]]]:
    """Every choice, with its values and the points that differ in this choice only."""
    yield "pipeline", [(name or "(no passes)", point._replace(pipeline=name)) for name in table.space.pipelines]
    for index, axis in enumerate(table.space.axes):
        rest = point.values[:index], point.values[index + 1 :]
        yield axis.parameter, [(f"{v:g}", point._replace(values=(*rest[0], v, *rest[1]))) for v in axis.values]
