"""Efficiency bands of the classes of kernels, from the published rows and their programs in ``users``.

The band of a class reaches from the 10th to the 90th percentile of published over predicted times, and a tenth further
on both sides. A class with fewer than ``MIN_CLASS_ROWS`` rows takes the percentiles of all rows. Rows that are only
estimates belong to no class. ``python -m benchmarks.ascend`` writes the bands to the file that reports read.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from benchmarks.ascend.jobs import published_values
from benchmarks.ascend.published import PUBLISHED
from benchmarks.ascend.source_pages import cross_validation_errors, source_page
from benchmarks.ascend.users import USER_CALLS, predicted_us, report_of
from minigraph.npu.efficiency import Efficiency, efficiency_of, kernel_class

LOWER_QUANTILE = 0.1  # and 1 minus it
MARGIN_FACTOR = 1.1  # by which a band extends beyond the percentiles
MIN_CLASS_ROWS = 5  # of a class whose own percentiles are used
HEADER = "# Published over predicted time of kernels, by class. Written by `python -m benchmarks.ascend`.\n"


class Ratio(NamedTuple):
    """A row: its id, class and family, and its published over its predicted time."""

    id: str
    kernel_class: str
    family: str
    value: float


@cache
def ratios() -> tuple[Ratio, ...]:
    """The rows of ``USER_CALLS`` with the class of the slowest task; without estimates."""
    result = []
    for name, call in USER_CALLS.items():
        tasks = sorted(report_of(call).rows, key=lambda row: row.us)
        jobs = [row.mapped[0] for row in tasks]
        if efficiency_of(jobs) is not None:
            ratio = published_values()[name] / predicted_us(call)
            result.append(Ratio(name, kernel_class(jobs[-1]), source_page(name), ratio))
    return tuple(result)


def band(kernel: str, rows: Sequence[Ratio]) -> Efficiency:
    """The band of a class from these rows."""
    measured = [row.value for row in rows if row.kernel_class == kernel]
    values = sorted(measured if len(measured) >= MIN_CLASS_ROWS else [row.value for row in rows])
    low, high = _percentile(values, LOWER_QUANTILE), _percentile(values, 1 - LOWER_QUANTILE)
    return Efficiency(kernel, round(low / MARGIN_FACTOR, 2), round(high * MARGIN_FACTOR, 2), len(measured))


def bands() -> list[Efficiency]:
    """The band of each class, from all rows."""
    return [band(kernel, ratios()) for kernel in sorted({row.kernel_class for row in ratios()})]


@cache
def rows_in_band() -> dict[str, tuple[str, ...]]:
    """For each class, the rows inside of the band that is fitted without their family."""
    return {efficiency.kernel: tuple(_ids_in_band(efficiency.kernel)) for efficiency in bands()}


def _ids_in_band(kernel: str) -> Iterator[str]:
    for row in ratios():
        fitted = band(kernel, [other for other in ratios() if other.family != row.family])
        if row.kernel_class == kernel and fitted.lo <= row.value <= fitted.hi:
            yield row.id


def cross_validated_hits() -> tuple[int, int]:
    """(task times in their band, all task times), by leave-one-group-out cross-validation."""
    by_kernel, hits, count = {band.kernel: band for band in bands()}, 0, 0
    for name, error in cross_validation_errors().items():
        row = PUBLISHED[name]
        kernel = kernel_class(row.jobs[-1])
        if row.metric in ("task", "core") and kernel:
            fitted = by_kernel[kernel]
            count, hits = count + 1, hits + (fitted.lo <= 1 / (1 + error) <= fitted.hi)
    return hits, count


def bands_toml() -> str:
    """The text of the file that reports read."""
    tables = (f"[{band.kernel}]\nlo = {band.lo}\nhi = {band.hi}\nrows = {band.rows}\n" for band in bands())
    return HEADER + "".join(tables)


def _percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of sorted values lies, interpolated."""
    index, part = divmod(share * (len(values) - 1), 1)
    low, high = values[int(index)], values[min(int(index) + 1, len(values) - 1)]
    return low + part * (high - low)
