"""Each published row beside what the model says of it: error, role in fitting, grades."""

import csv
import statistics
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from benchmarks.ascend.jobs import CLASSES, DATA, measured
from benchmarks.ascend.published import APART, FITTED, LADDERS, MISSED, PUBLISHED, UNTOLD, predicted
from minigraph.npu.job_cost import cost_of
from minigraph.npu.reports import grade_of

SEEN = {name: figure for figure, rows in FITTED.items() for name in rows}
# Who measured: the vendor in its own documentation and samples (M), or others, generated reports among them (P).
VENDOR = ("mirror-cann/", "Ascend/", "hicann/", "mindspore-ai/docs")
PERCENT = {"%"}


class Compared(NamedTuple):
    """One row: its text in the file, the published figure, ours (``None`` when the model has none), and what to know.

    ``role`` is "fitted" (looked at to choose the figure ``figure``), "held out" or "not modelled"; ``grade`` is of
    the measurement, ``sure`` of the estimate.
    """

    id: str
    row: dict[str, str]
    published: float
    ours: float | None
    role: str
    figure: str
    grade: str
    sure: str
    note: str

    @property
    def error(self):
        """Ours over published less one; for shares the difference; ``None`` without ours."""
        if self.ours is None:
            return None
        return (self.ours - self.published) / 100 if self.row["unit"] == "%" else self.ours / self.published - 1


@cache
def compared():
    """Every row of the file, in its order."""
    with DATA.open(encoding="utf-8", newline="") as file:
        return tuple(_compared(row) for row in csv.DictReader(file))


def _compared(row):
    name = row["id"]
    grade = "M" if row["source"].startswith(VENDOR) else "P"
    if name in UNTOLD:
        return Compared(name, row, measured()[name], None, "not modelled", "", grade, "", UNTOLD[name])
    role = "fitted" if name in SEEN else "held out"
    ours = APART[name]() if name in APART else predicted(PUBLISHED[name])
    figure, note = SEEN.get(name, ""), MISSED.get(name, "")
    return Compared(name, row, measured()[name], ours, role, figure, grade, _sure(name), note)


def _sure(name):
    """The grade of the least certain figure behind an estimate."""
    if name in APART:
        return "F" if name != "e5" else "U"
    row = PUBLISHED[name]
    grades = [grade_of(cost_of(job, row.chip, "event", row.schedule), row.chip) for job in row.jobs]
    return max(grades, key="DSMPXFU".index)


class Spread(NamedTuple):
    """Absolute errors of some rows: how many, median, 90th percentile, worst."""

    count: int
    median: float
    ninetieth: float
    worst: float


def spread(rows):
    """The spread of the errors of rows that have one."""
    sizes = sorted(abs(row.error) for row in rows if row.error is not None)
    return Spread(len(sizes), statistics.median(sizes), sizes[int(0.9 * len(sizes))], sizes[-1])


class Ladder(NamedTuple):
    """Rows that are a rank order: ids from slowest to fastest, published and predicted, and whether it is kept."""

    ids: tuple[str, ...]
    published: tuple[float, ...]
    ours: tuple[float, ...]
    kept: bool


def ladders():
    """Every rank order; kernels that the model tells apart by less than 0.1 % count as equal."""
    found = {row.id: row for row in compared()}
    for ids in LADDERS:
        published, ours = ([getattr(found[name], what) for name in ids] for what in ("published", "ours"))
        kept = all(a >= 0.999 * b for a, b in pairwise(ours))
        yield Ladder(ids, tuple(published), tuple(ours), kept and published == sorted(published, reverse=True))


class Agreement(NamedTuple):
    """The two engines on one class of operators: the largest difference, and the chip and job where it is."""

    kind: str
    difference: float
    chip: str
    job: str
    count: int


def agreement(chips):
    """For each class of operators its worst case over these chips: closed form over event engine, less one."""
    for kind, jobs in CLASSES.items():
        found = [
            (cost_of(job, chip, "analytic").cycles / cost_of(job, chip, "event").cycles - 1, chip.name, job)
            for chip in chips
            for job in jobs
        ]
        off, chip, job = max(found, key=lambda one: abs(one[0]))
        told = job.work.macs[0][:4] if job.work.macs else job.work.rows or (job.elements,)
        yield Agreement(kind, off, chip, " x ".join(map(str, told)), len(found))
