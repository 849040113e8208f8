"""Argument checks of audio operations."""

import numpy as np

from minigraph.dataset.audio.checks import as_audio, check_count, check_enum, check_number
from minigraph.dataset.audio.enums import GainType
from tests.tables import error_cases, results

test_dtypes = results(
    lambda dtype, only_floats: str(as_audio("Op", np.zeros(2, dtype), only_floats=only_floats).dtype),
    ("f2", False, "float32"), ("f2", True, "float16"), ("f8", False, "float64"), ("i4", False, "float32"),
)  # fmt: skip
test_errors = error_cases(
    (lambda: as_audio("Op", np.array(["a"])), RuntimeError, "Op: expected numbers with 1 axes or more"),
    (lambda: as_audio("Op", np.array([1]), only_floats=True), RuntimeError, "expected floats"),
    (lambda: as_audio("Op", np.zeros(3), 2), RuntimeError, "2 axes or more"),
    (lambda: as_audio("Op", np.zeros(3), 1, 2), RuntimeError, "a last axis of size 2"),
    (lambda: check_number("Q", 0.0, 0, 1, excludes_low=True), ValueError, r"interval of \(0, 1\], got 0.0"),
    (lambda: check_number("Q", "a"), TypeError, "Argument Q"),
    (lambda: check_count("pad", -1), ValueError, "pad"),
    (lambda: check_count("pad", 1.5), TypeError, "pad"),
    (lambda: check_enum("gain_type", 3, GainType), TypeError, "gain_type"),
)
