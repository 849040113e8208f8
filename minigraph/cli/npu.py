"""``minigraph npu``: simulates one program on a chip, prints reports, and writes tables, traces and pictures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from minigraph.cli.console import CommandConsole
from minigraph.cli.opt import add_pipeline, pipeline_option
from minigraph.cli.output_folder import check_folder, write_files
from minigraph.cli.programs import load, load_program, register_rules
from minigraph.cli.target import LoadedModules, add_dim_option, load_target, parse_dims
from minigraph.core.context import get_context
from minigraph.core.errors import UsageError
from minigraph.ir.graph import Graph
from minigraph.npu import (
    DEFAULT_HOST,
    Chip,
    Report,
    Schedule,
    Tuning,
    autotune,
    chip_named,
    chrome_trace,
    host_named,
    op_summary,
    simulate,
)
from minigraph.npu.chips.hardware_parameter import parameter_hint
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.library import pipeline_for
from minigraph.npu.reports import (
    Sheet,
    critical_sheet,
    fusion_op,
    fusion_sheet,
    memory_sheet,
    occupancy,
    op_statistic,
    operator_trace,
    roofline,
    roofline_sheet,
    schedule_sheet,
    task_sheet,
    task_time,
    tornado_sheet,
)
from minigraph.npu.reports.run_time import bars_sheet, four_bars, verdict
from minigraph.npu.schedules import load_schedules, schedules_text
from viz import occupancy_svg, roofline_svg, svg


class Run(NamedTuple):
    """One simulated program: the optimised graph, the reports before and after the passes, and of one task tuned."""

    graph: Graph
    before: Report
    after: Report
    tuning: Tuning | None = None


SHEETS: dict[str, Callable[[Run], Sheet]] = {
    "bars": lambda run: bars_sheet(
        four_bars(run.before.tasks, run.before.host_preset, run.after.tasks),
        (verdict(run.before.tasks, run.before.host_preset),),
        run.after.what_if,
        run.after.basis.memory,
    ),
    "tasks": lambda run: task_sheet(run.after),
    "critical": lambda run: critical_sheet(run.after),
    "roofline": lambda run: roofline_sheet(run.after),
    "memory": lambda run: memory_sheet(run.after),
    "whatif": lambda run: tornado_sheet(run.graph, run.after.chip, host=run.after.host_preset),
    "schedule": lambda run: schedule_sheet(run.after),
    "fusion": lambda run: fusion_sheet(run.graph, run.after.chip, run.after.host_preset),
}


DEFAULT_REPORTS = ["bars", "tasks", "critical", "whatif"]


def add_npu(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``npu`` to the commands."""
    npu = commands.add_parser(
        "npu", help="simulate one program on a chip: tasks, critical path, roofline, memory, sensitivity, fusion",
        description="Simulate a program on an Ascend chip and print reports. --out writes all reports as CSV, "
        "files in the profiler's format, traces for Perfetto, and pictures.",
    )  # fmt: skip
    npu.add_argument("program", nargs="?", metavar="FILE", help="FILE.py:function, FILE.onnx, FILE.pt2 "
                     "or graph text (default: digits)")  # fmt: skip
    npu.add_argument("--chip", default=get_context("chip"), help="chip name or chip file (default: %(default)s)")
    npu.add_argument("--host", default=DEFAULT_HOST, help="host model (default: %(default)s)")
    npu.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="simulation engine (default: %(default)s)")
    npu.add_argument("--set", action="append", default=[], metavar="PARAMETER=VALUE", help="override a chip "
                     "parameter, such as mte2.lat=100")  # fmt: skip
    npu.add_argument("--schedule", metavar="FILE.toml", help="kernel schedules, by task: tiles, loop order, "
                     "cores, buffers and queues; --out writes the schedules of this run as schedules.toml")  # fmt: skip
    npu.add_argument("--autotune", action="store_true", help="search for the fastest schedule of one task and use it; "
                     "--out also draws the cycles of every schedule tried")  # fmt: skip
    npu.add_argument("--task", metavar="TASK", help="task for --autotune, such as %%3 or matmul (default: the slowest)")
    npu.add_argument("--show", nargs="+", choices=sorted(SHEETS), default=DEFAULT_REPORTS, metavar="REPORT",
                     help=f"reports to print: {', '.join(SHEETS)} (default: {' '.join(DEFAULT_REPORTS)})")  # fmt: skip
    npu.add_argument("--rows", type=int, default=40, metavar="N", help="maximum number of rows to print per report; "
                     "files have all rows (default: %(default)s)")  # fmt: skip
    npu.add_argument("--out", metavar="FOLDER", help="write all reports to this folder")
    add_pipeline(npu)
    add_dim_option(npu)
    npu.set_defaults(run=_run_npu)


