"""Times calls in turns and reports medians with ranges, on one BLAS thread if the number can be set."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, NamedTuple

from minigraph.core.seams import process_implementation

MIN_ROUNDS = 2  # timed rounds, however long a call takes
processor_time = time.perf_counter if sys.platform == "win32" else time.process_time  # Windows counts in 16 ms


class Spread(NamedTuple):
    """A median with the range of nine tenths of the samples."""

    median: float
    low: float
    high: float

    @classmethod
    def from_samples(cls, samples: Sequence[float]) -> Spread:
        """The median, the 5th and the 95th percentile of samples.

        Quartiles would be too narrow: the medians of two runs on a busy machine differ by more.

        >>> Spread.from_samples([float(number) for number in range(1, 22)])
        Spread(median=11.0, low=2.0, high=20.0)
        """
        if len(samples) < 2:
            return cls(samples[0], samples[0], samples[0])
        twentieths = statistics.quantiles(samples, n=20, method="inclusive")
        return cls(statistics.median(samples), twentieths[0], twentieths[-1])


def on_threads_as_set(call: Callable[[], Any]) -> Callable[[], Any]:
    """The call itself: without the accelerator, nothing sets the number of BLAS threads."""
    return call


def limit_to_one_thread(call: Callable[[], Any]) -> tuple[Callable[[], Any], str]:
    """The call with BLAS on one thread, and a description of the threads.

    With several threads, another process that keeps a core busy would sometimes delay a call by milliseconds.
    """
    limited = process_implementation("one_thread", on_threads_as_set)(call)
    return limited, "1 BLAS thread" if limited is not call else "BLAS as set"


def time_in_turns(
    *calls: Callable[[], object], rounds: int = 15, seconds: float = 0.5, patience: float = 10.0
) -> list[list[float]]:
    """The milliseconds of each call in each round; calls are timed in turns, so that noise affects all of them alike.

    Time during which other processes had the processor does not count: the smaller of elapsed and processor time; the
    elapsed one where the processor's clock did not advance, as it is coarse on some systems.
    At least ``rounds``, and for at least ``seconds``, because other processes slow down short periods, which would
    dominate a short run. After ``patience`` seconds it stops early, but not before two timed rounds.
    """
    samples: list[list[float]] = [[] for _ in calls]
    begun = time.perf_counter()
    for iterations in count():
        total = time.perf_counter() - begun
        if (iterations > rounds and total > seconds) or (iterations > MIN_ROUNDS and total > patience):
            break
        for call, times in zip(calls, samples, strict=True):
            start, busy = time.perf_counter(), processor_time()
            call()
            used, elapsed = processor_time() - busy, time.perf_counter() - start
            times.append((min(used, elapsed) or elapsed) * 1e3)
    return [times[1:] for times in samples]  # the first round is a warm-up
