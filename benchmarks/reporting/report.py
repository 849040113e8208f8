"""Results as text: for the terminal, and as ``RESULTS.md`` with the machine, the way to repeat it and a reading."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version

from benchmarks.cases import fused, networks, rewriting
from benchmarks.measuring.goal import Goal
from benchmarks.measuring.harness import Result, Table
from benchmarks.work import tuned, workloads
from minigraph.ground.blas import blas_name, has_small_kernels

SHOWN = ("numpy", "numba", "networkx", "autograd", "torch", "jax", "tinygrad")
EAGER = "minigraph eager"
APART = 1.25  # the wall clock's figure is shown when it is so many times another

TUNED = (  # what is written by hand as well as we can
    *(f"100 x (matmul, tanh), n={n}" for n in (16, 64, 256, 512)), "100 x (matmul, tanh), n=64, gradient",
    "MLP 784-512-512-10, forward", "MLP 784-512-512-10, training step", "MLP, 3 layers, forward",
    "MLP, 3 layers, gradient", "attention, 8 heads, forward", "attention, 8 heads, gradient",
)  # fmt: skip
# what minigraph is to reach, and below, what it is measured by beside that: operators one by one, and passes
GOALS = (
    Goal("forward", EAGER, "speed", 0.45, 0.57),
    Goal("forward + backward", EAGER, "speed", 0.40, 0.51),
    Goal("forward", "minigraph jit", "speed", 1.3, 1.39),
    Goal("forward + backward", "minigraph jit", "speed", 2.0, 2.35),
    Goal("one short call", "minigraph jit", "µs", 2.5),
    Goal("100 x (matmul, tanh), n=16", "minigraph jit", "speed", 1.0, 1.95),
    Goal("100 x (matmul, tanh), n=64", "minigraph jit", "speed", 1.0, 1.11),
    Goal("100 x (matmul, tanh), n=256", "minigraph jit", "speed", 1.0, 1.0),
    Goal("100 x (matmul, tanh), n=512", "minigraph jit", "speed", 1.0, 1.0),
    Goal("100 x (matmul, tanh), n=64, gradient", "minigraph jit", "speed", 1.0, 1.28),
    Goal("MLP 784-512-512-10, forward", "minigraph jit", "speed", 1.0, 1.16),
    Goal("MLP 784-512-512-10, training step", "minigraph jit", "speed", 1.0, 1.02),
    Goal("attention, 8 heads, forward", "minigraph jit", "speed", 1.0, 1.19),
    Goal("attention, 8 heads, gradient", "minigraph jit", "speed", 1.0, 1.35),
    *(Goal(case, "minigraph jit", "speed", 0.95, beside=tuned.NAME) for case in TUNED),
    Goal("MLP, 3 layers, Hessian-vector product", "minigraph jit", "speed", 1.0, 1.01),
    Goal("LeNet, forward", "minigraph jit", "speed", 4.5, 5.97),
    Goal("LeNet, training step", "minigraph jit", "speed", 3.0, 3.77),
    Goal("Vision Transformer, training step", networks.SUNK, "speed", 2.2, 2.45),
    *(Goal(f"first call, {operators} operators", "minigraph jit", "µs", 35) for operators in ("200", "2,000")),
    Goal("import", "import minigraph", "ms", 350),
    *fused.goals(),
)
FURTHER = (
    Goal("digits training step", "minigraph jit", "speed", 1.0),
    Goal("GRU, 32 steps, forward", "minigraph jit", "speed", 1.0),
    Goal("GRU, 32 steps, gradient", "minigraph jit", "speed", 1.0),
    *(Goal(f"eager {name}", EAGER, "speed", 0.25) for name in workloads.OPERATORS),
    *rewriting.goals(),
)


# ---- tables --------------------------------------------------------------------------------------------


def figure(value: float) -> str:
    """Three significant digits, thousands separated.

    >>> figure(0.012345), figure(1.5), figure(68642.0)
    ('0.0123', '1.50', '68,642')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"


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
        f"{platform.system()} on {platform.machine()}, {cores} cores of a shared machine, one thread per library; "
        f"{platform.python_implementation()} {platform.python_version()}, {', '.join(packages)}. "
        f"Matrices are multiplied by {blas_name()}, {'in tiles' if has_small_kernels() else 'without tiles'}."
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(no version)"


def goals(tables: Sequence[Table], wanted: Sequence[Goal] = GOALS) -> str:
    """Each goal beside what was measured in this run."""
    results = [result for table in tables for result in table.results]
    lines = ["| what | who | goal | measured | limit | |", "|---|---|---:|---:|---:|---|"]
    for goal in wanted:
        for value in goal.measured(results):
            verdict = "met" if goal.met(value) else "**missed**"
            limit = _limit(goal, results)
            lines.append(f"| {goal.case} | {goal.contender} | {goal} | {figure(value)} | {limit} | {verdict} |")
    return "\n".join(lines)


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
take turns, block by block, in CPU seconds (of all threads: whoever spins pays), and were first checked to compute
the same values; the wall clock's ratio stands beside where it differs. Absolute microseconds are this machine's and
this hour's; the ratios travel, if as many threads multiply matrices by kernels as good: without AVX-512 we make no
tiles of large products. The C library keeps memory that was freed, as `MALLOC_TRIM_THRESHOLD_` tells it to:
otherwise it is a matter of luck how often large temporaries are fetched anew from the kernel, and whom that slows.

To repeat it: `pip install -e . && minigraph bench` (about half an hour; `--quick` prints a small run and writes
nothing). Every group of tables is measured in a process of its own, so that nobody's memory or threads disturb the
next. With `--keep FOLDER` what a group found stays there: the same command goes on where it was interrupted, and
`minigraph bench eager --keep FOLDER` measures one group again, for the next whole run to put together. Peers take part
when they are installed: `pip install autograd jax torch xdsl onnxscript tinygrad` (the last needs clang). MindSpore
cannot share our numpy: it runs in the interpreter that `MINIGRAPH_MINDSPORE` names, which times its blocks between
ours; every block ends when the last result is there. `pynative` computes at once; `pynative queued` is MindSpore's own
default.

![speeds beside numpy](results.svg)"""


LIMIT = """*limit*: what the smallest Python around numpy that we could write reaches, straight lines and nothing else:
"numpy, tuned" of the same run. In brackets: of a tape and nothing else, or where there is no such row, measured
once, on prototypes and another machine."""


def results_file(
    tables: Sequence[Table], notes: Sequence[str], gap: str, sections: Sequence[str], others: Sequence[str] = ()
) -> str:
    """The text of ``RESULTS.md``; ``sections`` are what is no table of contenders."""
    reading = "\n".join(f"- {note}" for note in notes)
    wanted = ["## Goals", goals(tables), LIMIT, "Beside these:", goals(tables, FURTHER)]
    parts = [HOW.format(machine=machine(others)), *wanted, "## Reading", reading]
    return "\n\n".join([*parts, "## The worst gaps", gap, *map(markdown, tables), *sections]) + "\n"
