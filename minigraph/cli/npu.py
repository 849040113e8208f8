"""``minigraph npu``: one program on a simulated chip, report by report, and every table and trace as files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

import passes
from minigraph.cli.folder import check_folder, fill_folder
from minigraph.cli.opt import add_pipeline
from minigraph.cli.programs import enter_rules, load, program_named
from minigraph.cli.target import Ran, target_named
from minigraph.core.context import get_context
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.ir.graph import Graph
from minigraph.npu import DEFAULT_HOST, Chip, Report, chip_named, chrome_trace, host_named, op_summary, simulate
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.reports import (
    Sheet,
    critical_sheet,
    fusion_op,
    fusion_sheet,
    memory_sheet,
    occupancy,
    op_statistic,
    roofline,
    roofline_sheet,
    task_sheet,
    task_time,
    tornado_sheet,
)
from minigraph.npu.reports.bars import bars_sheet, four_bars, verdict
from viz import occupancy_svg, roofline_svg, svg


class Run(NamedTuple):
    """One simulated program: the graph the passes left, and the reports of it and of what it was before."""

    graph: Graph
    before: Report
    after: Report


SHEETS: dict[str, Callable[[Run], Sheet]] = {
    "bars": lambda run: bars_sheet(
        four_bars(run.before.tasks, run.before.host_preset, run.after.tasks),
        (verdict(run.before.tasks, run.before.host_preset),),
    ),
    "tasks": lambda run: task_sheet(run.after),
    "critical": lambda run: critical_sheet(run.after),
    "roofline": lambda run: roofline_sheet(run.after),
    "memory": lambda run: memory_sheet(run.after),
    "whatif": lambda run: tornado_sheet(run.graph, run.after.chip),
    "fusion": lambda run: fusion_sheet(run.graph, run.after.chip, run.after.host_preset),
}


def add_npu(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the others."""
    npu = commands.add_parser(
        "npu", help="simulate one program on a chip: tasks, critical path, roofline, memory, what-if, fusion",
        description="Simulate a program on an Ascend chip and print reports; --out writes them as CSV, with the "
        "profiler's files, a trace for Perfetto and pictures.",
    )  # fmt: skip
    npu.add_argument("program", nargs="?", metavar="FILE", help="FILE.py:function or graph text; default: the digits")
    npu.add_argument("--chip", default=get_context("chip"), help="a chip's name or its file (default: %(default)s)")
    npu.add_argument("--host", default=DEFAULT_HOST, help="host preset (default: %(default)s)")
    npu.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="default: %(default)s")
    npu.add_argument("--set", action="append", default=[], metavar="FIGURE=VALUE", help="change a figure of the chip, "
                     "such as mte2.lat=100")  # fmt: skip
    npu.add_argument("--show", nargs="+", choices=sorted(SHEETS), default=["bars", "tasks", "critical", "whatif"],
                     metavar="REPORT", help=f"any of {', '.join(SHEETS)} (default: %(default)s)")  # fmt: skip
    npu.add_argument("--rows", type=int, default=40, metavar="N", help="rows of each report to print; files hold all "
                     "(default: %(default)s)")  # fmt: skip
    npu.add_argument("--out", metavar="FOLDER", help="write every report there")
    add_pipeline(npu)
    npu.set_defaults(run=_npu)


def _npu(arguments: argparse.Namespace) -> int:
    console = Console()
    chip = changed_chip(chip_named(arguments.chip), arguments.set)
    host_named(arguments.host)
    if arguments.out:
        check_folder(Path(arguments.out))
    run = _simulated(arguments, chip)
    for name in arguments.show:
        console.print(SHEETS[name](run).first(arguments.rows))
        console.print()
    console.print(f"Simulated, not measured. {run.after.standing}.", highlight=False, markup=False)
    if arguments.out:
        written = fill_folder(Path(arguments.out), files_of(run))
        console.print(f"Wrote {len(written)} files to [bold]{arguments.out}[/]")
    return 0


def changed_chip(chip: Chip, settings: list[str]) -> Chip:
    """The chip with figures of ``["mte2.lat=100"]`` in the place of its own.

    Raises ``UsageError`` for text that is no setting, ``ChipError`` for an unknown figure or an impossible value.
    """
    for setting in settings:
        key, equals, value = setting.partition("=")
        if key not in chip.figures:
            raise UsageError(f"--set {setting}: {chip.title} has no figure '{key}'{did_you_mean(key, chip.figures)}")
        try:
            number = float(value)
        except ValueError:
            raise UsageError(f"--set {setting}: '{value}' is no number; write {key}={chip.figures[key].v:g}") from None
        whole = equals and number == int(number)
        chip = chip.changed(**{key.replace(".", "_", 1): int(number) if whole else number})
    return chip


def _simulated(arguments: argparse.Namespace, chip: Chip) -> Run:
    ran: Ran = {}
    load(arguments.load, ran)
    if arguments.program:
        program = program_named(arguments.program, ran)
        graph, pipeline = program.graph, program.pipeline_or(arguments.pipeline)
    else:
        target = target_named(None)
        graph = target.function.graph(*target.inputs, pipeline=())
        pipeline = arguments.pipeline or get_context("pipeline")
    enter_rules(ran)
    before = simulate(graph, chip=chip, host=arguments.host, engine="analytic")
    passes.as_pipeline(pipeline).run(graph)
    return Run(graph, before, simulate(graph, chip=chip, host=arguments.host, engine=arguments.engine))


def files_of(run: Run) -> Iterator[tuple[str, str]]:
    """Name and content of every file: our tables, the profiler's, the trace, pictures."""
    for name, sheet in SHEETS.items():
        yield f"{name}.csv", sheet(run).csv()
    for write in (op_summary, op_statistic, fusion_op, task_time):
        yield f"{write.__name__}.csv", write(run.after)
    yield "trace.json", chrome_trace(run.after)
    yield "trace_eager.json", chrome_trace(run.before, "eager")
    yield "timeline.svg", svg(run.after)
    yield "roofline.svg", roofline_svg(roofline(run.after, run.before))
    yield "memory.svg", occupancy_svg(occupancy(run.after), run.after.mhz, run.after.chip.label)