def _run_npu(arguments: argparse.Namespace) -> int:
    console = CommandConsole()
    chip = chip_with_settings(chip_named(arguments.chip), arguments.set)
    host_named(arguments.host)
    if arguments.out:
        check_folder(Path(arguments.out))
    if arguments.task and not arguments.autotune:
        raise UsageError(f"--task {arguments.task}: names the task to tune; add --autotune")
    run = _simulate_program(arguments, chip)
    # Before anything is printed: the reader of a pipe may stop early.
    names = write_files(Path(arguments.out), files_of(run)) if arguments.out else []
    if run.tuning:
        console.print(run.tuning.sheet().first(arguments.rows))
        console.print()
    for name in arguments.show:
        console.print(SHEETS[name](run).first(arguments.rows))
        console.print()
    console.print(f"Simulated, not measured. {run.after.calibration}.", highlight=False, markup=False)
    if arguments.out:
        console.print(f"Wrote {len(names)} files to [bold]{arguments.out}[/]")
    return 0


def chip_with_settings(chip: Chip, settings: list[str]) -> Chip:
    """The chip with parameters overridden, as by ``["mte2.lat=100"]``.

    Raises ``UsageError`` for malformed text or an unknown parameter, ``ChipError`` for an impossible value.
    """
    for setting in settings:
        key, equals, value = setting.partition("=")
        if key not in chip.parameters:
            hint = parameter_hint(key, chip.parameters)
            raise UsageError(f"--set {setting}: {chip.title} has no parameter '{key}'{hint}")
        try:
            number = float(value)
        except ValueError:
            valid = f"{key}={chip.parameters[key].v:g}"
            raise UsageError(f"--set {setting}: '{value}' is not a number; write {valid}") from None
        is_integer = equals and number == int(number)
        chip = chip.replace(**{key.replace(".", "_", 1): int(number) if is_integer else number})
    return chip


def _simulate_program(arguments: argparse.Namespace, chip: Chip) -> Run:
    schedules = load_schedules(arguments.schedule) if arguments.schedule else {}
    loaded: LoadedModules = {}
    load(arguments.load, loaded)
    if arguments.program:
        program = load_program(arguments.program, loaded, parse_dims(arguments.dim))
        graph, pipeline = program.graph, program.pipeline_or(arguments.pipeline)
    else:
        target = load_target(None)
        graph = target.function.graph(*target.inputs, pipeline=())
        pipeline = pipeline_option(arguments)
    register_rules(loaded)
    before = simulate(graph, chip=chip, host=arguments.host, engine="analytic")
    pipeline_for(pipeline, chip).run(graph)
    tuning = autotune(graph, node=arguments.task, chip=chip) if arguments.autotune else None
    best: dict[int | str, Schedule] = {tuning.node: tuning.best} if tuning else {}
    after = simulate(graph, chip=chip, host=arguments.host, engine=arguments.engine, schedule={**schedules, **best})
    return Run(graph, before, after, tuning)


def files_of(run: Run) -> Iterator[tuple[str, str]]:
    """Name and content of every file: reports, the profiler's tables, traces, pictures."""
    for name, sheet in SHEETS.items():
        yield f"{name}.csv", sheet(run).csv()
    for write in (op_summary, op_statistic, fusion_op, task_time):
        yield f"{write.__name__}.csv", write(run.after)
    schedules = schedules_text({f"%{row.node}": row.schedule for row in run.after.rows})
    yield "schedules.toml", f"# {run.after.title} on {run.after.label}\n{schedules}"
    if run.tuning:
        yield "autotune.csv", run.tuning.sheet().csv()
        yield "landscape.svg", svg(run.tuning)
    yield "trace.json", chrome_trace(run.after)
    yield "operator_trace.json", operator_trace(run.after)
    yield "trace_eager.json", chrome_trace(run.before, "eager")
    yield "timeline.svg", svg(run.after)
    yield "roofline.svg", roofline_svg(roofline(run.after, run.before))
    yield "memory.svg", occupancy_svg(occupancy(run.after), run.after.mhz, run.after.label)
