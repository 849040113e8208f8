"""The best points of a sweep as text: for every model the fastest point of each chip, and which chips pay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minigraph.npu.sweeps.effects import effects_around
from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.table import Table
from minigraph.npu.sweeps.work_item import Figures

BAR = 24  # characters of the longest bar
AROUND = "from the fastest point on, all else the same:"


class Best(NamedTuple):
    """The fastest point of a chip for one model; on the ``front`` nothing with less peak is as fast."""

    point: Point
    figures: Figures
    front: bool


def best_points(table: Table, model: str) -> list[Best]:
    """The fastest point of each chip for a model, fastest first; equally fast ones in the order of the space.

    The front is Pareto's: device microseconds against the float16 peak of the chip, less of both being better.
    """
    fastest: dict[str, tuple[float, float, Point]] = {}
    for point in table.space:
        found = table.rows[point].figures if point in table.rows else Figures()
        if point.model == model and found.us is not None and found.peak_tflops is not None:
            now = (found.us, found.peak_tflops, point)
            if point.chip not in fastest or now[:2] < fastest[point.chip][:2]:
                fastest[point.chip] = now
    chosen = sorted(fastest.values(), key=lambda one: one[:2])
    return [Best(point, table.rows[point].figures, _on_front(us, peak, chosen)) for us, peak, point in chosen]


def _on_front(us: float, peak: float, others: Iterable[tuple[float, float, Point]]) -> bool:
    """Whether nothing is as fast with less peak, nor faster with as much."""
    return not any(o_us <= us and o_peak <= peak and (o_us, o_peak) != (us, peak) for o_us, o_peak, _ in others)


def front_lines(table: Table) -> list[str]:
    """The best points of every model as lines of text, with a dot at those on the front, and what each choice does."""
    lines: list[str] = []
    for model in table.space.models:
        best = best_points(table, model)
        if best:
            lines += ["", f"{model}: the fastest point of each chip; ● nothing with less peak is as fast"]
            lines += _aligned([_head(table), *(_cells(one, best[-1]) for one in best)])
            effects = effects_around(table, best[0].point)
            lines += [f"   {effect}" for effect in (AROUND, *effects) if effects]
    return lines[1:]


def _head(table: Table) -> tuple[str, ...]:
    return "", "chip", "", "pipeline", *(axis.figure for axis in table.space.axes), "peak TF", "cycles", "us", ""


def _cells(one: Best, slowest: Best) -> tuple[str, ...]:
    us, end = one.figures.us or 0.0, slowest.figures.us or 1.0
    figures = f"{one.figures.peak_tflops:,.0f}", f"{one.figures.cycles:,}", f"{us:,.1f}"
    named = one.point.chip, one.figures.standing, one.point.pipeline or "(no passes)"
    values = (f"{value:g}" for value in one.point.values)
    return "●" if one.front else "", *named, *values, *figures, "█" * max(1, round(BAR * us / end))


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns under each other: names to the left, numbers to the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(wide) - 1
    return [
        "  ".join(c.rjust(w) if 4 <= i < last else c.ljust(w) for i, (c, w) in enumerate(zip(row, wide, strict=True)))
        .rstrip()
        for row in rows
    ]  # fmt: skip
