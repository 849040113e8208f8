"""The programs of ``benchmarks.work.tuned`` as contenders."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measuring.harness import Contender
from benchmarks.work.tuned import CONTENDER, FORWARDS, GRADIENTS


def forwards(program: str, *arrays: np.ndarray, **details: Any) -> list[Contender]:
    """The program as a contender, if it has a tuned version; ``details`` is its ``length``."""
    return [Contender(CONTENDER, tuned(*arrays, **details)) for name, tuned in FORWARDS.items() if name == program]


def gradients(program: str, *arrays: np.ndarray, **details: Any) -> list[Contender]:
    """The program's gradients as a contender, if they have a tuned version."""
    return [Contender(CONTENDER, tuned(*arrays, **details)) for name, tuned in GRADIENTS.items() if name == program]
