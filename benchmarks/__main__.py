"""``python -m benchmarks``: measure everything and write RESULTS.md.

Every group of tables is measured in a process of its own (``benchmarks.group``), one after the other: what one leaves
in memory, or breaks, is nothing to the next. Each writes a record, from which RESULTS.md is put together::

    python -m benchmarks                        measure all groups, print them, write RESULTS.md and its picture
    python -m benchmarks eager fused            measure these, print them, write nothing
    python -m benchmarks --quick                small sizes; write nothing
    python -m benchmarks --keep FOLDER          measure the groups that have no record in the folder, then as above
    python -m benchmarks eager --keep FOLDER    measure a group for the folder, in place of the record it may have

So a run that was interrupted goes on where it was, and a group can be measured again alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.group import GROUPS, ROUNDS
from benchmarks.measuring.harness import SINGLE_THREAD
from benchmarks.measuring.records import Record, read
from benchmarks.reporting import gap, picture, reading, report

RESULTS, PICTURE = Path(__file__).with_name("RESULTS.md"), Path(__file__).with_name("results.svg")
ROOT = Path(__file__).parents[1]


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, formatter_class=about)
    parser.add_argument("name", nargs="*", choices=[[], *GROUPS], help="which to run (default: all)")
    parser.add_argument("--quick", action="store_true", help="small sizes, and write nothing")
    parser.add_argument("--rounds", type=int, help=f"rounds per contender (default {ROUNDS})")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where records stay, and are taken from")
    return parser.parse_args()


def file_of(folder: Path, name: str, quick: bool) -> Path:
    """Where a group's record lies; small runs have records of their own."""
    return folder / f"{name}{'.quick' if quick else ''}.json"


def measure(name: str, file: Path, chosen: argparse.Namespace) -> bool:
    """Measure a group in a process of its own, one thread per library; whether that went well."""
    options = ["--quick"] if chosen.quick else []
    options += ["--rounds", str(chosen.rounds)] if chosen.rounds else []
    command = [sys.executable, "-m", "benchmarks.group", name, str(file.resolve()), *options]
    return subprocess.run(command, cwd=ROOT, env=os.environ | SINGLE_THREAD, check=False).returncode == 0


def finished(chosen: argparse.Namespace, folder: Path) -> list[str]:
    """Measure what is asked for and not there; the groups whose processes failed."""
    failed = []
    for name in chosen.name or GROUPS:
        file = file_of(folder, name, chosen.quick)
        if chosen.name or not file.exists():
            file.unlink(missing_ok=True)
            if not measure(name, file, chosen):
                failed.append(name)
        else:
            print(f"\n{name}: taken from {file}", flush=True)
    return failed


def write_results(records: Sequence[Record]) -> None:
    """RESULTS.md and its picture from the records of all groups."""
    tables = [table for record in records for table in record.tables]
    others = list(dict.fromkeys(other for record in records for other in record.others))
    gaps = [record.gap for record in records if record.gap is not None]
    sections = [record.section for record in records if record.section]
    text = report.results_file(tables, reading.notes(tables), gap.section(gaps), sections, others)
    RESULTS.write_text(text, encoding="utf-8")
    PICTURE.write_text(picture.bars([result for table in tables for result in table.results]), encoding="utf-8")
    print(f"\nwrote {RESULTS.name} and {PICTURE.name}")


def main() -> int:
    """Measure, print, and (unless ``--quick`` or a choice was made) write RESULTS.md; 1 where a group failed."""
    chosen = arguments()
    folder = chosen.keep or Path(tempfile.mkdtemp(prefix="minigraph-benchmarks-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"records: {folder}")
    if failed := finished(chosen, folder):
        print(f"\nfailed: {', '.join(failed)}; --keep {folder} goes on from here", file=sys.stderr)
        return 1
    records = [read(file_of(folder, name, chosen.quick)) for name in chosen.name or GROUPS]
    print(f"\n{report.goals([t for record in records for t in record.tables], (*report.GOALS, *report.FURTHER))}")
    if not chosen.quick and not chosen.name:
        write_results(records)
    if not chosen.keep:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
