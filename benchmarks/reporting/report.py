"""Results as text: for the terminal, and as ``RESULTS.md`` with the machine, the way to repeat it and a reading."""

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
from benchmarks.reporting.goals import EAGER, GOALS, wanted
from benchmarks.work import tuned
from minigraph.accel.host.blas import blas_name

SHOWN = ("numpy", "numba", "networkx", "autograd", "torch", "jax", "tinygrad")
COUNTED = "Under no condition"
APART = 1.25  # the wall clock's figure is shown when it is so many times another


class Measured(NamedTuple):
    """The tables of all groups under a condition."""

    condition: Condition
    tables: Sequence[Table]


# ---- tables --------------------------------------------------------------------------------------------


def figure(value: float) -> str:
    """Three significant digits, thousands separated.

    >>> figure(0.012345), figure(1.5), figure(68642.0), figure(-144.2)
    ('0.0123', '1.50', '68,642', '-144')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def rows(result: Result) -> Iterator[list[str]]:
    """Contender, time per operator, speed beside the yardstick, how far to trust it, and speed by the wall clock.

    The last only where it is another one: where several threads share the work, or somebody waits.
    """
    for name in result.seconds:
        speed, wall = result.speed[name], result.wall[name]
        trust = f"± {result.spread[name]:.2f}" if result.spread[name] >= 0.005 else ""
        apart = figure(wall) if not 1 / APART < wall / speed < APART else ""
        yield [name, figure(result.per_work(name)), figure(speed), trust, apart]


def text(table: Table) -> str:
    """One table for the terminal."""
    lines = [f"\n{table.title}: {table.about}"]
    for result in table.results:
        lines.append(f"  {result.title}")
        for name, time, speed, trust, wall in rows(result):
            lines.append(f"    {name:28}{time:>12}{speed:>10}  {trust:8}{wall and f'(wall {wall})'}".rstrip())
    return "\n".join(lines)


def markdown(table: Table) -> str:
    """One table for the file."""
    lines = [f"## {table.title}", "", table.about + "."]
    for result in table.results:
        lines += ["", f"**{result.title}** (median of {result.rounds} rounds)", ""]
        lines += [f"| contender | {result.unit} | speed | | by the wall clock |", "|---|---:|---:|---|---:|"]
        lines += [f"| {' | '.join(cells)} |" for cells in rows(result)]
    return "\n".join(lines)


# ---- the whole file ------------------------------------------------------------------------------------


def machine(others: Sequence[str] = ()) -> str:
    """Where the figures come from, in general words; ``others`` took part in interpreters of their own."""
    packages = [f"{name} {_version(name)}" for name in SHOWN if importlib.util.find_spec(name)]
    packages += others
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{platform.system()} on {platform.machine()}, {cores} cores of a shared machine; "
        f"{platform.python_implementation()} {platform.python_version()}, {', '.join(packages)}. "
        f"Matrices are multiplied by {blas_name()}."
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(no version)"


def goals(tables: Sequence[Table], asked: Sequence[Goal] = GOALS) -> str:
    """Each goal beside what was measured in this run."""
    results = [result for table in tables for result in table.results]
    lines = ["| what | who | goal | measured | limit | |", "|---|---|---:|---:|---:|---|"]
    for goal in asked:
        for value in goal.measured(results):
            verdict = "met" if goal.met(value) else "**missed**"
            limit = _limit(goal, results)
            lines.append(f"| {goal.case} | {goal.contender} | {goal} | {figure(value)} | {limit} | {verdict} |")
    return "\n".join(lines)


def goals_section(measured: Measured) -> str:
    """All goals under a condition that something was measured of."""
    condition, tables = measured
    results = [result for table in tables for result in table.results]
    parts = [f"### {condition.title}", condition.about]
    for about, asked in wanted(condition, results):
        if any(goal.measured(results) for goal in asked):
            parts += [about, goals(tables, asked)]
    return "\n\n".join(parts)


def _limit(goal: Goal, results: Sequence[Result]) -> str:
    """What numpy tuned by hand reached in this run, else in brackets what was known before."""
    now = goal._replace(contender=tuned.NAME, limit=None, beside=None).measured(results)
    if goal.contender != EAGER and now and not goal.beside:
        return figure(now[0])
    return "" if goal.limit is None else f"({figure(goal.limit)})"


HOW = """# Results

Written by `python -m benchmarks`; do not edit. {machine}

How to read it: *speed* is relative to the first line of each table (1.00; larger is faster), the median of
the ratios of the single rounds; ± is half the distance between their quartiles. All contenders of a table
take turns, block by block, and were first checked to compute the same values. Absolute microseconds are this
machine's and this hour's; the ratios travel, if as many threads multiply matrices by kernels as good.

Everything is measured three times, under three conditions, each in processes of its own:

- **One thread**: every library computes on one thread (`OPENBLAS_NUM_THREADS=1` and its like), and the C library keeps
  memory that was freed, as `MALLOC_TRIM_THRESHOLD_` tells it to: otherwise it is a matter of luck how often large
  temporaries are fetched anew from the kernel, and whom that slows. Seconds are CPU seconds of all threads; the wall
  clock's ratio stands beside where it differs. This says what the work costs, and is the easiest to repeat.
- **Nothing set**: no variable is set. Libraries take as many threads as they like, memory is handled as the C library
  sees fit, the clock is the one on the wall, and there are two cores. This is what you get when you just run it.
- **Busy neighbour**: the same, while another process multiplies matrices on one of the two cores all the time. Threads
  that wait for each other then wait for that process, too, often a thousand times as long as they compute; rows jump,
  so there are at least ten rounds of longer blocks. Here a program must not be slower as a graph than operator by
  operator, on top of all other goals.

To repeat it: `pip install -e . && minigraph bench` (about an hour and a half; `--condition one_thread` for one of
the three, `--quick` prints a small run and writes nothing but into the folder of `--out`). Every group of tables is
measured in a process of its own, so that nobody's memory or threads disturb the next. With `--keep FOLDER` what a group
found stays there: the same command goes on where it was interrupted, and `minigraph bench eager --keep FOLDER` measures
one group again, for the next whole run to put together. Peers take part when they are installed: `pip install autograd
jax torch xdsl onnxscript tinygrad` (the last needs clang). MindSpore cannot share our numpy: it runs in the interpreter
that `MINIGRAPH_MINDSPORE` names, which times its blocks between ours; every block ends when the last result is there.
`pynative` computes at once; `pynative queued` is MindSpore's own default. `reference` is minigraph without its
accelerator (`MINIGRAPH_ACCEL=0`), in a process of its own likewise. What each technique of the accelerator is worth,
one by one, `minigraph bench techniques` finds out and writes to [TECHNIQUES.md](TECHNIQUES.md).

![speeds beside numpy](results.svg)"""


def results_file(
    measured: Sequence[Measured], notes: Sequence[str], gap: str, sections: Sequence[str], others: Sequence[str] = ()
) -> str:
    """The text of ``RESULTS.md``; ``sections`` are what is no table of contenders.

    ``notes`` and ``gap`` are about the first condition, which also the picture shows.
    """
    parts = [HOW.format(machine=machine(others)), "## Goals", *map(goals_section, measured)]
    parts += ["## Reading", "\n".join(f"- {note}" for note in notes), "## The worst gaps", gap]
    for condition, tables in measured:
        parts += [f"# {condition.title}", condition.about, *map(markdown, tables)]
    return "\n\n".join([*parts, *([f"# {COUNTED}"] if sections else []), *sections]) + "\n"
