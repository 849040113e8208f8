"""The three measuring conditions: environment variables, the clock, and the load of the machine.

A technique that helps on one thread of an idle machine need not help a user who sets no variables and runs other
programs. So every group of tables is measured three times, each time in processes that start under one condition.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from benchmarks.measuring.harness import CPU_TIMING, MIN_SAMPLE_SECONDS, ONE_THREAD_VARIABLES, Timing, current_timing
from benchmarks.measuring.neighbor import neighbor

# One thread per library: the comparison is of the work done, not of its distribution over cores. The C library keeps
# freed memory: by default it sometimes returns large blocks to the kernel, and allocating them again makes numpy's
# temporaries up to three times as expensive in some runs.
TRIM_THRESHOLD_BYTES = str(1 << 30)
SINGLE_THREAD = {
    "MALLOC_MMAP_THRESHOLD_": TRIM_THRESHOLD_BYTES,
    "MALLOC_TRIM_THRESHOLD_": TRIM_THRESHOLD_BYTES,
    **ONE_THREAD_VARIABLES,
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
TUNING_PREFIXES = (
    "OMP_",
    "OPENBLAS_",
    "GOTO_",
    "MKL_",
    "BLIS_",
    "KMP_",
    "NUMBA_",
    "MALLOC_",
    "GLIBC_TUNABLES",
    "XLA_FLAGS",
)
MAX_CORES = 2
PAUSE_SECONDS = 0.03  # idle BLAS threads spin for 0.026 seconds before they sleep


class Condition(NamedTuple):
    """One condition: its name on the command line, its title, and its description.

    ``variables`` are set in the measuring processes; ``None``: none are. ``timing`` is how they measure, ``rounds`` the
    minimum number of rounds. ``is_busy``: another process keeps one core busy. ``slack`` is a factor for the bounds of
    ratio goals.
    """

    name: str
    title: str
    description: str
    variables: Mapping[str, str] | None
    timing: Timing
    rounds: int = 1
    is_busy: bool = False
    slack: float = 1.0

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """The variables of a measuring process: without those that tune libraries, and with the condition's."""
        environment = {name: value for name, value in variables.items() if not name.startswith(TUNING_PREFIXES)}
        return environment | dict(self.variables or {})

    @contextmanager
    def apply(self) -> Iterator[None]:
        """Measure under the condition in this process, with the busy neighbour running if it has one."""
        with ExitStack() as stack:
            if self.is_busy:
                stack.enter_context(neighbor())
            token = current_timing.set(self.timing)
            stack.callback(current_timing.reset, token)
            yield


CONDITIONS = (
    Condition(
        "one_thread", "One thread",
        "One thread per library, freed memory is kept, CPU seconds of all threads: the cost of the work.",
        SINGLE_THREAD, CPU_TIMING,
    ),
    Condition(
        "nothing_set", "Nothing set",
        "No variable is set: the libraries' default number of threads, the C library's default memory management, two "
        "cores, wall-clock seconds: what a user sees. Ratios may be a tenth lower than above.",
        None, Timing(uses_wall_clock=True, pause_seconds=PAUSE_SECONDS), slack=0.9,
    ),
    Condition(
        "busy", "Busy neighbour",
        "No variable is set, and another process multiplies matrices on one core all the time, as other programs of a "
        "user may. A program must not be slower in graph mode than in eager mode.",
        None, Timing(uses_wall_clock=True, sample_seconds=5 * MIN_SAMPLE_SECONDS, pause_seconds=PAUSE_SECONDS),
        rounds=10, is_busy=True,
    ),
)  # fmt: skip
NAMES = tuple(condition.name for condition in CONDITIONS)


def condition_named(name: str) -> Condition:
    """The condition with this name.

    >>> condition_named("busy").title
    'Busy neighbour'
    """
    return CONDITIONS[NAMES.index(name)]


@contextmanager
def two_cores() -> Iterator[None]:
    """Restrict processes started in the block to two cores, as on the machines whose results are compared."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:MAX_CORES])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
