"""minigraph answers as MindSpore does, or the reason why not is known."""

import importlib.util
import os
import sys
import zlib

import pytest

from minigraph import nn, ops
from minigraph import numpy as mnp
from tests.differential import grid, recording
from tests.differential.asking import answers_of
from tests.differential.comparing import differences
from tests.differential.reasons import reason_of

RECORDED = recording.load()
GRID = grid.grid()
CASES = [case for case in GRID if case.key in RECORDED]
TOGETHER = 400
PARTS = [CASES[start : start + TOGETHER] for start in range(0, len(CASES), TOGETHER)]
ASK_AGAIN = "record what is missing with: python -m tests.differential --record PYTHON --new"


def unexplained(cases, ours):
    """The differences nobody knows a reason of, as texts."""
    found = [d for case in cases for d in differences(case, RECORDED[case.key], ours[case.key])]
    return [str(difference) for difference in found if reason_of(difference) is None]


@pytest.mark.parametrize("cases", PARTS, ids=lambda cases: f"{cases[0].group} to {cases[-1].group}")
def test_answers_are_mindspores_or_the_reason_is_known(cases):
    """Every case in PyNative mode, every eighth in all modes; ``python -m tests.differential`` runs all in all."""
    chosen = [case for case in cases if zlib.crc32(case.key.encode()) % 8 == 0]
    ours = answers_of(cases, modes=("pynative",)) | answers_of(chosen)
    wrong = unexplained(cases, ours)
    assert not wrong, "\n".join(wrong[:20])


def test_nearly_every_case_has_a_recorded_answer():
    assert len(CASES) > 10_000
    assert len(CASES) > 0.95 * len(GRID), ASK_AGAIN


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("ops", grid.functions(ops)),
        ("primitive", grid.primitives()),
        ("Tensor", grid.methods()),
        ("numpy", grid.functions(mnp)),
        ("nn", grid.layers_of(nn)),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_every_public_name_is_in_the_grid(place, names):
    asked = {case.group.partition(".")[2] for case in GRID if case.group.startswith(f"{place}.")}
    missing = set(names) - asked - grid.OTHERWISE
    assert not missing, f"give these of {place} a line in recipes.py or layers.py: {sorted(missing)}"


def mindspore_python():
    """An interpreter that has MindSpore: the one named in the environment, or this one; else ``None``."""
    named = os.environ.get("MINIGRAPH_MINDSPORE")
    return named or (sys.executable if importlib.util.find_spec("mindspore") else None)


def test_the_mindspore_here_answers_as_it_was_recorded():
    python = mindspore_python()
    if python is None:
        pytest.skip("no MindSpore: set MINIGRAPH_MINDSPORE to a Python that has it, with numpy below 2")
    some = [case for case in CASES[::97] if "[0" not in case.key]  # of no elements it tells what lies in memory
    wrong = unexplained(some, recording.asked(python, "mindspore", some))
    assert not wrong, "\n".join(wrong[:20])
