"""The best points of a sweep: the fastest point of each chip, the Pareto front of time and peak, and effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minigraph.npu.sweeps.effects import effects_around
from minigraph.npu.sweeps.space import Point
from minigraph.npu.sweeps.table import Table
from minigraph.npu.sweeps.work_item import Metrics

BAR_CHARACTERS = 24  # of the longest bar
EFFECTS_HEADING = "effect of each choice on the fastest point, all others fixed:"


class Best(NamedTuple):
    """The fastest point of a chip for one model; ``front``: whether it is on the Pareto front."""

    point: Point
    metrics: Metrics
    front: bool


def best_points(table: Table, model: str) -> list[Best]:
    """The fastest point of each chip for a model, fastest first; ties in the order of the space.

    The Pareto front minimises device microseconds and the float16 peak of the chip. Points whose model does not fit the
    chip's device memory are left out.
    """
    fastest: dict[str, tuple[float, float, Point]] = {}
    for point in table.space:
        metrics = table.rows[point].metrics if point in table.rows else Metrics()
        if point.model == model and metrics.us is not None and metrics.peak_tflops is not None and not metrics.memory:
            candidate = (metrics.us, metrics.peak_tflops, point)
            if point.chip not in fastest or candidate[:2] < fastest[point.chip][:2]:
                fastest[point.chip] = candidate
    candidates = sorted(fastest.values(), key=lambda best: best[:2])
    return [
        Best(point, table.rows[point].metrics, _is_on_front(us, peak, candidates)) for us, peak, point in candidates
    ]


def _is_on_front(us: float, peak: float, others: Iterable[tuple[float, float, Point]]) -> bool:
    """Whether no other point dominates this one: as fast with less peak, or faster with no more peak."""
    return not any(o_us <= us and o_peak <= peak and (o_us, o_peak) != (us, peak) for o_us, o_peak, _ in others)


def front_lines(table: Table) -> list[str]:
    """The best points of every model as text, with dots at those on the Pareto front, and the effect of each choice."""
    lines: list[str] = []
    for model in table.space.models:
        best = best_points(table, model)
        if best:
            lines += ["", f"{model}: the fastest point of each chip; ● on the Pareto front of time and peak"]
            lines += _align_columns([_head(table), *(_cells(row, best[-1]) for row in best)])
            effects = effects_around(table, best[0].point)
            lines += [f"   {effect}" for effect in (EFFECTS_HEADING, *effects) if effects]
        notes = _memory_notes(table, model)
        lines += ["" for _ in notes[:1] if not best] + [f"   {note}" for note in notes]
    return lines[1:]


def _memory_notes(table: Table, model: str) -> list[str]:
    """The chips whose device memory a model does not fit, with the number of points that are left out."""
    notes = Counter(
        f"{point.chip}: {model} {row.metrics.memory}"
        for point, row in table.rows.items()
        if point.model == model and row.metrics.memory
    )
    return [f"{note} ({count:,} point{'s' * (count != 1)} left out)" for note, count in notes.items()]


def _head(table: Table) -> tuple[str, ...]:
    return "", "chip", "", "pipeline", *(axis.parameter for axis in table.space.axes), "peak TF", "cycles", "us", ""


def _cells(row: Best, slowest: Best) -> tuple[str, ...]:
    us, end = row.metrics.us or 0.0, slowest.metrics.us or 1.0
    metrics = f"{row.metrics.peak_tflops:,.0f}", f"{row.metrics.cycles:,}", f"{us:,.1f}"
    names = row.point.chip, row.metrics.standing, row.point.pipeline or "(no passes)"
    values = (f"{value:g}" for value in row.point.values)
    return "●" if row.front else "", *names, *values, *metrics, "█" * max(1, round(BAR_CHARACTERS * us / end))


def _align_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows with aligned columns: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    return [
        "  ".join(c.rjust(w) if 4 <= i < last else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        .rstrip()
        for row in rows
    ]  # fmt: skip
