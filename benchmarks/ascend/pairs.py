"""A/B pairs: published rows that differ in one thing, and whether the simulator predicts which of them is faster.

A rule decides which rows form a pair, see ``pairs``; none is chosen by hand.
"""

import re
from collections.abc import Iterable
from itertools import combinations
from math import log
from typing import NamedTuple

from benchmarks.ascend.compare import Comparison, comparisons
from benchmarks.ascend.source_pages import source_page
from benchmarks.ascend.users import user_times

MIN_RATIO = 1.05  # of two published times; times with a smaller ratio count as equal
COMPONENTS = ("mte1", "mte2", "mte3", "mac", "vec")
CHIP_PATTERN = re.compile(r"950|910\w?\d?|310P?\d?|A[23]")


class Pair(NamedTuple):
    """Two rows, the slower one first; published and predicted ratio, and a verdict."""

    slower: str
    faster: str
    published: float
    predicted: float

    @property
    def verdict(self) -> str:
        """Distinguished: the predicted ratio is at least half the published one in logarithm; wrong: it is inverse."""
        share = log(self.predicted) / log(self.published)
        return "distinguished" if share >= 0.5 else "wrong" if share < 0 else "not distinguished"


def pairs() -> list[Pair]:
    """All pairs of modelled times of one source page, chip and metric that differ in one thing and by more than 5 %.

    Predicted with the hand-set jobs of ``published.py``.
    """
    times = [row for row in comparisons() if row.error is not None and row.row["unit"] in ("us", "ms")]
    ordered = (sorted(rows, key=lambda row: -row.published) for rows in combinations(times, 2) if is_pair(*rows))
    compared = [Pair(a.id, b.id, a.published / b.published, a.estimate / b.estimate) for a, b in ordered]
    return [pair for pair in compared if pair.published > MIN_RATIO]


def public_call_pairs(compared: Iterable[Pair]) -> list[Pair]:
    """The pairs whose rows are both written with public calls (``users.py``), with the ratios that these predict."""
    times = user_times()
    by_calls = (pair for pair in compared if {pair.slower, pair.faster} <= times.keys())
    return [pair._replace(predicted=times[pair.slower] / times[pair.faster]) for pair in by_calls]


def is_pair(a: Comparison, b: Comparison) -> bool:
    """Whether two rows differ in one thing: an option of the kernel, the shape or the dtype."""
    is_comparable = source_page(a.id) == source_page(b.id) and chip_of(a) == chip_of(b) and metric_of(a) == metric_of(b)
    options = [options_of(row) for row in (a, b)]
    changed = max(len(options[0] - options[1]), len(options[1] - options[0]))
    return is_comparable and changed + (a.row["shape"] != b.row["shape"]) + (dtype_of(a) != dtype_of(b)) == 1


def options_of(row: Comparison) -> frozenset[str]:
    """The operator and its options, which commas and brackets separate in the data files."""
    return frozenset(part.strip(" )") for part in re.split(r", | \(", row.row["op"]))


def metric_of(row: Comparison) -> str:
    """The queue whose busy time the row is, or "time" for the time of tasks or cores."""
    return next((name for name in COMPONENTS if f"_{name}_time" in row.row["metric"]), "time")


def chip_of(row: Comparison) -> str:
    """The chip that the row's source names."""
    match = CHIP_PATTERN.search(row.row["device"])
    return match.group() if match else row.row["device"]


def dtype_of(row: Comparison) -> str:
    """The dtype, without the remark how it was inferred."""
    return row.row["dtype"].split(" (")[0]
