"""``python -m tests.differential``: run the grid, compare it with MindSpore's answers, and write the result.

``--record PYTHON`` first asks the MindSpore of another interpreter (numpy below 2) and keeps its answers.
"""

import argparse
import os
import sys
from pathlib import Path

from tests.differential import recording
from tests.differential.grid import grid, unrecorded_groups
from tests.differential.own_answers import answers_of
from tests.differential.report import Tally, text

RESULT = Path(__file__).parents[2] / "benchmarks" / "mindspore_grid.md"
VERSION = "2.10"


def main():
    """Read the command line, perhaps record, compare, write the page; ends with 1 when a difference is unexplained."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--record", metavar="PYTHON", help="an interpreter that has MindSpore, and numpy below 2")
    parser.add_argument("--new", action="store_true", help="record only what has no answer yet")
    parser.add_argument("--show", metavar="N", type=int, default=20, help="how many unexplained differences to print")
    chosen = parser.parse_args()
    if chosen.record:
        record(chosen.record, chosen.new)
    theirs = recording.load()
    everything = grid()
    cases = [case for case in everything if case.key in theirs]
    tally = Tally(cases, theirs, answers_of(cases))
    RESULT.write_text(text(tally, VERSION, unrecorded_groups(everything, theirs)), encoding="utf-8")
    print(f"{sum(tally.agree.values()):,} of {sum(tally.answers.values()):,} answers agree; wrote {RESULT.name}")
    for difference in tally.unexplained[: chosen.show]:
        print(f"unexplained: {difference}")
    for reason in tally.unused():
        print(f"never the reason: {reason.why}")
    sys.exit(bool(tally.unexplained))


def record(python, only_new):
    """Ask MindSpore, and keep what it answers; answers to what is asked no longer are dropped."""
    known = recording.load() if only_new else {}
    cases = grid(everything=True)
    new = [case for case in cases if case.key not in known]
    answers = known | recording.collect_answers(python, "mindspore", new, jobs=min(2, os.cpu_count() or 1))
    recording.save({case.key: answers[case.key] for case in cases})


if __name__ == "__main__":
    main()
