"""Results as text: for the terminal, and as ``RESULTS.md`` with the machine, instructions to repeat, and notes."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from benchmarks.measuring.conditions import Condition
from benchmarks.measuring.goal import Goal
from benchmarks.measuring.harness import Result, Table
from benchmarks.reporting.goals import EAGER, GOALS, goal_groups
from benchmarks.work import hand_tuned_numpy
from minigraph.accel.host.blas import blas_name

LISTED_PACKAGES = ("numpy", "numba", "networkx", "autograd", "torch", "jax", "tinygrad")
COUNTS_TITLE = "Independent of the conditions"
MIN_WALL_RATIO = 1.25  # the wall-clock speed is shown if it differs from the speed by this factor


class ConditionTables(NamedTuple):
    """The tables of all groups under a condition."""

    condition: Condition
    tables: Sequence[Table]


# ---- tables --------------------------------------------------------------------------------------------


def three_digits(value: float) -> str:
    """Three significant digits, thousands separated.

    >>> three_digits(0.012345), three_digits(1.5), three_digits(68642.0), three_digits(-144.2)
    ('0.0123', '1.50', '68,642', '-144')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def rows(result: Result) -> Iterator[list[str]]:
    """Contender, time per operator, speed relative to the baseline, its spread, and speed by the wall clock.

    The last is empty unless it differs, because several threads share the work or a thread waits.
    """
    for name in result.seconds:
        speed, wall_speed = result.speed[name], result.wall_speed[name]
        spread = f"± {result.spread[name]:.2f}" if result.spread[name] >= 0.005 else ""
        wall_text = three_digits(wall_speed) if not 1 / MIN_WALL_RATIO < wall_speed / speed < MIN_WALL_RATIO else ""
        yield [name, three_digits(result.time_per_operator(name)), three_digits(speed), spread, wall_text]


def table_text(table: Table) -> str:
    """One table for the terminal."""
    lines = [f"\n{table.title}: {table.description}"]
    for result in table.results:
        lines.append(f"  {result.title}")
        for name, time, speed, spread, wall in rows(result):
            lines.append(f"    {name:28}{time:>12}{speed:>10}  {spread:8}{wall and f'(wall {wall})'}".rstrip())
    return "\n".join(lines)


def table_markdown(table: Table) -> str:
    """One table as Markdown."""
    lines = [f"## {table.title}", "", table.description + "."]
    for result in table.results:
        lines += ["", f"**{result.title}** (median of {result.rounds} rounds)", ""]
        lines += [f"| contender | {result.unit} | speed | | by the wall clock |", "|---|---:|---:|---|---:|"]
        lines += [f"| {' | '.join(cells)} |" for cells in rows(result)]
    return "\n".join(lines)


# ---- the whole file ------------------------------------------------------------------------------------


def machine(other_versions: Sequence[str] = ()) -> str:
    """The machine and the versions; ``other_versions`` are those of frameworks in other interpreters."""
    packages = [f"{name} {_version(name)}" for name in LISTED_PACKAGES if importlib.util.find_spec(name)]
    packages += other_versions
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{platform.system()} on {platform.machine()}, {cores} cores of a shared machine; "
        f"{platform.python_implementation()} {platform.python_version()}, {', '.join(packages)}. "
        f"BLAS: {blas_name()}."
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(no version)"


def goals_table(tables: Sequence[Table], goals: Sequence[Goal] = GOALS) -> str:
    """Each goal with the result of this run, as Markdown."""
    results = [result for table in tables for result in table.results]
    lines = ["| what | contender | goal | measured | limit | |", "|---|---|---:|---:|---:|---|"]
    for goal in goals:
        for value in goal.values_in(results):
            verdict = "met" if goal.is_met(value) else "**missed**"
            limit = _limit(goal, results)
            lines.append(f"| {goal.case} | {goal.contender} | {goal} | {three_digits(value)} | {limit} | {verdict} |")
    return "\n".join(lines)


