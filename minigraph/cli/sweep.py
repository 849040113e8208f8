"""``minigraph sweep``: models × pipelines × chips × figures of chips, simulated into one table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from minigraph.cli.programs import enter_rules, load
from minigraph.cli.target import Ran, module_of, target_named
from minigraph.cli.words import counted
from minigraph.core.context import get_context, resolve
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.npu import CHIPS, HOSTS, Chip, chip_named, register_chip, sweep
from minigraph.npu.host import DEFAULT_HOST
from minigraph.npu.job_cost import ENGINES
from minigraph.npu.sweeps import Serial, Table, axis_of, front_lines

OWN = ("processes", "threads", "serial")  # executors that need nothing installed
SHOWN_ERRORS = 5
DESCRIPTION = """\
Simulate every model after every pipeline on every chip, with every combination of changed figures.
Rows stream into a CSV file; the same command goes on where it was interrupted. A Parquet file is
written beside it where pyarrow is installed. Exit code 1 when a point has an error."""
EPILOG = """\
executors:
  processes, threads, serial              on this machine
  dask.distributed:Client                 a cluster of dask's; DASK_SCHEDULER_ADDRESS says which
  mpi4py.futures:MPIPoolExecutor          with mpiexec -n 4 python -m mpi4py.futures -m minigraph sweep ...
  FILE.py:function, MODULE:name           anything that, called, gives a concurrent.futures.Executor
Models run here only: what a worker gets is numbers, so it needs minigraph and no file of yours.
"""


def add_sweep(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the others."""
    command = commands.add_parser(
        "sweep", help="simulate a design space into one table, on all processors or a cluster",
        description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("--models", nargs="+", default=["digits"], metavar="FILE.py:function",
                         help="or digits, vit: the training steps of the examples (default: digits)")  # fmt: skip
    command.add_argument("--chips", nargs="+", default=[get_context("chip")], metavar="CHIP",
                         help=f"by name, FILE.toml, or all (default: {get_context('chip')})")  # fmt: skip
    command.add_argument("--pipelines", nargs="+", default=["default"], metavar="PASSES",
                         help="each such as 'lower_depend,cse,dce'; '' is none (default: default)")  # fmt: skip
    command.add_argument("--set", nargs="+", action="extend", default=[], metavar="FIGURE=VALUES", dest="changes",
                         help="a chip's figure, as mte2.lat=150:250:25 or pool.gm=0.8,1.6")  # fmt: skip
    command.add_argument("--load", action="append", default=[], metavar="FILE.py", help="run this file first: its "
                         "passes and rules may stand in pipelines by name")  # fmt: skip
    command.add_argument("--engine", default="event", choices=ENGINES, help="(default: %(default)s)")
    command.add_argument("--host", default=DEFAULT_HOST, choices=sorted(HOSTS), help="(default: %(default)s)")
    command.add_argument("--executor", default="processes", help="who computes (default: %(default)s)")
    command.add_argument("--workers", type=int, metavar="N", help="processes or threads (default: one per processor)")
    command.add_argument("--out", default="sweep.csv", metavar="FILE.csv", help="the table (default: %(default)s)")
    command.set_defaults(run=_sweep)


def _sweep(arguments: argparse.Namespace) -> int:
    ran: Ran = {}  # a file with several models, passes and an executor runs once
    load(arguments.load, ran)
    axes = [axis_of(text) for text in arguments.changes]
    _each_once(axis.figure for axis in axes)
    chips = [chip for text in arguments.chips for chip in _chips(text)]
    targets = {text: target_named(text, ran) for text in arguments.models}
    enter_rules(ran)
    with _executor(arguments.executor, arguments.workers, ran) as executor, _bar() as progress:
        task = progress.add_task("points", total=None)
        try:
            table = sweep(
                {text: (target.function, *target.inputs) for text, target in targets.items()},
                chips, arguments.pipelines, dict(axes), out=arguments.out, executor=executor,
                workers=arguments.workers, engine=arguments.engine, host=arguments.host,
                progress=lambda done, total: progress.update(task, completed=done, total=total),
            )  # fmt: skip
        except KeyboardInterrupt:
            kept = f"what is done is kept in {arguments.out}, and the same command goes on from there"
            raise UsageError(f"sweep: interrupted; {kept}") from None
    _tell(table)
    return int(bool(table.failed))


def _each_once(figures: Iterable[str]) -> None:
    seen = set[str]()
    for figure in figures:
        if figure in seen:
            raise UsageError(f"sweep: --set {figure} is given twice; give all its values at once, {figure}=1,2,3")
        seen.add(figure)


def _chips(text: str) -> Sequence[str | Chip]:
    """A chip by name or from a file, or all there are."""
    if text == "all":
        return sorted(CHIPS)
    return [register_chip(text) if text.endswith(".toml") else chip_named(text)]


def _bar() -> Progress:
    columns = TextColumn("sweeping"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _tell(table: Table) -> None:
    print("\n".join(front_lines(table)))
    failed = table.failed
    print(f"\n{counted(len(table), 'row')} in {table.path}" + (f", {len(failed):,} with an error:" if failed else ""))
    for point, error in failed[:SHOWN_ERRORS]:
        print(f"  {point.model}, {point.pipeline or '(no passes)'}, {point.chip}: {error}")
    if len(failed) > SHOWN_ERRORS:
        print(f"  and {len(failed) - SHOWN_ERRORS:,} more; see the column 'error'")


# ---- executors -------------------------------------------------------------------------------------


@contextmanager
def _executor(text: str, workers: int | None, ran: Ran) -> Iterator[Executor | None]:
    """The executor of a name, closed afterwards; ``None`` for processes, which a sweep makes itself.

    Raises ``UsageError`` or ``UnknownName`` for a name that stands for none.
    """
    if text == "threads":
        with ThreadPoolExecutor(workers) as threads:
            yield threads
    elif text in OWN:
        yield Serial() if text == "serial" else None
    else:
        made = _maker(text, ran)()
        with made if hasattr(made, "__exit__") else nullcontext():
            executor = made.get_executor() if hasattr(made, "get_executor") else made  # dask's Client has one
            if not isinstance(executor, Executor):
                what = f"'{text}' gives a {type(executor).__name__}, no concurrent.futures.Executor"
                raise UsageError(f"sweep: {what}; see the executors in minigraph sweep --help")
            yield executor


def _maker(text: str, ran: Ran) -> Any:
    """What is behind FILE.py:function or MODULE:name, to be called without arguments."""
    file, colon, name = text.rpartition(":")
    if not colon:
        raise UsageError(f"sweep: no executor '{text}'{did_you_mean(text, OWN)}; or FILE.py:function, or MODULE:name")
    if not file.endswith(".py"):
        return resolve(text)
    module = module_of(Path(file), ran)
    if not callable(getattr(module, name, None)):
        raise UsageError(f"sweep: no function '{name}' in {file}{did_you_mean(name, vars(module))}")
    return getattr(module, name)
