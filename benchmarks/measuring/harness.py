"""Fair timing: contenders that are known to agree, called in turns, in CPU time or by the wall clock.

Absolute times of a shared machine mean little; the ratio of two contenders that alternate round by round
means the same everywhere. So every case has a *yardstick* (its first contender), every other contender is
compared with it in value before it is timed, and a ratio is the median of the ratios of the single rounds.
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

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # per library
PER_SECOND = {"µs": 1e6, "ms": 1e3}
SHORTEST = 0.02  # seconds a sample has to last, so that the clock's grain does not matter


class Way(NamedTuple):
    """How a process measures: by the wall clock or in CPU time of all its threads, samples of how many seconds.

    ``pause`` is how many seconds nobody does anything before a sample, so that the threads of the last one sleep.
    """

    by_wall: bool = False
    shortest: float = SHORTEST
    pause: float = 0.0


IN_CPU_TIME = Way()
measuring = ContextVar("measuring", default=IN_CPU_TIME)


def on_one_thread() -> bool:
    """Whether libraries are told to use one thread each."""
    return os.environ.items() >= ONE_THREAD.items()


class Seconds(NamedTuple):
    """CPU time of all threads, and time by the wall clock."""

    cpu: float
    wall: float


class Disagreement(AssertionError):
    """Two contenders computed different things, so comparing their speed would mean nothing."""


@dataclass(frozen=True)
class Contender:
    """Somebody who does the work: ``run(*prepare())``, of which only ``run`` is timed.

    ``run`` returns arrays that the yardstick's must equal, or ``None`` where there is nothing to compare.
    ``timed`` calls it so many times in another process and says how long that took there.
    """

    name: str
    run: Callable[..., Any]
    prepare: Callable[[], tuple[Any, ...]] = tuple
    timed: Callable[[int], Seconds] | None = None


@dataclass(frozen=True)
class Case:
    """One row of a table: the same work by several contenders, the first being the yardstick.

    ``work`` is how many operators (or nodes) one call stands for, which turns times into times per operator.
    ``rtol`` is how far apart results may be, relative to the yardstick's largest value; 0 means equal bits.
    ``clock`` gives seconds of CPU time: this process's, or another for work that happens elsewhere.
    ``unit`` is what times are shown in, "µs" or "ms".
    """

    title: str
    contenders: Sequence[Contender]
    work: int = 1
    rtol: float = 1e-5
    clock: Callable[[], float] = time.process_time
    unit: str = "µs"


@dataclass(frozen=True)
class Result:
    """What was measured of one case: per contender, the yardstick first, the median seconds per call, and its speed.

    ``speed`` is relative to the yardstick (1.00; larger is faster), by the clock that the process measures by; ``wall``
    the same by the wall clock. ``spread`` is half the distance between the lower and the upper quartile of the ratios
    of single rounds: how far to trust the second digit. ``samples`` are the seconds of every round. ``case`` is there
    while the process that measured it lives; everything else travels.
    """

    title: str
    seconds: Mapping[str, float]
    speed: Mapping[str, float]
    spread: Mapping[str, float]
    wall: Mapping[str, float]
    rounds: int
    work: int = 1
    unit: str = "µs"
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict, repr=False)
    case: Case | None = field(default=None, repr=False, compare=False)

    @property
    def yardstick(self) -> str:
        """The contender that the others are compared with."""
        return next(iter(self.seconds))

    def per_work(self, name: str) -> float:
        """The time per operator (or node) of one contender, in the case's unit."""
        return self.seconds[name] / self.work * PER_SECOND[self.unit]

    def beside(self, name: str, other: str) -> float:
        """How much faster one contender is than another, the median of the ratios of single rounds."""
        if not self.samples:
            return self.speed[name] / self.speed[other]
        return statistics.median(_ratios(self.samples[other], self.samples[name]))


@dataclass
class Table:
    """The results of one benchmark: a title, what it measures in a sentence, and a row per case."""

    title: str
    about: str
    results: list[Result] = field(default_factory=list)


# ---- agreement ---------------------------------------------------------------------------------------


def agree(case: Case, calls: int = 2) -> None:
    """Check that every contender computes what the yardstick does, call after call (a trainer changes its state).

    Raises ``Disagreement`` naming the case, the contender, the result and the largest difference.
    """
    expected = _answers(case.contenders[0], calls)
    for contender in case.contenders[1:]:
        for i, (want, got) in enumerate(zip(expected, _answers(contender, calls), strict=True)):
            _compare(f"{case.title}: {contender.name}, call {i + 1}", want, got, case.rtol)


def _answers(contender: Contender, calls: int) -> list[list[np.ndarray]]:
    return [_arrays(contender.run(*contender.prepare())) for _ in range(calls)]


