"""The three conditions that everything is measured under: what is set, what a second is, and who else computes.

What helps on one thread of a machine that does nothing else need not help a user, who sets no variable and has other
things running. So every group of tables is measured three times, each time in processes that start under a condition.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from benchmarks.measuring.harness import IN_CPU_TIME, ONE_THREAD, SHORTEST, Way, measuring
from benchmarks.measuring.neighbour import neighbour

# One thread per library: what is compared is the work done, not who spreads it over more cores. And the C library
# keeps memory that was freed: left to itself it gives large blocks back to the kernel, at times, and fetching them
# anew makes numpy's temporaries cost up to three times as much in one run, and nothing in the next.
KEPT = str(1 << 30)  # bytes
SINGLE_THREAD = {
    "MALLOC_MMAP_THRESHOLD_": KEPT,
    "MALLOC_TRIM_THRESHOLD_": KEPT,
    **ONE_THREAD,
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
TUNING = ("OMP_", "OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "KMP_", "NUMBA_", "MALLOC_", "GLIBC_TUNABLES", "XLA_FLAGS")
CORES = 2
PAUSE = 0.03  # seconds; threads of BLAS that have nothing more to do spin for 0.026 before they sleep


class Condition(NamedTuple):
    """One condition: its name on the command line, its title, and a sentence on it.

    ``variables`` are set in processes that measure; ``None``: nobody has set any. ``way`` is how they measure,
    ``rounds`` how many turns contenders take at least. ``is_busy`` says that another process keeps a core busy,
    ``slack`` by which factor ratios may be lower than what is wanted.
    """

    name: str
    title: str
    about: str
    variables: Mapping[str, str] | None
    way: Way
    rounds: int = 1
    is_busy: bool = False
    slack: float = 1.0

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """The variables of a process that measures, those ``given`` but for what tunes libraries."""
        kept = {name: value for name, value in given.items() if not name.startswith(TUNING)}
        return kept | dict(self.variables or {})

    @contextmanager
    def holds(self) -> Iterator[None]:
        """This process measures as the condition wants it, beside a neighbour if it wants one."""
        with ExitStack() as stack:
            if self.is_busy:
                stack.enter_context(neighbour())
            token = measuring.set(self.way)
            stack.callback(measuring.reset, token)
            yield


CONDITIONS = (
    Condition(
        "one_thread", "One thread",
        "One thread for each library, memory that was freed is kept, CPU seconds of all threads: what the work costs.",
        SINGLE_THREAD, IN_CPU_TIME,
    ),
    Condition(
        "nothing_set", "Nothing set",
        "No variable is set: as many threads as libraries take, memory as the C library manages it, two cores, seconds "
        "by the wall clock: what a user has. Ratios may be a tenth lower than above.",
        None, Way(by_wall=True, pause=PAUSE), slack=0.9,
    ),
    Condition(
        "busy", "Busy neighbour",
        "Nothing is set either, and another process multiplies matrices on one core all the time, as a browser or a "
        "colleague may. A program must not be slower as a graph than op by op.",
        None, Way(by_wall=True, shortest=5 * SHORTEST, pause=PAUSE), rounds=10, is_busy=True,
    ),
)  # fmt: skip
NAMES = tuple(condition.name for condition in CONDITIONS)


def condition_named(name: str) -> Condition:
    """The condition of a name.

    >>> condition_named("busy").title
    'Busy neighbour'
    """
    return CONDITIONS[NAMES.index(name)]


@contextmanager
def two_cores() -> Iterator[None]:
    """Processes started meanwhile run on two cores, if there are more: so many have the machines we compare with."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:CORES])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
