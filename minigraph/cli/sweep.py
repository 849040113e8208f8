"""``minigraph sweep``: simulates models × pipelines × chips × chip parameters into one table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from minigraph.cli.formatting import count_text
from minigraph.cli.programs import load, register_rules
from minigraph.cli.target import MODEL_FILES, LoadedModules, add_dim_option, load_module, load_target, parse_dims
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.files import decode_surrogates
from minigraph.npu import CHIPS, HOSTS, Chip, chip_named, register_chip, sweep
from minigraph.npu.host import DEFAULT_HOST
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.sweeps import SerialExecutor, Table, axis_of, front_lines

BUILT_IN = ("processes", "threads", "serial")  # executors without extra dependencies
MAX_ERRORS = 5  # error messages that the summary prints
DESCRIPTION = """\
Simulate every combination of models, pipelines, chips and chip parameters. Rows
are streamed into a CSV file; running the same command again resumes an
interrupted sweep. With pyarrow installed, a Parquet file is written as well.
The exit code is 1 if any point failed."""
EPILOG = """\
executors:
  processes, threads, serial        on this machine
  dask.distributed:Client           on the Dask cluster whose address is in
                                    DASK_SCHEDULER_ADDRESS
  mpi4py.futures:MPIPoolExecutor    run as: mpiexec -n 4 python -m
                                    mpi4py.futures -m minigraph sweep ...
  FILE.py:function, MODULE:name     any callable that returns an Executor of
                                    concurrent.futures
Models are captured in this process. Workers receive only numbers, so they need
minigraph, but not your files.
"""


def add_sweep(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``sweep`` to the commands."""
    command = commands.add_parser(
        "sweep", help="simulate a design space in parallel and write one table",
        description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("--models", nargs="+", default=["digits"], metavar="FILE.py:function",
                         help="functions, model files, or the examples digits, vit (default: digits)")  # fmt: skip
    command.add_argument("--chips", nargs="+", default=[get_context("chip")], metavar="CHIP",
                         help=f"chip names, FILE.toml, or all (default: {get_context('chip')})")  # fmt: skip
    command.add_argument("--pipelines", nargs="+", type=decode_surrogates, default=["default"], metavar="PASSES",
                         help="such as 'lower_depend,cse,dce'; '' for no pass (default: default)")  # fmt: skip
    command.add_argument("--set", nargs="+", action="extend", default=[], metavar="PARAMETER=VALUES", dest="changes",
                         help="values of a chip parameter: FIRST:LAST:STEP, such as mte2.lat=150:250:25, or a "
                         "list, such as pool.gm=0.8,1.6")  # fmt: skip
    command.add_argument("--load", action="append", default=[], metavar="FILE.py", help="run this file first; "
                         "pipelines can use the passes and rules that it defines")  # fmt: skip
    command.add_argument("--engine", default="event", choices=ENGINES, help="simulation engine (default: %(default)s)")
    command.add_argument("--host", default=DEFAULT_HOST, choices=sorted(HOSTS), metavar="HOST",
                         help="host model: %(choices)s (default: %(default)s)")  # fmt: skip
    command.add_argument("--executor", default="processes", help="executor, listed below (default: %(default)s)")
    command.add_argument("--workers", type=int, metavar="N", help="processes or threads (default: one per processor)")
    command.add_argument("--out", default="sweep.csv", metavar="FILE.csv", help="output table (default: %(default)s)")
    add_dim_option(command)
    command.set_defaults(run=_sweep)


def _sweep(arguments: argparse.Namespace) -> int:
    loaded: LoadedModules = {}  # a file with models, passes and an executor runs once
    load(arguments.load, loaded)
    axes = [axis_of(text) for text in arguments.changes]
    _check_unique(axis.parameter for axis in axes)
    chips = [chip for text in arguments.chips for chip in _chips(text)]
    dims = parse_dims(arguments.dim)
    targets = {
        text: load_target(text, loaded, dims if text.endswith(MODEL_FILES) else None) for text in arguments.models
    }
    register_rules(loaded)
    with _executor(arguments.executor, arguments.workers, loaded) as executor, _progress_bar() as progress:
        try:
            table = sweep(
                {text: (target.function, *target.inputs) for text, target in targets.items()},
                chips, arguments.pipelines, dict(axes), out=arguments.out, executor=executor,
                workers=arguments.workers, engine=arguments.engine, host=arguments.host, progress=progress,
            )  # fmt: skip
        except KeyboardInterrupt:
            hint = f"finished rows are in {arguments.out}; run the same command again to resume"
            raise KeyboardInterrupt(f"sweep: interrupted; {hint}") from None
    _print_summary(table)
    return int(bool(table.failures))


def _check_unique(parameters: Iterable[str]) -> None:
    seen = set[str]()
    for name in parameters:
        if name in seen:
            raise UsageError(f"sweep: --set {name} is given twice; give all its values at once, {name}=1,2,3")
        seen.add(name)


def _chips(text: str) -> Sequence[str | Chip]:
    """A chip by name or from a file, or all chips."""
    if text == "all":
        return sorted(CHIPS)
    return [register_chip(text) if text.endswith(".toml") else chip_named(text)]


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None] | None]:
    """A function that shows how many points of all are done, on a terminal; elsewhere ``None``."""
    console = Console(stderr=True)
    if not (console.is_terminal and sys.stderr.isatty()):  # the first is true everywhere with FORCE_COLOR
        yield None
        return
    columns = TextColumn("sweeping"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("points", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_summary(table: Table) -> None:
    print("\n".join(front_lines(table)))
    failed = table.failures
    print(f"\n{count_text(len(table), 'row')} in {table.path}" + (f", {len(failed):,} with errors:" if failed else ""))
    for point, error in failed[:MAX_ERRORS]:
        print(f"  {point.model}, {point.pipeline or '(no passes)'}, {point.chip}: {error}")
    if len(failed) > MAX_ERRORS:
        print(f"  and {len(failed) - MAX_ERRORS:,} more; see the column 'error'")


# ---- executors -------------------------------------------------------------------------------------


@contextmanager
def _executor(text: str, workers: int | None, loaded: LoadedModules) -> Iterator[Executor | None]:
    """The named executor, closed at exit; ``None`` for processes, which ``sweep`` creates itself.

    Raises ``UsageError`` or ``UnknownNameError`` for a name that is not an executor.
    """
    if text == "threads":
        with ThreadPoolExecutor(workers) as threads:
            yield threads
    elif text in BUILT_IN:
        yield SerialExecutor() if text == "serial" else None
    else:
        client = _executor_factory(text, loaded)()
        with client if hasattr(client, "__exit__") else nullcontext():
            executor = client.get_executor() if hasattr(client, "get_executor") else client  # as dask's Client
            if not isinstance(executor, Executor):
                problem = f"'{text}' returns a {type(executor).__name__}, not a concurrent.futures.Executor"
                raise UsageError(f"sweep: {problem}; minigraph sweep --help lists executors")
            yield executor


def _executor_factory(text: str, loaded: LoadedModules) -> Any:
    """The callable named by FILE.py:function or MODULE:name."""
    file, colon, name = text.rpartition(":")
    if not colon:
        raise UsageError(f"sweep: no executor '{text}'{did_you_mean(text, BUILT_IN)}; or FILE.py:function, MODULE:name")
    name = decode_surrogates(name)
    if not file.endswith(".py"):
        return resolve(decode_surrogates(text))
    module = load_module(Path(file), loaded)
    if not callable(getattr(module, name, None)):
        raise UsageError(f"sweep: no function '{name}' in {file}{did_you_mean(name, vars(module))}")
    return getattr(module, name)