def _arrays(result: Any) -> list[np.ndarray]:
    if result is None:
        return []
    arrays = [np.array(item) for item in (result if isinstance(result, tuple | list) else (result,))]
    return [array.astype(np.int8) if array.dtype == bool else array for array in arrays]  # bools have no difference


def _compare(where: str, want: list[np.ndarray], got: list[np.ndarray], rtol: float) -> None:
    if len(want) != len(got):
        raise Disagreement(f"{where}: {len(got)} results instead of {len(want)}")
    for i, (expected, found) in enumerate(zip(want, got, strict=True)):
        if expected.shape != found.shape:
            raise Disagreement(f"{where}: result {i} has shape {found.shape} instead of {expected.shape}")
        scale = float(np.abs(expected).max(initial=0.0))
        apart = float(np.abs(expected - found).max(initial=0.0))
        if not apart <= rtol * scale:  # written so that NaN disagrees
            raise Disagreement(f"{where}: result {i} differs by {apart:.3g}, more than {rtol:g} of {scale:.3g}")


# ---- timing ------------------------------------------------------------------------------------------


def measure(case: Case, rounds: int = 7, shortest: float | None = None) -> Result:
    """Time the contenders of a case in turns; raises ``Disagreement`` when their results differ.

    Each sample repeats a call until it lasts ``shortest`` seconds (as ``measuring`` says, if nobody else does). The
    order turns by one place every round, so that nobody always runs behind the same neighbour. The collector is off
    meanwhile and runs in between.
    """
    agree(case)
    way = measuring.get()
    try:
        samples = _samples(case, rounds, way.shortest if shortest is None else shortest, way.pause)
        return _result(case, samples, rounds, way.by_wall)
    finally:
        gc.unfreeze()


def _samples(case: Case, rounds: int, shortest: float, pause: float) -> dict[str, list[Seconds]]:
    repeats = [_repeats(contender, shortest, case.clock) for contender in case.contenders]
    samples: dict[str, list[Seconds]] = {contender.name: [] for contender in case.contenders}
    for turn in range(rounds):
        order = list(zip(case.contenders, repeats, strict=True))
        for contender, times in order[turn % len(order) :] + order[: turn % len(order)]:
            time.sleep(pause)
            samples[contender.name].append(_sample(contender, times, case.clock))
    return samples


def _result(case: Case, samples: dict[str, list[Seconds]], rounds: int, by_wall: bool) -> Result:
    first = case.contenders[0].name
    walls = {name: [sample.wall for sample in kept] for name, kept in samples.items()}
    taken = walls if by_wall else {name: [sample.cpu for sample in kept] for name, kept in samples.items()}
    ratios = {name: _ratios(taken[first], seconds) for name, seconds in taken.items()}
    return Result(
        case.title,
        {name: statistics.median(seconds) for name, seconds in taken.items()},
        {name: statistics.median(kept) for name, kept in ratios.items()},
        {name: (kept[3 * rounds // 4] - kept[rounds // 4]) / 2 for name, kept in ratios.items()},
        {name: statistics.median(_ratios(walls[first], seconds)) for name, seconds in walls.items()},
        rounds, case.work, case.unit, taken, case,
    )  # fmt: skip


def _ratios(base: Sequence[float], times: Sequence[float]) -> list[float]:
    """How much faster than the yardstick, round by round, in rising order."""
    return sorted(b / t for b, t in zip(base, times, strict=True))


def _repeats(contender: Contender, shortest: float, clock: Callable[[], float]) -> int:
    """How many calls last ``shortest`` seconds; the calls made to find out also warm up."""
    times, took = 1, max(_sample(contender, 1, clock))
    while took * times < shortest and times < 1_000_000:
        times = max(2 * times, min(10 * times, int(shortest / max(took, 1e-7))))
        took = max(_sample(contender, times, clock))
    return times


def _sample(contender: Contender, times: int, clock: Callable[[], float]) -> Seconds:
    """Seconds per call."""
    gc.collect()
    gc.freeze()  # so that the next collection need not look through all of this process again
    gc.disable()
    try:
        if contender.timed is not None:
            took = contender.timed(times)
        elif contender.prepare is tuple:
            took = clocked(contender.run, times, clock)
        else:
            blocks = [clocked(partial(contender.run, *contender.prepare()), 1, clock) for _ in range(times)]
            took = Seconds(sum(block.cpu for block in blocks), sum(block.wall for block in blocks))
    finally:
        gc.enable()
    return Seconds(took.cpu / times, took.wall / times)


def clocked(run: Callable[[], Any], times: int, clock: Callable[[], float] = time.process_time) -> Seconds:
    """What so many calls take."""
    cpu, wall = clock(), time.perf_counter()
    for _ in range(times):
        run()
    return Seconds(clock() - cpu, time.perf_counter() - wall)
