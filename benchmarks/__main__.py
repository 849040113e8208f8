"""``python -m benchmarks``: measure everything and rewrite RESULTS.md."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.cases import eager, explorer, fused, kernels, pass_speed, programs, rewriting, start, step, vision
from benchmarks.measuring import counts
from benchmarks.measuring.harness import Table, single_threaded
from benchmarks.reporting import gap, picture, reading, report

RESULTS, PICTURE = Path(__file__).with_name("RESULTS.md"), Path(__file__).with_name("results.svg")
ROUNDS, QUICK_ROUNDS = 9, 5


def eager_tables(quick: bool, rounds: int) -> list[Table]:
    """One operator."""
    return [eager.table(rounds, 200 if quick else eager.OPERATORS)]


def kernel_tables(quick: bool, rounds: int) -> list[Table]:
    """Numerical work."""
    return [kernels.table(rounds, small=quick)]


def fused_tables(quick: bool, rounds: int) -> list[Table]:
    """Elementwise chains of many elements, and branches."""
    return [fused.table(rounds, small=quick)]


def program_tables(quick: bool, rounds: int) -> list[Table]:
    """Whole programs."""
    return [programs.table(rounds, small=quick), vision.table(rounds, small=quick)]


def step_tables(quick: bool, rounds: int) -> list[Table]:
    """One training step."""
    return [step.table(rounds)]


def pass_tables(quick: bool, rounds: int) -> list[Table]:
    """Graphs and passes."""
    return pass_speed.tables(min(rounds, 5), pass_speed.SIZES[: 1 if quick else None])


def rewriting_tables(quick: bool, rounds: int) -> list[Table]:
    """Passes beside a build in networkx and beside other systems."""
    return rewriting.tables(min(rounds, 5), rewriting.SIZES[: 1 if quick else None])


def start_tables(quick: bool, rounds: int) -> list[Table]:
    """Import."""
    return [start.table(min(rounds, 5))]


BENCHMARKS: dict[str, Callable[[bool, int], list[Table]]] = {
    "eager": eager_tables,
    "kernels": kernel_tables,
    "fused": fused_tables,
    "programs": program_tables,
    "step": step_tables,
    "passes": pass_tables,
    "rewriting": rewriting_tables,
    "import": start_tables,
}


def measured(names: Sequence[str], quick: bool, rounds: int) -> Iterator[Table]:
    """The tables of the named benchmarks, printed as they come."""
    for name in names:
        for table in BENCHMARKS[name](quick, rounds):
            print(report.text(table), flush=True)
            yield table


def main() -> None:
    """Read the command line, measure, print, and (unless ``--quick`` or a choice was made) write RESULTS.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[[], *BENCHMARKS], help="which to run (default: all)")
    parser.add_argument("--quick", action="store_true", help="small sizes, and write nothing")
    parser.add_argument("--rounds", type=int, help=f"rounds per contender (default {ROUNDS})")
    chosen = parser.parse_args()
    single_threaded()
    rounds = chosen.rounds or (QUICK_ROUNDS if chosen.quick else ROUNDS)
    tables = list(measured(chosen.name or list(BENCHMARKS), chosen.quick, rounds))
    print(f"\n{report.goals(tables)}")
    if not chosen.quick and not chosen.name:
        counted = counts.table(with_instructions=True)
        worst = gap.section([result for table in tables for result in table.results])
        text = report.results_file(tables, reading.notes(tables), counted, worst)
        RESULTS.write_text(explorer.with_section(text, explorer.section()), encoding="utf-8")
        PICTURE.write_text(picture.bars([result for table in tables for result in table.results]), encoding="utf-8")
        print(f"\nwrote {RESULTS.name} and {PICTURE.name}")


if __name__ == "__main__":
    main()
