"""Fair timing: contenders with equal results, called in alternation, in CPU time or by the wall clock.

Absolute times on a shared machine are not reproducible; ratios of contenders that alternate round by round are. So
every case has a *baseline* (its first contender), every other contender's results are compared with the baseline's
before it is timed, and a ratio is the median of the ratios of the single rounds.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

# environment variables that limit each library to one thread
ONE_THREAD_VARIABLES = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
UNITS_PER_SECOND = {"µs": 1e6, "ms": 1e3}
MIN_SAMPLE_SECONDS = 0.02  # duration of a sample at which the clock's resolution does not matter


class Timing(NamedTuple):
    """How a process measures: by the wall clock, or in CPU time of all its threads.

    ``sample_seconds`` is the minimum duration of a sample, ``pause_seconds`` the idle time before each, in which the
    threads of the previous one go to sleep.
    """

    uses_wall_clock: bool = False
    sample_seconds: float = MIN_SAMPLE_SECONDS
    pause_seconds: float = 0.0


CPU_TIMING = Timing()
current_timing = ContextVar("measuring", default=CPU_TIMING)


def is_single_threaded() -> bool:
    """Whether every library is limited to one thread."""
    return os.environ.items() >= ONE_THREAD_VARIABLES.items()


class Seconds(NamedTuple):
    """CPU time of all threads, and time by the wall clock."""

    cpu: float
    wall: float


class MismatchError(AssertionError):
    """Two contenders have different results, so comparing their speed would mean nothing."""


@dataclass(frozen=True)
class Contender:
    """One implementation of a case: ``run(*prepare())``, of which only ``run`` is timed.

    ``run`` returns arrays that must equal the baseline's, or ``None`` if there is nothing to compare.
    ``timer``, if given, measures instead: it calls ``run`` a number of times, possibly in another process, and returns
    the time that the calls took.
    """

    name: str
    run: Callable[..., Any]
    prepare: Callable[[], tuple[Any, ...]] = tuple
    timer: Callable[[int], Seconds] | None = None


@dataclass(frozen=True)
class Case:
    """One row of a table: the same work by several contenders, the first being the baseline.

    ``operator_count`` is the number of operators (or nodes) of one call; times are shown per operator.
    ``rtol`` is the tolerance for results, relative to the baseline's largest value; 0 means bitwise equal.
    ``clock`` returns CPU seconds, of this process by default.
    ``unit`` is the unit of displayed times, "µs" or "ms".
    """

    title: str
    contenders: Sequence[Contender]
    operator_count: int = 1
    rtol: float = 1e-5
    clock: Callable[[], float] = time.process_time
    unit: str = "µs"


@dataclass(frozen=True)
class Result:
    """The measurements of one case: per contender, the baseline first, the median seconds per call, and its speed.

    ``speed`` is relative to the baseline (1.00; larger is faster), by the clock that the process measures by;
    ``wall_speed`` the same by the wall clock. ``spread`` is half the interquartile range of the ratios of single
    rounds. ``samples`` are the seconds of every round. ``case`` is available in the measuring process only; everything
    else is stored.
    """

    title: str
    seconds: Mapping[str, float]
    speed: Mapping[str, float]
    spread: Mapping[str, float]
    wall_speed: Mapping[str, float]
    rounds: int
    operator_count: int = 1
    unit: str = "µs"
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict, repr=False)
    case: Case | None = field(default=None, repr=False, compare=False)

    @property
    def baseline(self) -> str:
        """The contender that the others are compared with."""
        return next(iter(self.seconds))

    def time_per_operator(self, name: str) -> float:
        """The time per operator (or node) of one contender, in the case's unit."""
        return self.seconds[name] / self.operator_count * UNITS_PER_SECOND[self.unit]

    def speed_ratio(self, name: str, other: str) -> float:
        """The speed of one contender relative to another, the median of the ratios of single rounds."""
        if not self.samples:
            return self.speed[name] / self.speed[other]
        return statistics.median(_ratios(self.samples[other], self.samples[name]))


@dataclass
class Table:
    """The results of one benchmark: a title, a sentence that describes it, and a row per case."""

    title: str
    description: str
    results: list[Result] = field(default_factory=list)


# ---- agreement ---------------------------------------------------------------------------------------


def check_agreement(case: Case, calls: int = 2) -> None:
    """Check that every contender has the baseline's results in every call (a training step changes its state).

    Raises ``MismatchError`` with the case, the contender, the result and the largest difference.
    """
    expected = _results(case.contenders[0], calls)
    for contender in case.contenders[1:]:
        for i, (reference, result) in enumerate(zip(expected, _results(contender, calls), strict=True)):
            _check_equal(f"{case.title}: {contender.name}, call {i + 1}", reference, result, case.rtol)


def _results(contender: Contender, calls: int) -> list[list[np.ndarray]]:
    return [_arrays(contender.run(*contender.prepare())) for _ in range(calls)]


