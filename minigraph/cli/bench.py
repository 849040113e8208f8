"""``minigraph bench``: the benchmarks of a checkout, run in a process of their own."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from minigraph.core.errors import UsageError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Give the command line its ``bench``."""
    bench = commands.add_parser(
        "bench", help="measure everything beside numpy and whatever peers are installed",
        description="Run the benchmarks of this checkout; all of them rewrite benchmarks/RESULTS.md and its picture.",
    )  # fmt: skip
    bench.add_argument(
        "name", nargs="*", help="which to run, such as 'eager' or 'techniques' (default: all but the last)"
    )
    bench.add_argument("--quick", action="store_true", help="small sizes, and write nothing")
    bench.add_argument("--condition", action="append", help="under which of three conditions (default: all)")
    bench.add_argument("--rounds", type=int, help="rounds per contender")
    bench.add_argument("--keep", type=Path, metavar="FOLDER", help="where what was measured stays, and is taken from")
    bench.add_argument("--out", type=Path, metavar="FOLDER", help="where to write, also what is not all")
    bench.set_defaults(run=run_bench)


def run_bench(arguments: argparse.Namespace) -> int:
    """Run the benchmarks and return their exit code.

    Raises ``UsageError`` where there are none, because only the package was installed.
    """
    if not (BENCHMARKS / "__main__.py").is_file():
        raise UsageError("bench: the benchmarks come with the source, not with the package; run it in a checkout")
    options = ["--quick"] if arguments.quick else []
    options += ["--rounds", str(arguments.rounds)] if arguments.rounds else []
    options += [word for each in arguments.condition or () for word in ("--condition", each)]
    for name, folder in (("--keep", arguments.keep), ("--out", arguments.out)):
        options += [name, str(folder.resolve())] if folder else []
    command = [sys.executable, "-m", BENCHMARKS.name, *arguments.name, *options]
    return subprocess.run(command, cwd=BENCHMARKS.parent, check=False).returncode
