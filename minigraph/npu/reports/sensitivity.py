"""Sensitivity analysis: the device time of a graph as a function of each uncertain parameter of the chip.

One parameter at a time is varied through its uncertainty band, while the kernels keep their tiling; the analytic model
estimates them. A tornado ranks the parameters by the resulting swing. ``what_if`` changes the chip itself: kernels are
tiled again, and L2 residency follows its new size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, floor
from typing import NamedTuple

from minigraph.ir.graph_reader import GraphReader
from minigraph.npu.basis import basis_of
from minigraph.npu.chips.chip import INTEGER_KEYS, Chip
from minigraph.npu.chips.hardware_parameter import GRADE_LEGEND, HardwareParameter
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.host import DEFAULT_HOST, Host
from minigraph.npu.reports.sheet import Sheet
from minigraph.npu.simulator import cycles, jobs_of
from minigraph.npu.tiling import analytic
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import Job

TOP_PARAMETERS = 5
SLIDER_POINTS = 5
COLUMNS = ("parameter", "low", "value", "high", "us at low", "us at high", "swing us", "swing %", "grade", "source")


class Slider(NamedTuple):
    """One parameter of a chip, and the device time of a graph in microseconds at ``values`` across its band."""

    key: str
    parameter: HardwareParameter
    values: tuple[float, ...]
    times: tuple[float, ...]

    @property
    def swing(self) -> float:
        """Microseconds between the shortest and the longest time."""
        return max(self.times) - min(self.times)

    def distance(self, value: float) -> float:
        """Distance of a value from the chip's own."""
        return abs(value - self.parameter.v)


def what_if(graph: GraphReader, chip: str | Chip | None = None, **changes: float) -> float:
    """Device microseconds of a graph on a changed chip: ``what_if(graph, mte2_lat=100, cores_aic=48)``.

    Keys are as in ``Chip.replace``, which raises ``ChipError`` for an unknown parameter or an impossible value.
    """
    changed = chip_named(chip).replace(**changes)
    return changed.us(cycles(graph, changed))


def sliders(graph: GraphReader, chip: str | Chip | None = None, points: int = SLIDER_POINTS) -> tuple[Slider, ...]:
    """A slider for each parameter of the chip that has an uncertainty band, in the order of the file."""
    base = chip_named(chip)
    jobs = _kernel_counts(job for _, job in jobs_of(graph, base))
    return tuple(
        Slider(key, parameter, values, tuple(_device_us(jobs, base, base.replace(**{name: v})) for v in values))
        for key, parameter in base.parameters.items()
        if parameter.lo < parameter.hi
        for name, values in [(key.replace(".", "_", 1), _band_values(key, parameter, points))]
    )


def tornado(all_sliders: Sequence[Slider], most: int = TOP_PARAMETERS) -> tuple[Slider, ...]:
    """The sliders with the largest swing, largest first: a tornado diagram.

    >>> tornado([Slider("a", HardwareParameter(1, "s", "F", 0, 2), (0, 2), (5.0, 6.0))], 5)[0].swing
    1.0
    """
    return tuple(sorted(all_sliders, key=lambda slider: -slider.swing)[:most])


def tornado_sheet(
    graph: GraphReader, chip: str | Chip | None = None, most: int = TOP_PARAMETERS, host: str | Host = DEFAULT_HOST
) -> Sheet:  # fmt: skip
    """The ``most`` most sensitive parameters of the chip as a table; a changed ``host`` is named, but takes no part."""
    base, basis = chip_named(chip), basis_of(graph, chip, host)
    total_us = base.us(cycles(graph, base))
    rows = tuple(
        (s.key, s.values[0], s.parameter.v, s.values[-1], s.times[0], s.times[-1], s.swing,
         100 * s.swing / total_us if total_us else 0.0, s.parameter.grade, s.parameter.src)
        for s in tornado(sliders(graph, base), most)
    )  # fmt: skip
    title = f"sensitivity of {total_us:,.2f} us on {basis.label}: each parameter varied over its uncertainty band"
    return Sheet(title, COLUMNS, rows, (basis.calibration,), basis.what_if, (GRADE_LEGEND,), basis.memory)


def _band_values(key: str, parameter: HardwareParameter, points: int) -> tuple[float, ...]:
    """The chip's own value among evenly spaced values of its band, rounded for integer parameters."""
    steps = [parameter.lo + (parameter.hi - parameter.lo) * i / (points - 1) for i in range(points)]
    integers = {min(max(round(v), ceil(parameter.lo)), floor(parameter.hi)) for v in steps}
    return tuple(sorted({parameter.v, *(integers if key in INTEGER_KEYS else steps)}))


def _kernel_counts(jobs: Iterable[Job]) -> Counter[Job]:
    """Each kernel with its number of launches, loops flattened."""
    counts: Counter[Job] = Counter()
    worklist = [(job, 1) for job in jobs]
    while worklist:
        job, times = worklist.pop()
        if job.inside:
            worklist += [(inner, times * count) for inner, count in job.inside]
        else:
            counts[job] += times
    return counts


def _device_us(jobs: Counter[Job], chip: Chip, changed: Chip) -> float:
    """Microseconds of kernels tiled for ``chip``, on the ``changed`` chip."""
    total = 0.0
    for job, times in jobs.items():
        layout = layout_of(job, chip)
        if layout.plans:
            head = changed.task.head_us + (changed.task.mix_extra_us if all(layout.units) else 0.0)
            total += times * (head + changed.us(analytic.layout_cycles(layout, changed)))
    return total
