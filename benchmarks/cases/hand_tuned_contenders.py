"""The programs of ``benchmarks.work.hand_tuned_numpy`` as contenders."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measuring.harness import Contender
from benchmarks.work.hand_tuned_numpy import CONTENDER_NAME, FORWARDS, GRADIENTS


def forwards(program: str, *arrays: np.ndarray, **details: Any) -> list[Contender]:
    """The program as a contender, if it has a tuned version; ``details`` is its ``length``."""
    return [Contender(CONTENDER_NAME, tuned(*arrays, **details)) for name, tuned in FORWARDS.items() if name == program]


def gradients(program: str, *arrays: np.ndarray, **details: Any) -> list[Contender]:
    """The program's gradients as a contender, if they have a tuned version."""
    functions = [function for name, function in GRADIENTS.items() if name == program]
    return [Contender(CONTENDER_NAME, function(*arrays, **details)) for function in functions]
