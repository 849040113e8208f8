"""One group of benchmarks, measured in this process: ``python -m benchmarks.group NAME FILE`` writes its record.

``python -m benchmarks`` runs one such process after the other, each with the environment of a condition.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.cases import eager, explorer, fused, kernels, networks, pass_speed, programs, rewriting, start, step
from benchmarks.measuring import counts
from benchmarks.measuring.conditions import NAMES, condition_named
from benchmarks.measuring.harness import Table
from benchmarks.measuring.records import Record, write
from benchmarks.peers import remote
from benchmarks.reporting import gap, report
from benchmarks.techniques import table as techniques
from minigraph.core.context import set_context

FULL_ROUNDS, QUICK_ROUNDS = 9, 5  # samples of each contender, without and with --quick


def eager_tables(quick: bool, rounds: int) -> list[Table]:
    """The time of one operator in eager mode."""
    return [eager.table(rounds, 200 if quick else eager.OPERATORS)]


def kernel_tables(quick: bool, rounds: int) -> list[Table]:
    """Numerical work: matrix products with tanh, and many operators on every element."""
    return [kernels.table(rounds, small=quick)]


def fused_tables(quick: bool, rounds: int) -> list[Table]:
    """Chains of elementwise operators on large arrays, which compilation fuses."""
    return [fused.table(rounds, small=quick)]


def program_tables(quick: bool, rounds: int) -> list[Table]:
    """Whole programs."""
    return [programs.table(rounds, small=quick)]


def network_tables(quick: bool, rounds: int) -> list[Table]:
    """Networks for images, forward and in training."""
    return [networks.table(rounds, small=quick)]


def step_tables(quick: bool, rounds: int) -> list[Table]:
    """One training step."""
    return [step.table(rounds)]


def pass_tables(quick: bool, rounds: int) -> list[Table]:
    """Capturing, verifying and rewriting graphs."""
    return pass_speed.tables(min(rounds, 5), pass_speed.SIZES[: 1 if quick else None])


def rewriting_tables(quick: bool, rounds: int) -> list[Table]:
    """Passes compared with a build in networkx and with other systems."""
    return rewriting.tables(min(rounds, 5), rewriting.SIZES[: 1 if quick else None])


def start_tables(quick: bool, rounds: int) -> list[Table]:
    """The time to import minigraph."""
    return [start.table(min(rounds, 5))]


def technique_tables(quick: bool, rounds: int) -> list[Table]:
    """The accelerator's techniques on and off."""
    return techniques.tables(rounds, quick)


def counts_section(quick: bool) -> str:
    """Deterministic counts of work, such as calls; instructions, which take minutes to count, without --quick only."""
    return counts.section(with_instructions=not quick)


def explorer_section(quick: bool) -> str:
    """The explorer's time to first paint, and the size of its file."""
    return explorer.section(explorer.SIZES[: 1 if quick else None])


TABLES: dict[str, Callable[[bool, int], list[Table]]] = {
    "eager": eager_tables,
    "kernels": kernel_tables,
    "fused": fused_tables,
    "programs": program_tables,
    "networks": network_tables,
    "step": step_tables,
    "passes": pass_tables,
    "rewriting": rewriting_tables,
    "import": start_tables,
}
TECHNIQUES = "techniques"  # measured on request only
SECTIONS: dict[str, Callable[[bool], str]] = {"counts": counts_section, "explorer": explorer_section}
GROUPS = (*TABLES, *SECTIONS)
ALL_TABLES: dict[str, Callable[[bool, int], list[Table]]] = {**TABLES, TECHNIQUES: technique_tables}


def measure_group(name: str, quick: bool = False, rounds: int | None = None, condition: str = NAMES[0]) -> Record:
    """Measure a group under a condition, and print its results."""
    measuring_condition = condition_named(condition)
    set_context(kernel_backend="numpy")  # contenders that use numba's kernels select them, and say so in their names
    rounds = max(rounds or (QUICK_ROUNDS if quick else FULL_ROUNDS), measuring_condition.rounds)
    with measuring_condition.apply():
        record = Record(section=SECTIONS[name](quick)) if name in SECTIONS else Record(ALL_TABLES[name](quick, rounds))
    print(
        *map(report.table_text, record.tables),
        *([f"\n{record.section}"] if record.section else []),
        sep="\n",
        flush=True,
    )
    record.remote_frameworks, record.gap, record.condition = remote.versions(), gap.worst_gap(record.results), condition
    return record


def main() -> None:
    """Measure the group named on the command line, and write its record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.group", description=__doc__)
    parser.add_argument("name", choices=[*ALL_TABLES, *SECTIONS])
    parser.add_argument("file", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--condition", choices=NAMES, default=NAMES[0])
    arguments = parser.parse_args()
    write(measure_group(arguments.name, arguments.quick, arguments.rounds, arguments.condition), arguments.file)


if __name__ == "__main__":
    main()
