"""Each published row with the model's prediction: error, role in fitting, grades."""

import csv
import statistics
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from benchmarks.ascend.jobs import CLASSES, DATA, measured
from benchmarks.ascend.published import APART, FITTED, LADDERS, MISSED, PUBLISHED, UNTOLD, predicted
from minigraph.npu.measure import cost_of
from minigraph.npu.reports import grade_of

SEEN = {name: figure for figure, rows in FITTED.items() for name in rows}
# Sources whose rows the vendor measured (grade M); rows of other sources, such as generated reports, have grade P.
VENDOR = ("mirror-cann/", "Ascend/", "hicann/", "mindspore-ai/docs")


class Compared(NamedTuple):
    """One row: its text in the file, the published figure, the predicted one (``None`` if not modelled), and a note.

    ``role`` is "fitted" (used to choose the figure ``figure``), "held out" or "not modelled"; ``grade`` is that of the
    measurement, ``sure`` that of the prediction.
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
        """The relative error of the prediction; for percentages the difference; ``None`` if not modelled."""
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
    """The grade of the least certain figure that a prediction depends on."""
    if name in APART:
        return "F" if name != "e5" else "U"
    row = PUBLISHED[name]
    grades = [grade_of(cost_of(job, row.chip, "event", row.schedule), row.chip) for job in row.jobs]
    return max(grades, key="DSMPXFU".index)


class Spread(NamedTuple):
    """Absolute errors of some rows: count, median, 90th percentile, worst."""

    count: int
    median: float
    ninetieth: float
    worst: float


def spread(rows):
    """The spread of the errors of the modelled rows."""
    errors = sorted(abs(row.error) for row in rows if row.error is not None)
    return Spread(len(errors), statistics.median(errors), errors[int(0.9 * len(errors))], errors[-1])


class Ladder(NamedTuple):
    """A rank order of rows: ids from slowest to fastest, published and predicted figures, whether the order is kept."""

    ids: tuple[str, ...]
    published: tuple[float, ...]
    ours: tuple[float, ...]
    kept: bool


def ladders():
    """Every rank order; predictions that differ by less than 0.1 % count as equal."""
    rows = {row.id: row for row in compared()}
    for ids in LADDERS:
        published, ours = ([getattr(rows[name], what) for name in ids] for what in ("published", "ours"))
        kept = all(a >= 0.999 * b for a, b in pairwise(ours))
        yield Ladder(ids, tuple(published), tuple(ours), kept and published == sorted(published, reverse=True))


class Agreement(NamedTuple):
    """The two engines on one class of operators: the largest difference, with its chip and job."""

    kind: str
    difference: float
    chip: str
    job: str
    count: int


def agreement(chips):
    """The worst case of each class of operators over these chips: closed form over event engine, minus one."""
    for kind, jobs in CLASSES.items():
        cases = [
            (cost_of(job, chip, "analytic").cycles / cost_of(job, chip, "event").cycles - 1, chip.name, job)
            for chip in chips
            for job in jobs
        ]
        difference, chip, job = max(cases, key=lambda case: abs(case[0]))
        sizes = job.work.macs[0][:4] if job.work.macs else job.work.rows or (job.elements,)
        yield Agreement(kind, difference, chip, " x ".join(map(str, sizes)), len(cases))
