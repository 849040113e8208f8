"""A figure: one hardware parameter with its provenance, that is source, evidence grade and uncertainty band."""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.errors import ChipError
from minigraph.core.tensor.conversion import short_repr

# Evidence grades, most certain first; X is measured on MindSpore's CPU backend by this project's design study.
GRADE_MEANINGS = {
    "D": "vendor document", "S": "vendor source or configuration file", "M": "vendor-published measurement",
    "P": "measurement published by others", "X": "measured on MindSpore's CPU backend",
    "F": "fitted or derived from those", "U": "unverified",
}  # fmt: skip
GRADES = "".join(GRADE_MEANINGS)
GRADE_LEGEND = "grades: " + ", ".join(f"{grade} {meaning}" for grade, meaning in GRADE_MEANINGS.items())


class Figure(NamedTuple):
    """A value ``v`` in the uncertainty band ``lo``..``hi``, with its source and evidence grade."""

    v: float
    src: str
    grade: str
    lo: float
    hi: float


MAX_FIGURE_VALUE = 1e15  # of a value: cycles and bytes computed from it stay exact enough


def check_figure(where: str, key: str, figure: Figure, whole: bool = False, may_be_zero: bool = False) -> None:
    """Raise ``ChipError``, with ``where`` in its text, for an invalid value or missing provenance."""
    for value in (figure.v, figure.lo, figure.hi):
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise ChipError(f"{where}: {key} is {short_repr(value)}; use a number")
        if MAX_FIGURE_VALUE < value < float("inf"):  # not printed: an integer may have thousands of digits
            raise ChipError(f"{where}: {key} is above the limit of {MAX_FIGURE_VALUE:g}; use a smaller number")
    if not isinstance(figure.src, str) or not figure.src.strip():
        raise ChipError(f"{where}: {key} has no src; every figure needs a source")
    if figure.grade not in tuple(GRADES):
        raise ChipError(f"{where}: {key} has grade {short_repr(figure.grade)}; use one of {', '.join(GRADES)}")
    if figure.v < 0 or (figure.v == 0 and not may_be_zero) or figure.v == float("inf"):
        raise ChipError(f"{where}: {key} is {figure.v:g}; use a positive finite number")
    if whole and figure.v != int(figure.v):
        raise ChipError(f"{where}: {key} is {figure.v:g}; use a whole number")
    if not 0 <= figure.lo <= figure.v <= figure.hi < float("inf"):
        raise ChipError(f"{where}: {key} is {figure.v:g}, outside of its band {figure.lo:g}..{figure.hi:g}")
