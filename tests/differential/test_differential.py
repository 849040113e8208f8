"""Results equal those of MindSpore, or the reason for the difference is listed.

The answers of MindSpore are recorded, so the test runs without it. Here all cases run in PyNative mode, and every
eighth of each group in all modes; ``python -m tests.differential`` runs all cases in all modes.
"""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from tests.differential import grid, recording
from tests.differential.case import Case
from tests.differential.comparison import differences
from tests.differential.own_answers import answers_of
from tests.differential.reasons import reason_of

RECORDED = recording.load()
GRID = grid.grid()
CASES = [case for case in GRID if case.key in RECORDED]
CASES_PER_TEST = 400
PARTS = [CASES[start : start + CASES_PER_TEST] for start in range(0, len(CASES), CASES_PER_TEST)]
NO_CALL = """{package} has public names that the grid does not call: {names}
Write a line for each in tests/differential/tables/{table}.txt, like those there; the letters are the inputs of
call_tables.py. That is all: it needs no MindSpore, and a name without a recorded answer is listed as not recorded."""


NEEDS_AN_EXTRA = ("pip install 'minigraph[", "No module named 'PIL'")  # in errors for libraries that are not installed


def unexplained_differences(cases, answers):
    """The differences that no reason covers, as texts; of cases whose extra is installed."""
    all_differences = [d for case in cases for d in differences(case, RECORDED[case.key], answers[case.key])]
    installed = [
        difference for difference in all_differences if not any(text in difference.ours for text in NEEDS_AN_EXTRA)
    ]
    return [str(difference) for difference in installed if reason_of(difference) is None]


@pytest.mark.parametrize("cases", PARTS, ids=lambda cases: f"{cases[0].group} to {cases[-1].group}")
def test_answers_are_mindspores_or_the_reason_is_known(cases):
    answers = answers_of(cases, modes=("pynative",)) | answers_of(grid.sample(cases))
    wrong = unexplained_differences(cases, answers)
    assert not wrong, "\n".join(wrong[:20])


def test_recorded_cases_are_in_the_grid():
    stale = RECORDED.keys() - {case.key for case in grid.grid(everything=True)}
    assert len(CASES) > 20_000
    assert len(stale) < len(RECORDED) / 100, "record again: python -m tests.differential --record PYTHON --new"


@pytest.mark.parametrize("package", grid.TABLES)
def test_every_public_name_is_in_the_grid(package):
    called = {case.group.partition(".")[2] for case in GRID if case.group.startswith(f"{package}.")}
    programs = (Path(grid.__file__).parent / "tables" / "programs.txt").read_text("utf-8")
    called |= {name.partition(".")[2] for line in programs.splitlines() if line[:2] == "# " for name in line.split()}
    missing = sorted(grid.names_of(package) - called)
    assert not missing, NO_CALL.format(package=package, names=", ".join(missing), table=grid.TABLES[package])


def test_a_name_without_any_answer_is_listed_and_a_sample_has_each_group():
    new = [Case("ops.new", "ops.new(x)"), Case("ops.new", "ops.new(y)"), Case("ops.known", "ops.known(x)")]
    assert grid.unrecorded_groups(new, {"ops.known(x)": []}) == ["ops.new"]
    cases = [Case("a", f"a({n})") for n in range(10)] + [Case("b", "b()")]
    assert [case.source for case in grid.sample(cases)] == ["a(0)", "a(8)", "b()"]


def test_the_mindspore_here_answers_as_it_was_recorded():
    """By the interpreter that is named in the environment, or by this one if it has MindSpore."""
    here = sys.executable if importlib.util.find_spec("mindspore") else None
    python = os.environ.get("MINIGRAPH_MINDSPORE") or here
    if python is None:
        pytest.skip("no MindSpore: set MINIGRAPH_MINDSPORE to a Python that has it, with numpy below 2")
    sampled = [case for case in CASES[::97] if "[0" not in case.key]  # results without elements are uninitialised
    wrong = unexplained_differences(sampled, recording.collect_answers(python, "mindspore", sampled))
    assert not wrong, "\n".join(wrong[:20])
