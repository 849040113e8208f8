"""Comparison of two answers, and the kind of their difference."""

import base64
import math
import re
from typing import NamedTuple

import numpy as np

from tests.differential.case import Case
from tests.differential.worker import MODES

# Relative to the expected element plus a tenth of the largest one; with tanh, plus the largest one.
EXACT, TANH, HALF = 1e-5, 2e-4, 4e-3
# MindSpore's tanh on a CPU is an approximation with an error of 1e-4, and other functions use it.
USES_TANH = ("anh", "gelu", "GELU", "GeLU", "Gelu", "LSTM", "GRU", "RNN", "mish", "Mish")


class Difference(NamedTuple):
    """A mode of a case in which the two libraries differ."""

    case: Case
    mode: str
    kind: str
    theirs: str
    ours: str

    def __str__(self):
        return f"{self.case.group} | {self.mode} | {self.kind} | {self.case.key} | {self.theirs} | {self.ours}"


def differences(case, recorded, answers):
    """The differences of a case, by mode; a mode without an answer of both sides is not compared."""
    for mode, expected, actual in zip(MODES, recorded, answers, strict=True):
        if expected is None or actual is None:
            continue
        kind = difference(expected, actual, tolerance_of(case))
        if kind:
            yield Difference(case, mode, kind, describe(expected), describe(actual))


def common_modes(recorded, answers):
    """The modes in which both sides have an answer."""
    return [mode for mode, *pair in zip(MODES, recorded, answers, strict=True) if None not in pair]


def tolerance_of(case):
    """Relative, for float32 and float64."""
    return TANH if any(word in case.key for word in USES_TANH) else EXACT


def difference(expected, actual, tolerance):
    """The kind of the first difference between two answers; empty if they agree.

    >>> difference({"python": ["int", 1]}, {"python": ["float", 1.0]}, 0)
    'type'
    """
    if "error" in expected or "error" in actual:
        return _of_errors(expected, actual)
    if expected.keys() != actual.keys():
        return "type"
    (kind,) = expected
    return COMPARISONS[kind](expected[kind], actual[kind], tolerance)


def _of_errors(expected, actual):
    if "error" not in actual:
        return "only MindSpore refuses"
    if "error" not in expected:
        return "only minigraph refuses"
    return "" if expected["error"][0] in actual["error"] else "error class"


def _of_tensors(expected, actual, tolerance):
    if expected[0] != actual[0]:
        return "dtype"
    if expected[1] != actual[1]:
        return "shape"
    reference, other = _array(expected), _array(actual)
    if reference.shape == other.shape and reference.dtype == other.dtype and close(reference, other, tolerance):
        return ""
    return "values"


def _of_containers(expected, actual, tolerance):
    if len(expected) != len(actual):
        return "length"
    kinds = (difference(reference, other, tolerance) for reference, other in zip(expected, actual, strict=True))
    return next((kind for kind in kinds if kind), "")


def _of_texts(expected, actual):
    return "" if expected == actual else "text"


def _without_address(text):
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def _of_python(expected, actual, tolerance):
    if expected[0] != actual[0]:
        return "type"
    if expected[0] == "float":
        return "" if close(np.array(expected[1]), np.array(actual[1]), tolerance) else "values"
    return "" if expected[1] == actual[1] else "text" if expected[0] == "str" else "values"


COMPARISONS = {
    "tensor": _of_tensors,
    "ndarray": _of_tensors,
    "tuple": _of_containers,
    "list": _of_containers,
    "python": _of_python,
    "object": lambda expected, actual, tolerance: _of_texts(_without_address(expected), _without_address(actual)),
}


def _array(answer):
    dtype, shape, data = answer
    name = {"bool_": "bool"}.get(dtype.lower(), dtype.lower())
    name = "uint" + name[4:] if name.startswith("uint") else name
    return np.frombuffer(base64.b64decode(data), np.dtype(name)).reshape(shape)


def close(reference, other, tolerance):
    """Whether all elements are equal, for floats within the tolerance; NaN equals NaN.

    >>> close(np.array([1.0, np.nan]), np.array([1.0 + 1e-7, np.nan]), 1e-5)
    True
    """
    if reference.dtype.kind not in "fc":
        return bool((reference == other).all())
    same = (reference == other) | (np.isnan(reference) & np.isnan(other))
    finite = np.isfinite(reference) & np.isfinite(other)
    if not (same | finite).all():
        return False
    wide = reference.astype(np.complex128 if reference.dtype.kind == "c" else np.float64)[finite]
    difference = np.abs(wide - other[finite])
    scale = np.abs(wide) + (1.0 if tolerance == TANH else 0.1) * np.abs(wide).max(initial=0.0)
    limit = max(tolerance, HALF) if reference.dtype == np.float16 else tolerance
    return bool((difference <= limit * scale + 1e-30).all())


def describe(answer):
    """An answer as one line of text.

    >>> describe({"tensor": ["Float32", [2], "AACAPwAAAEA="]})
    'Float32[2] 1, 2'
    """
    (kind, value), *_ = answer.items()
    if kind == "error":
        return f"{value[0]}: {answer['text']}"
    if kind in ("tensor", "ndarray"):
        return f"{value[0]}[{','.join(map(str, value[1]))}] {_numbers(_array(value))}"
    if kind in ("tuple", "list"):
        return f"{kind}({'; '.join(map(describe, value))})"
    return f"{value[0]} {value[1]!r}" if kind == "python" else str(value)


def _numbers(array):
    items = [f"{item:.6g}" if isinstance(item, float) and math.isfinite(item) else str(item)
             for item in array.reshape(-1)[:20].tolist()]  # fmt: skip
    return ", ".join(items) + (", ..." if array.size > 20 else "")
