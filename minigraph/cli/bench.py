"""``minigraph bench``: runs the benchmarks of a checkout in a separate process."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from minigraph.core.errors import UsageError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``bench`` to the commands."""
    bench = commands.add_parser(
        "bench", help="compare minigraph with numpy and the installed peer libraries",
        description="Run the benchmarks of this checkout. A full run rewrites benchmarks/RESULTS.md and its chart.",
    )  # fmt: skip
    bench.add_argument(
        "name", nargs="*", help="benchmarks to run, such as 'eager' or 'techniques' (default: all except 'techniques')"
    )
    bench.add_argument("--quick", action="store_true", help="use small sizes and write no files")
    bench.add_argument("--condition", action="append", help="measuring condition; may be repeated (default: all)")
    bench.add_argument("--rounds", type=int, help="rounds per library")
    bench.add_argument("--keep", type=Path, metavar="FOLDER", help="store measurements here and resume from them")
    bench.add_argument("--out", type=Path, metavar="FOLDER", help="write results here, even from a partial run")
    bench.set_defaults(run=run_bench)


def run_bench(arguments: argparse.Namespace) -> int:
    """Run the benchmarks and return their exit code.

    Raises ``UsageError`` for an installation without the benchmarks: they are part of the source checkout only.
    """
    if not (BENCHMARKS / "__main__.py").is_file():
        raise UsageError("bench: the benchmarks come with the source, not with the package; run it in a checkout")
    options = ["--quick"] if arguments.quick else []
    options += ["--rounds", str(arguments.rounds)] if arguments.rounds else []
    options += [word for condition in arguments.condition or () for word in ("--condition", condition)]
    for name, folder in (("--keep", arguments.keep), ("--out", arguments.out)):
        options += [name, str(folder.resolve())] if folder else []
    command = [sys.executable, "-m", BENCHMARKS.name, *arguments.name, *options]
    return subprocess.run(command, cwd=BENCHMARKS.parent, check=False).returncode
