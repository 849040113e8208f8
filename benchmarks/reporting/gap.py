"""The worst gaps between goals and results, with a profile and the reason."""

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
from benchmarks.reporting.goals import GOALS, SECONDARY_GOALS
from benchmarks.reporting.report import three_digits

MAX_FUNCTIONS, PROFILED_CALLS = 8, 50  # functions shown, calls under the profiler
MAX_SECONDS = 5.0  # after these no further call is started
ROOT = Path(__file__).parents[2]

# the reason for a gap, by the beginning of the case's title
REASONS = {
    "eager reshape": "numpy makes a view in a tenth of a microsecond. We also make a view, and in addition a tensor, a "
    "weak reference from the base to it, so that `x[i] = v` updates both, and a check of the arguments, which is "
    "cached by shape.",
    "eager index": "numpy reads an element in 35 ns and returns a number. We return a tensor that shares the memory: a "
    "view, a tensor around it, a weak reference to it and a check of the key. Each takes a tenth of a microsecond in "
    "Python, in total more than numpy's whole call.",
    "forward + backward": "Python calls: per operator one for dispatch, one to record it on the tape, and one for its "
    "VJP rule; hand-written numpy has none of them. Half of the tape's overhead is objects that live until the "
    "backward pass. The smallest tape that we could write reached 0.51.",
    "first call": "Python objects: nodes, edges, pass records and checks after every pass. Python's own compiler takes "
    "a fifth of the time; a call of two operators takes a millisecond, so the cost per operator is higher for few.",
    "LeNet": "Convolutions take half of the time, three quarters of which is BLAS. The rest is pooling, biases, dense "
    "layers, copies and the Python code between calls of numpy.",
    "MLP": "Matrix products take nearly all of the time, and the memory-bound update most of the rest: hand-tuned "
    "numpy is not measurably faster than plain numpy, either.",
}


def worst_gap(results: Sequence[Result]) -> Gap | None:
    """The goal that was missed by most, among contenders of this process, which are run again under the profiler."""
    missed = [sorted(missed_goals(results, goals), key=lambda item: item[0]) for goals in (GOALS, SECONDARY_GOALS)]
    if not any(missed):
        return None
    reached, goal, case = (missed[0] or missed[1])[0]
    contender = next(c for c in case.contenders if c.name == goal.contender)
    return Gap(goal.case, goal.contender, reached, list(rows(contender)))


def missed_goals(results: Sequence[Result], goals: Sequence[Goal]) -> Iterator[tuple[float, Goal, Case]]:
    for goal in goals:
        for result in results:
            if result.case is not None and result.case.clock is time.process_time:
                for value in goal.values_in([result]):
                    reached = value / goal.bound if goal.metric in SPEEDS else goal.bound / value
                    if reached < 1:
                        yield reached, goal, result.case


def section(gaps: Sequence[Gap]) -> str:
    """The worst gap of the main goals, and the worst of the further goals."""
    cases = {goal.case for goal in SECONDARY_GOALS}
    groups = [[gap for gap in gaps if (gap.case in cases) is further] for further in (False, True)]
    paragraphs = [_paragraph(min(group, key=lambda gap: gap.reached)) for group in groups if group]
    return "\n\n".join(paragraphs) or "Every goal is met."


def _paragraph(gap: Gap) -> str:
    """A gap in words, and its profile as a table."""
    why = next((text for start, text in REASONS.items() if gap.case.startswith(start)), "")
    text = f"{gap.contender}, {gap.case}: {gap.reached:.0%} of the goal. {why}".rstrip()
    return "\n".join([text, "", "| where the time is spent | share | calls |", "|---|---:|---:|", *gap.hot_spots])


def rows(contender: Contender) -> Iterator[str]:
    """The functions with the largest own time, numpy's work included, as rows of a table.

    The profiler makes calls more expensive than they are without it.
    """
    profiler, operands = cProfile.Profile(), contender.prepare()
    contender.run(*operands)
    runs, until = 0, time.perf_counter() + MAX_SECONDS
    with profiler:
        while runs < PROFILED_CALLS and (not runs or time.perf_counter() < until):
            contender.run(*operands)
            runs += 1
    stats: dict[Any, Any] = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = sum(own_seconds for _, _, own_seconds, _, _ in stats.values()) or 1.0
    ordered = sorted(stats.items(), key=lambda item: -item[1][2])
    for (file, line, name), (_, calls, own_seconds, _, _) in ordered[:MAX_FUNCTIONS]:
        function = f"`{name}` {_location(file, line)}".strip()
        yield f"| {function} | {own_seconds / total:.0%} | {three_digits(calls / runs)} |"


def _location(file: str, line: int) -> str:
    """The source location of a function, relative to the project's root; empty for built-in functions."""
    if file.startswith(("~", "<")):
        return ""
    path = Path(file)
    return f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{line}"
