"""What L2 holds when a published kernel starts: the simulator's own model of reuse distances, given the earlier runs.

A row whose source states nothing runs once, with a cold L2.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

from minigraph.npu.residency import ReuseDistances
from minigraph.npu.tiling.plan import Job

# What sources state of runs before the timed one.
KERNEL_BENCH = "5 warm-up and 50 timed runs of each kernel are the defaults of the profiler in the report's repository"
ATTENTION = "the metric is a mean of 50 iterations"
RUNS_ONCE = ""


def miss_rates(nbytes: int, times: int, slices: int, capacity: int) -> list[float]:
    """The miss rate of each read of a buffer, in ``slices`` that are each read ``times`` times before the next.

    >>> miss_rates(300, 2, 1, 200), miss_rates(300, 2, 2, 200)
    ([1.0, 1.0], [1.0, 0.0, 1.0, 0.0])
    """
    l2 = ReuseDistances(capacity)
    return [l2.run({part: nbytes // slices}) for part in range(slices) for _ in range(times)]


def rereads(job: Job, times: int, slices: int, capacity: int, lockstep: bool) -> tuple[Job, ...]:
    """A kernel that reads the operands of ``job`` ``times`` times: its reads with equal miss rates as one job.

    ``lockstep``: all cores read the same bytes in the same order, so that hits and misses are mixed throughout.
    """
    rates = miss_rates(job.work.read, times, slices, capacity)
    if lockstep:
        rates = [sum(rates) / len(rates)] * len(rates)
    return tuple(_scaled(job, Fraction(count, slices), rate) for rate, count in Counter(rates).items())


def _scaled(job: Job, factor: Fraction, cold: float) -> Job:
    work = replace(job.work, read=int(job.work.read * factor))
    return replace(job, work=work, elements=int(job.elements * factor), cold=round(cold, 4))


def after_runs(jobs: Sequence[Job], capacity: int, repeated: bool) -> tuple[Job, ...]:
    """Kernels that run one after another, with their miss rates; ``repeated``: all of them have run before.

    A value between two kernels counts as two, one written and one read.
    """
    l2, rates = ReuseDistances(capacity), list[float]()
    for _ in range(2 if repeated else 1):
        rates = [l2.run({("read", i): job.work.read}, _results(i, job)) for i, job in enumerate(jobs)]
    return tuple(replace(job, cold=round(rate, 4)) for job, rate in zip(jobs, rates, strict=True))


def _results(number: int, job: Job) -> dict[Hashable, int]:
    return {("written", number): job.work.written}
