"""``python -m benchmarks``: measure everything and write RESULTS.md.

Every group of tables is measured under three conditions (``benchmarks.measuring.conditions``), each time in a process
of its own (``benchmarks.group``), one after the other: what one leaves in memory, or breaks, is nothing to the next.
Each writes a record, from which RESULTS.md is put together::

    python -m benchmarks                        measure all groups, print them, write RESULTS.md and its picture
    python -m benchmarks eager fused            measure these, print them, write nothing
    python -m benchmarks --condition busy       under one condition; write nothing
    python -m benchmarks --quick                small sizes; write nothing
    python -m benchmarks --keep FOLDER          measure the groups that have no record in the folder, then as above
    python -m benchmarks eager --keep FOLDER    measure a group for the folder, in place of the record it may have
    python -m benchmarks techniques             what each technique of the accelerator is worth; write TECHNIQUES.md

``--out FOLDER`` writes there, whatever was measured. So a run that was interrupted goes on where it was, and a group
can be measured again alone.
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

from benchmarks.group import GROUPS, ROUNDS, SECTIONS, TECHNIQUES
from benchmarks.measuring.conditions import CONDITIONS, NAMES, condition_named, two_cores
from benchmarks.measuring.records import Record, read
from benchmarks.reporting import chart, gap, notes, report, techniques
from benchmarks.reporting.report import Measured

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
RESULTS, PICTURE, PRICES = "RESULTS.md", "results.svg", "TECHNIQUES.md"


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, formatter_class=about)
    parser.add_argument("name", nargs="*", choices=[[], *GROUPS, TECHNIQUES], help="which to run (default: all)")
    parser.add_argument("--condition", choices=NAMES, action="append", help="under which condition (default: all)")
    parser.add_argument("--quick", action="store_true", help="small sizes, and write nothing")
    parser.add_argument("--rounds", type=int, help=f"rounds per contender (default {ROUNDS})")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where records stay, and are taken from")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write, also what is not all")
    return parser.parse_args()


def file_of(folder: Path, name: str, condition: str, quick: bool) -> Path:
    """Where a group's record lies; small runs have records of their own."""
    return folder / f"{name}.{condition}{'.quick' if quick else ''}.json"


def runs(chosen: argparse.Namespace) -> list[tuple[str, str]]:
    """Groups and conditions to measure them under; what is counted is so under the first only."""
    conditions = chosen.condition or NAMES
    groups = chosen.name or GROUPS
    return [(name, each) for each in conditions for name in groups if each == conditions[0] or name not in SECTIONS]


def measure(name: str, condition: str, file: Path, chosen: argparse.Namespace) -> bool:
    """Measure a group in a process of its own, under a condition; whether that went well."""
    options = ["--condition", condition, *(["--quick"] if chosen.quick else [])]
    options += ["--rounds", str(chosen.rounds)] if chosen.rounds else []
    command = [sys.executable, "-m", "benchmarks.group", name, str(file.resolve()), *options]
    variables = condition_named(condition).environment(environ)
    return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode == 0


def finished(chosen: argparse.Namespace, folder: Path) -> list[str]:
    """Measure what is asked for and not there; the groups whose processes failed."""
    failed = []
    for name, condition in runs(chosen):
        file = file_of(folder, name, condition, chosen.quick)
        if chosen.name or not file.exists():
            file.unlink(missing_ok=True)
            print(f"\n{name}, {condition}:", flush=True)
            if not measure(name, condition, file, chosen):
                failed.append(f"{name} ({condition})")
        else:
            print(f"\n{name}, {condition}: taken from {file}", flush=True)
    return failed


def tables_of(records: Sequence[Record]) -> list[Measured]:
    """The tables of all groups, condition by condition."""
    found = []
    for condition in CONDITIONS:
        tables = [table for record in records if record.condition == condition.name for table in record.tables]
        found += [Measured(condition, tables)] if tables else []
    return found


def write_results(records: Sequence[Record], folder: Path) -> None:
    """RESULTS.md and its picture from the records of all groups."""
    measured = tables_of(records)
    first = measured[0].tables if measured else []
    others = list(dict.fromkeys(other for record in records for other in record.others))
    gaps = [r.gap for r in records if r.gap is not None and measured and r.condition == measured[0].condition.name]
    sections = [record.section for record in records if record.section]
    text = report.results_file(measured, notes.notes(first), gap.section(gaps), sections, others)
    (folder / RESULTS).write_text(text, encoding="utf-8")
    (folder / PICTURE).write_text(chart.bars([r for table in first for r in table.results]), encoding="utf-8")
    print(f"\nwrote {RESULTS} and {PICTURE}")


def write_prices(records: Sequence[Record], folder: Path) -> None:
    """TECHNIQUES.md from what switching techniques off did, under the conditions that were measured."""
    (folder / PRICES).write_text(techniques.page(tables_of(records)), encoding="utf-8")
    print(f"\nwrote {PRICES}")


def written(chosen: argparse.Namespace, records: Sequence[Record]) -> None:
    """Write what was measured, if it is all there is, or if a folder was named for it."""
    folder = chosen.out or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    prices = chosen.name == [TECHNIQUES]
    if chosen.out or not (chosen.quick or chosen.condition or (chosen.name and not prices)):
        (write_prices if prices else write_results)(records, folder)


def main() -> int:
    """Measure, print, and (unless ``--quick`` or a choice was made) write; 1 where a group failed."""
    chosen = arguments()
    folder = chosen.keep or Path(tempfile.mkdtemp(prefix="minigraph-benchmarks-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"records: {folder}")
    with two_cores():
        failed = finished(chosen, folder)
    if failed:
        print(f"\nfailed: {', '.join(failed)}; --keep {folder} goes on from here", file=sys.stderr)
        return 1
    records = [read(file_of(folder, name, condition, chosen.quick)) for name, condition in runs(chosen)]
    print(*map(report.goals_section, tables_of(records)), sep="\n\n")
    written(chosen, records)
    if not chosen.keep:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
