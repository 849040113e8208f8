"""``python -m benchmarks``: measure everything and write RESULTS.md.

Every group of tables is measured under three conditions (``benchmarks.measuring.conditions``), each time in a new
process (``benchmarks.group``), one after the other, so that memory and failures of one do not affect the next.
Each process writes a record; RESULTS.md is generated from the records::

    python -m benchmarks                        measure all groups, print them, write RESULTS.md and its chart
    python -m benchmarks eager fused            measure these groups, print them, write nothing
    python -m benchmarks --condition busy       measure under one condition, write nothing
    python -m benchmarks --quick                measure small sizes, write nothing
    python -m benchmarks --keep FOLDER          measure the groups without a record in the folder, then write as above
    python -m benchmarks eager --keep FOLDER    measure a group and replace its record in the folder
    python -m benchmarks techniques             measure each technique of the accelerator, write TECHNIQUES.md

``--out FOLDER`` writes there in any case. With ``--keep`` an interrupted run can be resumed, and a single group can be
measured again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from os import environ
from pathlib import Path

from benchmarks.group import FULL_ROUNDS, GROUPS, SECTIONS, TECHNIQUES
from benchmarks.measuring.conditions import CONDITIONS, NAMES, condition_named, two_cores
from benchmarks.measuring.records import Record, read
from benchmarks.reporting import chart, gap, notes, report, techniques
from benchmarks.reporting.report import ConditionTables
from minigraph.core.files import write_atomically

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
RESULTS, CHART, TECHNIQUES_PAGE = "RESULTS.md", "results.svg", "TECHNIQUES.md"


def group_name(name: str) -> str:
    """A name from the command line; raises ``ArgumentTypeError`` if no group has it."""
    known = (*GROUPS, TECHNIQUES)
    if name not in known:
        raise argparse.ArgumentTypeError(f"no benchmark '{name}'; choose from {', '.join(known)}")
    return name


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, formatter_class=formatter)
    parser.add_argument("name", nargs="*", type=group_name, help=f"groups to measure: {', '.join(GROUPS)} (default: "
                        f"all), or {TECHNIQUES}")  # fmt: skip
    parser.add_argument("--condition", choices=NAMES, action="append", help="measuring condition (default: all)")
    parser.add_argument("--quick", action="store_true", help="measure small sizes, and write nothing")
    parser.add_argument("--rounds", type=int, help=f"rounds per contender (default {FULL_ROUNDS})")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep records in this folder, and reuse them")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write to this folder, also after a partial run")
    return parser.parse_args()


def record_path(folder: Path, name: str, condition: str, quick: bool) -> Path:
    """The path of a group's record; small runs have records of their own."""
    return folder / f"{name}.{condition}{'.quick' if quick else ''}.json"


def runs(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """The groups to measure and their conditions; sections that are not timed are run under the first only."""
    conditions = arguments.condition or NAMES
    groups = arguments.name or GROUPS
    return [
        (name, condition)
        for condition in conditions
        for name in groups
        if condition == conditions[0] or name not in SECTIONS
    ]


def measure(name: str, condition: str, file: Path, arguments: argparse.Namespace) -> bool:
    """Measure a group in a process of its own, under a condition; whether it succeeded."""
    options = ["--condition", condition, *(["--quick"] if arguments.quick else [])]
    options += ["--rounds", str(arguments.rounds)] if arguments.rounds else []
    command = [sys.executable, "-m", "benchmarks.group", name, str(file.resolve()), *options]
    variables = condition_named(condition).environment(environ)
    return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode == 0


def measure_missing(arguments: argparse.Namespace, folder: Path) -> list[str]:
    """Measure the groups that are named or have no record; return those that failed."""
    failed = []
    for name, condition in runs(arguments):
        file = record_path(folder, name, condition, arguments.quick)
        if arguments.name or not file.exists():
            file.unlink(missing_ok=True)
            print(f"\n{name}, {condition}:", flush=True)
            if not measure(name, condition, file, arguments):
                failed.append(f"{name} ({condition})")
        else:
            print(f"\n{name}, {condition}: read from {file}", flush=True)
    return failed


def tables_of(records: Sequence[Record]) -> list[ConditionTables]:
    """The tables of all groups, by condition."""
    measured = []
    for condition in CONDITIONS:
        tables = [table for record in records if record.condition == condition.name for table in record.tables]
        measured += [ConditionTables(condition, tables)] if tables else []
    return measured


def write_results(records: Sequence[Record], folder: Path) -> None:
    """Write RESULTS.md and its chart from the records of all groups."""
    measured = tables_of(records)
    first = measured[0].tables if measured else []
    frameworks = list(dict.fromkeys(name for record in records for name in record.remote_frameworks))
    gaps = [r.gap for r in records if r.gap is not None and measured and r.condition == measured[0].condition.name]
    sections = [record.section for record in records if record.section]
    text = report.results_file(measured, notes.notes(first), gap.section(gaps), sections, frameworks)
    write_atomically(folder / RESULTS, text)
    write_atomically(folder / CHART, chart.bar_chart([r for table in first for r in table.results]))
    print(f"\nwrote {RESULTS} and {CHART}")


def write_techniques(records: Sequence[Record], folder: Path) -> None:
    """Write TECHNIQUES.md from the measured gains of techniques."""
    write_atomically(folder / TECHNIQUES_PAGE, techniques.page(tables_of(records)))
    print(f"\nwrote {TECHNIQUES_PAGE}")


def pages_folder(arguments: argparse.Namespace) -> Path | None:
    """The folder for the results of a complete run, or of any run with ``--out``; else ``None``."""
    is_partial = arguments.quick or arguments.condition or arguments.name not in ([], [TECHNIQUES])
    return arguments.out or (None if is_partial else FOLDER)


def prepare_folder(folder: Path) -> None:
    """Create a folder; ends the program, before anything is measured, if no file can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        print(f"benchmarks: cannot write to '{folder}': {error.strerror}; choose another folder", file=sys.stderr)
        sys.exit(2)


def main() -> int:
    """Measure, print, and write after a complete run; 1 if a group failed."""
    arguments = parse_arguments()
    pages = pages_folder(arguments)
    for chosen in (pages, arguments.keep):
        if chosen is not None:
            prepare_folder(chosen)
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="minigraph-benchmarks-"))
    print(f"records: {folder}")
    with two_cores():
        failed = measure_missing(arguments, folder)
    if failed:
        print(f"\nfailed: {', '.join(failed)}; resume with --keep {folder}", file=sys.stderr)
        return 1
    records = [read(record_path(folder, name, condition, arguments.quick)) for name, condition in runs(arguments)]
    print(*map(report.goals_section, tables_of(records)), sep="\n\n")
    if pages is not None:
        (write_techniques if arguments.name == [TECHNIQUES] else write_results)(records, pages)
    if not arguments.keep:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
