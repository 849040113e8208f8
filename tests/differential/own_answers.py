"""minigraph's own answers, in this process."""

import tempfile

from minigraph.common.seed import set_seed
from minigraph.core import context
from tests.differential.worker import MODES, Programs

CASES_PER_PROCESS = 200  # programs in one file


def answers_of(cases, modes=MODES):
    """The answers of minigraph: case key -> answers, one per mode; ``None`` for other modes."""
    answers = {}
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(cases), CASES_PER_PROCESS):
            answers |= _answers_of_few(cases[start : start + CASES_PER_PROCESS], modes, folder)
    return answers


def _answers_of_few(cases, modes, folder):
    context.reset()
    set_seed(0)
    programs = Programs(cases, "minigraph", folder)
    return {case.key: [programs.answer(i, mode) if mode in modes else None for mode in MODES]
            for i, case in enumerate(cases)}  # fmt: skip
