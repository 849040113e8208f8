"""Comparison of each published row with the prediction: error, role in fitting, evidence grades."""

import statistics
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from benchmarks.ascend.jobs import CLASSES, published_rows, published_values
from benchmarks.ascend.other_rows import OTHER_ROWS
from benchmarks.ascend.published import FITTED, LARGE_ERRORS, NOT_MODELED, PUBLISHED, RANK_ORDERS, predict
from minigraph.npu.job_cost import cost_of
from minigraph.npu.reports import grade_of

FITTED_BY_ROW = {name: parameter for parameter, rows in FITTED.items() for name in rows}
# Sources of the vendor: documentation and samples (grade M). All others, with generated reports, have grade P.
VENDOR = ("mirror-cann/", "Ascend/", "hicann/", "mindspore-ai/docs")


class Comparison(NamedTuple):
    """One row: its text in the file, the published value, the prediction (``None`` if not modelled), and a note.

    ``role``: "fitted" (used to choose ``parameter``), "held out" or "not modelled". ``grade``: of the
    measurement; ``estimate_grade``: of the prediction.
    """

    id: str
    row: dict[str, str]
    published: float
    estimate: float | None
    role: str
    parameter: str
    grade: str
    estimate_grade: str
    note: str

    @property
    def error(self):
        """Relative error of the prediction; for percentages the difference; ``None`` if not modelled."""
        if self.estimate is None:
            return None
        return (self.estimate - self.published) / 100 if self.row["unit"] == "%" else self.estimate / self.published - 1


@cache
def comparisons():
    """Every row of the data files, in order."""
    return tuple(map(_comparison, published_rows()))


def _comparison(row):
    name = row["id"]
    grade = "M" if row["source"].startswith(VENDOR) else "P"
    if name in NOT_MODELED:
        return Comparison(name, row, published_values()[name], None, "not modelled", "", grade, "", NOT_MODELED[name])
    role = "fitted" if name in FITTED_BY_ROW else "held out"
    us = OTHER_ROWS[name]() if name in OTHER_ROWS else predict(PUBLISHED[name])
    parameter, note = FITTED_BY_ROW.get(name, ""), LARGE_ERRORS.get(name, "")
    return Comparison(name, row, published_values()[name], us, role, parameter, grade, _estimate_grade(name), note)


def _estimate_grade(name):
    """The grade of the least certain parameter behind an estimate."""
    if name in OTHER_ROWS:
        return "F" if name != "e5" else "U"
    row = PUBLISHED[name]
    grades = [grade_of(cost_of(job, row.chip, "event", row.schedule), row.chip) for job in row.jobs]
    return max(grades, key="DSMPXFU".index)


class Spread(NamedTuple):
    """Absolute errors of some rows: count, median, 90th percentile, maximum."""

    count: int
    median: float
    percentile_90: float
    worst: float


def spread(rows):
    """The spread of the errors of all rows that are modelled."""
    return spread_of(row.error for row in rows if row.error is not None)


def spread_of(signed):
    """The spread of the absolute values of some errors."""
    errors = sorted(map(abs, signed))
    return Spread(len(errors), statistics.median(errors), errors[int(0.9 * len(errors))], errors[-1])


class RankOrder(NamedTuple):
    """A rank order: ids from slowest to fastest, both values, whether the order is kept, and its ties."""

    ids: tuple[str, ...]
    published: tuple[float, ...]
    estimate: tuple[float, ...]
    is_kept: bool
    ties: tuple[tuple[str, str], ...] = ()


def rank_orders():
    """Every rank order; predictions that differ by less than 0.1 % count as equal, and are ties."""
    by_id = {row.id: row for row in comparisons()}
    for ids in RANK_ORDERS:
        published, estimates = ([getattr(by_id[name], column) for name in ids] for column in ("published", "estimate"))
        is_kept = all(a >= 0.999 * b for a, b in pairwise(estimates))
        neighbours = zip(pairwise(ids), pairwise(estimates), strict=True)
        ties = tuple(pair for pair, (a, b) in neighbours if abs(a / b - 1) < 0.001)
        yield RankOrder(
            ids, tuple(published), tuple(estimates), is_kept and published == sorted(published, reverse=True), ties
        )


class Agreement(NamedTuple):
    """The two engines on one class of operators: the largest difference, with its chip and job."""

    kind: str
    difference: float
    chip: str
    job: str
    count: int


def agreement(chips):
    """For each class of operators, the largest relative difference of analytic and event engine over these chips."""
    for kind, jobs in CLASSES.items():
        differences = [
            (cost_of(job, chip, "analytic").cycles / cost_of(job, chip, "event").cycles - 1, chip.name, job)
            for chip in chips
            for job in jobs
        ]
        difference, chip, job = max(differences, key=lambda difference: abs(difference[0]))
        sizes = job.work.macs[0][:4] if job.work.macs else job.work.rows or (job.elements,)
        yield Agreement(kind, difference, chip, " x ".join(map(str, sizes)), len(differences))
