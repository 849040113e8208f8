"""``python -m tests.differential``: run the grid, compare the results with MindSpore, and write the report.

``--record PYTHON`` first runs the grid with the MindSpore of another interpreter (numpy below 2) and saves its answers.
"""

import argparse
import os
import sys
from pathlib import Path

from tests.differential import recording
from tests.differential.grid import grid, unrecorded_groups
from tests.differential.own_answers import answers_of
from tests.differential.report import Statistics, text

RESULT = Path(__file__).parents[2] / "benchmarks" / "mindspore_grid.md"
VERSION = "2.10"


def main():
    """Record if requested, compare, and write the report; the exit code is 1 if a difference is unexplained."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--record", metavar="PYTHON", help="an interpreter that has MindSpore, and numpy below 2")
    parser.add_argument("--new", action="store_true", help="record only cases without an answer")
    parser.add_argument("--show", metavar="N", type=int, default=20, help="how many unexplained differences to print")
    chosen = parser.parse_args()
    if chosen.record:
        record(chosen.record, chosen.new)
    recorded = recording.load()
    all_cases = grid()
    cases = [case for case in all_cases if case.key in recorded]
    statistics = Statistics(cases, recorded, answers_of(cases))
    RESULT.write_text(text(statistics, VERSION, unrecorded_groups(all_cases, recorded)), encoding="utf-8")
    print(
        f"{sum(statistics.agree.values()):,} of {sum(statistics.answers.values()):,} answers agree; wrote {RESULT.name}"
    )
    for difference in statistics.unexplained[: chosen.show]:
        print(f"unexplained: {difference}")
    for reason in statistics.unused_rows():
        print(f"covers no difference: {reason.why}")
    sys.exit(bool(statistics.unexplained))


def record(python, only_new):
    """Record and save the answers of MindSpore; answers to cases outside of the grid are dropped."""
    known = recording.load() if only_new else {}
    cases = grid(everything=True)
    new = [case for case in cases if case.key not in known]
    answers = known | recording.collect_answers(python, "mindspore", new, jobs=min(2, os.cpu_count() or 1))
    recording.save({case.key: answers[case.key] for case in cases})


if __name__ == "__main__":
    main()