def goals_section(measured: ConditionTables) -> str:
    """All goals under a condition, of the measured rows."""
    condition, tables = measured
    results = [result for table in tables for result in table.results]
    parts = [f"### {condition.title}", condition.description]
    for description, group in goal_groups(condition, results):
        if any(goal.values_in(results) for goal in group):
            parts += [description, goals_table(tables, group)]
    return "\n\n".join(parts)


def _limit(goal: Goal, results: Sequence[Result]) -> str:
    """The value of hand-tuned numpy in this run, or the stored limit in parentheses."""
    values = goal._replace(contender=hand_tuned_numpy.CONTENDER_NAME, limit=None, relative_to=None).values_in(results)
    if goal.contender != EAGER and values and not goal.relative_to:
        return three_digits(values[0])
    return "" if goal.limit is None else f"({three_digits(goal.limit)})"


INTRODUCTION = """# Results

Written by `python -m benchmarks`; do not edit. {machine}

How to read it: *speed* is relative to the first line of each table (1.00; larger is faster), the median of the ratios
of the single rounds; ± is half their interquartile range. All contenders of a table alternate, block by block, and
their results are compared before anything is timed. Absolute times are valid for this machine only; the ratios hold on
other machines with the same number of BLAS threads and a BLAS of similar speed.

Everything is measured three times, under three conditions, each in processes of its own:

- **One thread**: every library computes on one thread (`OPENBLAS_NUM_THREADS=1` and the like), and the C library keeps
  freed memory (`MALLOC_TRIM_THRESHOLD_`): otherwise it depends on chance how often large temporaries are allocated
  again from the kernel. Seconds are CPU seconds of all threads; the wall-clock speed is shown where it differs. This
  is the cost of the work, and the most reproducible condition.
- **Nothing set**: no variable is set. Libraries use their default number of threads, the C library manages memory by
  its defaults, seconds are wall-clock seconds, and there are two cores. This is what a user sees.
- **Busy neighbour**: the same, while another process multiplies matrices on one of the two cores all the time. Threads
  that wait for each other then also wait for that process, often a thousand times as long as they compute; the
  variance is high, so there are at least ten rounds of longer blocks. In addition to all other goals, no program may
  be slower in graph mode than in eager mode.

To repeat it: `pip install -e . && minigraph bench` (about an hour and a half; `--condition one_thread` for one of
the three, `--quick` for a small run that is printed and written only to the folder of `--out`). Every group of tables
is measured in a process of its own, so that memory and threads of one do not affect the next. `--keep FOLDER` keeps the
results of each group: the same command resumes an interrupted run, and `minigraph bench eager --keep FOLDER` measures
one group again, for the next complete run. Peers take part if they are installed: `pip install autograd
jax torch xdsl onnxscript tinygrad` (tinygrad needs clang). MindSpore needs another numpy: it runs in the interpreter
that `MINIGRAPH_MINDSPORE` names, whose blocks alternate with ours; every block ends when its last result is computed.
`pynative` launches operators synchronously; `pynative queued` is MindSpore's default. `reference` is minigraph without
its accelerator (`MINIGRAPH_ACCEL=0`), also in a process of its own. `minigraph bench techniques` measures the gain of
each technique of the accelerator and writes it to [TECHNIQUES.md](TECHNIQUES.md).

![speeds relative to numpy](results.svg)"""


def results_file(
    measured: Sequence[ConditionTables],
    notes: Sequence[str],
    gap: str,
    sections: Sequence[str],
    other_versions: Sequence[str] = (),
) -> str:  # fmt: skip
    """The text of ``RESULTS.md``; ``sections`` follow the tables of contenders.

    ``notes``, ``gap`` and the chart are about the first condition.
    """
    parts = [INTRODUCTION.format(machine=machine(other_versions)), "## Goals", *map(goals_section, measured)]
    parts += ["## Notes", "\n".join(f"- {note}" for note in notes), "## The worst gaps", gap]
    for condition, tables in measured:
        parts += [f"# {condition.title}", condition.description, *map(table_markdown, tables)]
    return "\n\n".join([*parts, *([f"# {COUNTS_TITLE}"] if sections else []), *sections]) + "\n"
