"""What if a figure of the chip were another: a slider for each uncertain one, and the five that matter most.

Sliders move a figure through its band while the kernels stay as they are tiled for the chip; the closed forms price
them. ``what_if`` changes the chip itself: kernels are tiled anew, and L2 holds what its new size allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, floor
from typing import NamedTuple

from minigraph.ir.reading import GraphReader
from minigraph.npu.chips.chip import WHOLE, Chip
from minigraph.npu.chips.figure import Figure
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.reports.sheet import Sheet
from minigraph.npu.simulator import cycles, jobs_of
from minigraph.npu.tiling import analytic
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import Job

MOST = 5
POINTS = 5
COLUMNS = ("figure", "low", "value", "high", "us at low", "us at high", "swing us", "swing %", "grade", "source")


class Slider(NamedTuple):
    """One figure of a chip and the device time of a graph, microseconds, at each of ``values`` through its band."""

    key: str
    figure: Figure
    values: tuple[float, ...]
    times: tuple[float, ...]

    @property
    def swing(self) -> float:
        """Microseconds between the fastest and the slowest end of the band."""
        return max(self.times) - min(self.times)

    def distance(self, value: float) -> float:
        """How far a value is from the chip's own."""
        return abs(value - self.figure.v)


def what_if(graph: GraphReader, chip: str | Chip | None = None, **changes: float) -> float:
    """Device microseconds of a graph on a changed chip: ``what_if(graph, mte2_lat=100, cores_aic=48)``.

    Keys are as in ``Chip.changed``, which raises ``ChipError`` for an unknown figure or an impossible value.
    """
    changed = chip_named(chip).changed(**changes)
    return changed.us(cycles(graph, changed))


def sliders(graph: GraphReader, chip: str | Chip | None = None, points: int = POINTS) -> tuple[Slider, ...]:
    """A slider for each figure of the chip that has a band, in the order of the file."""
    chosen = chip_named(chip)
    jobs = _weighted(job for _, job in jobs_of(graph, chosen))
    return tuple(
        Slider(key, figure, values, tuple(_time(jobs, chosen, chosen.changed(**{_name(key): v})) for v in values))
        for key, figure in chosen.figures.items()
        if figure.lo < figure.hi
        for values in [_values(key, figure, points)]
    )


def tornado(found: Sequence[Slider], most: int = MOST) -> tuple[Slider, ...]:
    """The sliders over whose bands the time changes most, the widest first.

    >>> tornado([Slider("a", Figure(1, "s", "F", 0, 2), (0, 2), (5.0, 6.0))], 5)[0].swing
    1.0
    """
    return tuple(sorted(found, key=lambda slider: -slider.swing)[:most])


def tornado_sheet(graph: GraphReader, chip: str | Chip | None = None, most: int = MOST) -> Sheet:
    """The ``most`` most sensitive figures as a table."""
    chosen = chip_named(chip)
    whole = chosen.us(cycles(graph, chosen))
    rows = tuple(
        (s.key, s.values[0], s.figure.v, s.values[-1], s.times[0], s.times[-1], s.swing,
         100 * s.swing / whole if whole else 0.0, s.figure.grade, s.figure.src)
        for s in tornado(sliders(graph, chosen), most)
    )  # fmt: skip
    title = f"what decides the {whole:,.2f} us on {chosen.label}: each figure through its band"
    return Sheet(title, COLUMNS, rows, (chosen.standing,))


def _values(key: str, figure: Figure, points: int) -> tuple[float, ...]:
    """Evenly spaced values of a band, whole ones where only these are possible."""
    steps = [figure.lo + (figure.hi - figure.lo) * i / (points - 1) for i in range(points)]
    whole = {min(max(round(v), ceil(figure.lo)), floor(figure.hi)) for v in steps}
    return tuple(sorted(whole if key in WHOLE else set(steps)))


def _name(key: str) -> str:
    return key.replace(".", "_", 1)


def _weighted(jobs: Iterable[Job]) -> Counter[Job]:
    """Each kernel and how often it runs, the bodies of loops among them."""
    found: Counter[Job] = Counter()
    waiting = [(job, 1) for job in jobs]
    while waiting:
        job, times = waiting.pop()
        if job.inside:
            waiting += [(inner, times * often) for inner, often in job.inside]
        else:
            found[job] += times
    return found


def _time(jobs: Counter[Job], chip: Chip, changed: Chip) -> float:
    """Microseconds of kernels tiled for ``chip`` on the one that was changed."""
    total = 0.0
    for job, times in jobs.items():
        layout = layout_of(job, chip)
        if layout.plans:
            head = changed.task.head_us + (changed.task.mix_extra_us if all(layout.units) else 0.0)
            total += times * (head + changed.us(analytic.layout_cycles(layout, changed)))
    return total
