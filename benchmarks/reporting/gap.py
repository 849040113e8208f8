"""The worst gaps between goals and what was measured: where the time goes, and why."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring.goal import SPEEDS, Goal
from benchmarks.measuring.harness import Case, Contender, Result
from benchmarks.measuring.records import Gap
from benchmarks.reporting.goals import FURTHER, GOALS
from benchmarks.reporting.report import figure

MOST, CALLS = 8, 50
LONGEST = 5.0  # seconds of calls under the profiler, but for the last
ROOT = Path(__file__).parents[2]

# why a gap is there, by the beginning of the case's title
WHY = {
    "eager reshape": "numpy makes a view in a tenth of a microsecond. We make one, too, and then what numpy has not: a "
    "tensor, the note that it shows the other's memory (a weak reference), so that `x[i] = v` reaches both, and a look "
    "at the arguments, which are checked once a shape.",
    "eager index": "numpy picks an element in 35 ns and hands out a number. We hand out a tensor that shows the "
    "other's memory: a view, a tensor around it, a weak reference to it and a look at the key. Each takes a tenth of "
    "a microsecond, in Python more than numpy needs for the whole.",
    "forward + backward": "Python calls: per operator one through the door, one to the tape, and one to the function "
    "that plays it backwards; numpy by hand has none of them. Of what the tape adds, a half is objects that live until "
    "they are played. The smallest tape we could write reached 0.51.",
    "first call": "Python objects: nodes, edges, pass records and checks after every pass. Python's own compiler takes "
    "a fifth of it; a call of two operators takes a millisecond, so few operators cost more each than many.",
    "LeNet": "Half of it are the convolutions, of which BLAS takes three quarters. The rest is spread over pools, "
    "biases, dense layers, copies and the Python between calls of numpy.",
    "MLP": "Matrix products take nearly all of the time, the update, bound by memory, most of the rest: what numpy "
    "tuned by hand gains on plain numpy is within the noise, too.",
}


def worst(results: Sequence[Result]) -> Gap | None:
    """The missed goal of which the least was reached, of work done in this process, which is done again for it."""
    missed = [sorted(_missed(results, wanted), key=lambda found: found[0]) for wanted in (GOALS, FURTHER)]
    if not any(missed):
        return None
    reached, goal, case = (missed[0] or missed[1])[0]
    contender = next(c for c in case.contenders if c.name == goal.contender)
    return Gap(goal.case, goal.contender, reached, list(rows(contender)))


def _missed(results: Sequence[Result], wanted: Sequence[Goal]) -> Iterator[tuple[float, Goal, Case]]:
    for goal in wanted:
        for result in results:
            if result.case is not None and result.case.clock is time.process_time:
                for value in goal.measured([result]):
                    reached = value / goal.bound if goal.figure in SPEEDS else goal.bound / value
                    if reached < 1:
                        yield reached, goal, result.case


def section(gaps: Sequence[Gap]) -> str:
    """The worst of some gaps, and the worst of what is measured beside them."""
    cases = {goal.case for goal in FURTHER}
    groups = [[gap for gap in gaps if (gap.case in cases) is further] for further in (False, True)]
    told = [_told(min(group, key=lambda gap: gap.reached)) for group in groups if group]
    return "\n\n".join(told) or "Every goal is met."


def _told(found: Gap) -> str:
    """A gap in words and as a table of the functions it is spent in."""
    why = next((text for start, text in WHY.items() if found.case.startswith(start)), "")
    told = f"{found.contender}, {found.case}: {found.reached:.0%} of the goal. {why}".rstrip()
    return "\n".join([told, "", "| where the time is spent | share | calls |", "|---|---:|---:|", *found.places])


def rows(contender: Contender) -> Iterator[str]:
    """The functions that take most of a contender's time, their own without what they call, numpy's work included.

    Shares under a profiler, which makes calls dearer than they are.
    """
    profiler, given = cProfile.Profile(), contender.prepare()
    contender.run(*given)
    made, until = 0, time.perf_counter() + LONGEST
    with profiler:
        while made < CALLS and (not made or time.perf_counter() < until):
            contender.run(*given)
            made += 1
    stats: dict[Any, Any] = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = sum(own for _, _, own, _, _ in stats.values()) or 1.0
    ordered = sorted(stats.items(), key=lambda item: -item[1][2])
    for (file, line, name), (_, calls, own, _, _) in ordered[:MOST]:
        place = f"`{name}` {_place(file, line)}".strip()
        yield f"| {place} | {own / total:.0%} | {figure(calls / made)} |"


def _place(file: str, line: int) -> str:
    """Where a function stands, from the root of the project; nothing for what is not written in Python."""
    if file.startswith(("~", "<")):
        return ""
    path = Path(file)
    return f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{line}"