def _arrays(result: Any) -> list[np.ndarray]:
    if result is None:
        return []
    arrays = [np.array(item) for item in (result if isinstance(result, tuple | list) else (result,))]
    return [array.astype(np.int8) if array.dtype == bool else array for array in arrays]  # numpy cannot subtract bools


def _check_equal(where: str, references: list[np.ndarray], results: list[np.ndarray], rtol: float) -> None:
    if len(references) != len(results):
        raise MismatchError(f"{where}: {len(results)} results instead of {len(references)}")
    for i, (expected, actual) in enumerate(zip(references, results, strict=True)):
        if expected.shape != actual.shape:
            raise MismatchError(f"{where}: result {i} has shape {actual.shape} instead of {expected.shape}")
        scale = float(np.abs(expected).max(initial=0.0))
        difference = float(np.abs(expected - actual).max(initial=0.0))
        if not difference <= rtol * scale:  # also true for NaN
            raise MismatchError(f"{where}: result {i} differs by {difference:.3g}, more than {rtol:g} of {scale:.3g}")


# ---- timing ------------------------------------------------------------------------------------------


def measure(case: Case, rounds: int = 7, sample_seconds: float | None = None) -> Result:
    """Time the contenders of a case in alternation; raises ``MismatchError`` if their results differ.

    Each sample repeats a call until it lasts ``sample_seconds`` (by default those of ``current_timing``). The order is
    rotated by one every round, so that no contender always runs after the same other one. The garbage collector is off
    during a sample and runs between samples.
    """
    check_agreement(case)
    timing = current_timing.get()
    sample_seconds = timing.sample_seconds if sample_seconds is None else sample_seconds
    try:
        samples = _samples(case, rounds, sample_seconds, timing.pause_seconds)
        return _result(case, samples, rounds, timing.uses_wall_clock)
    finally:
        gc.unfreeze()


def _samples(case: Case, rounds: int, sample_seconds: float, pause_seconds: float) -> dict[str, list[Seconds]]:
    repetitions = [_repetitions(contender, sample_seconds, case.clock) for contender in case.contenders]
    samples: dict[str, list[Seconds]] = {contender.name: [] for contender in case.contenders}
    for k in range(rounds):
        order = list(zip(case.contenders, repetitions, strict=True))
        for contender, calls in order[k % len(order) :] + order[: k % len(order)]:
            time.sleep(pause_seconds)
            samples[contender.name].append(_sample(contender, calls, case.clock))
    return samples


def _result(case: Case, samples: dict[str, list[Seconds]], rounds: int, uses_wall_clock: bool) -> Result:
    baseline = case.contenders[0].name
    walls = {name: [sample.wall for sample in rows] for name, rows in samples.items()}
    times = walls if uses_wall_clock else {name: [sample.cpu for sample in rows] for name, rows in samples.items()}
    ratios = {name: _ratios(times[baseline], seconds) for name, seconds in times.items()}
    return Result(
        case.title,
        {name: statistics.median(seconds) for name, seconds in times.items()},
        {name: statistics.median(ordered) for name, ordered in ratios.items()},
        {name: (ordered[3 * rounds // 4] - ordered[rounds // 4]) / 2 for name, ordered in ratios.items()},
        {name: statistics.median(_ratios(walls[baseline], seconds)) for name, seconds in walls.items()},
        rounds, case.operator_count, case.unit, times, case,
    )  # fmt: skip


def _ratios(base: Sequence[float], times: Sequence[float]) -> list[float]:
    """The speed relative to the baseline in each round, in ascending order."""
    return sorted(b / t for b, t in zip(base, times, strict=True))


def _repetitions(contender: Contender, sample_seconds: float, clock: Callable[[], float]) -> int:
    """How many calls last ``sample_seconds``; the trial calls also serve as warm-up."""
    calls, seconds = 1, max(_sample(contender, 1, clock))
    while seconds * calls < sample_seconds and calls < 1_000_000:
        calls = max(2 * calls, min(10 * calls, int(sample_seconds / max(seconds, 1e-7))))
        seconds = max(_sample(contender, calls, clock))
    return calls


def _sample(contender: Contender, calls: int, clock: Callable[[], float]) -> Seconds:
    """The time per call, in seconds, over ``calls`` calls without garbage collection."""
    gc.collect()
    gc.freeze()  # so that the next collection does not visit all objects of the process again
    gc.disable()
    try:
        if contender.timer is not None:
            elapsed = contender.timer(calls)
        elif contender.prepare is tuple:
            elapsed = time_calls(contender.run, calls, clock)
        else:
            times = [time_calls(partial(contender.run, *contender.prepare()), 1, clock) for _ in range(calls)]
            elapsed = Seconds(sum(t.cpu for t in times), sum(t.wall for t in times))
    finally:
        gc.enable()
    return Seconds(elapsed.cpu / calls, elapsed.wall / calls)


def time_calls(run: Callable[[], Any], calls: int, clock: Callable[[], float] = time.process_time) -> Seconds:
    """The time of ``calls`` calls, in seconds."""
    cpu, wall = clock(), time.perf_counter()
    for _ in range(calls):
        run()
    return Seconds(clock() - cpu, time.perf_counter() - wall)
