"""A figure: one hardware parameter with its provenance, that is source, evidence grade and uncertainty band."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from minigraph.core.errors import ChipError, did_you_mean, nearest
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


def changed_figure(figure: Figure, value: float, reference: Figure | None) -> Figure:
    """The figure with another value, unverified and without a band; the reference if that has the value."""
    if reference is not None and value == reference.v:
        return reference
    return Figure(value, f"changed by hand; was {figure.v:g}", "U", value, value)


def figure_changes(key: str, reference: Figure, figure: Figure, used: float, may_be_weaker: bool = False) -> list[str]:
    """What differs from a reference: the value of the figure or the ``used`` one, or else the grade and the band.

    ``may_be_weaker``: an unverified figure whose band contains the reference's is no change.

    >>> figure_changes("mte2.lat", Figure(190, "s", "F", 150, 250), Figure(190, "s", "D", 190, 190), 190)
    ['mte2.lat grade F -> D', 'mte2.lat band 150..250 -> 190..190']
    """
    value = figure.v if used == reference.v else used
    if value != reference.v:
        return [f"{key} {reference.v:g} -> {value:g}"]
    if may_be_weaker and figure.grade == "U" and figure.lo <= reference.lo and reference.hi <= figure.hi:
        return []
    bands = [f"{value.lo:g}..{value.hi:g}" for value in (reference, figure)]
    grade = [f"{key} grade {reference.grade} -> {figure.grade}"] * (figure.grade != reference.grade)
    return grade + [f"{key} band {' -> '.join(bands)}"] * (bands[0] != bands[1])


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


def parameter_hint(key: str, keys: Collection[str]) -> str:
    """The end of a message about an unknown parameter: the nearest one, those of its section, or the sections.

    >>> parameter_hint("mte2.latt", ["mte2.lat", "sync.flag"]), parameter_hint("a", ["mte2.lat", "sync.flag"])
    ("; did you mean 'mte2.lat'?", '; write SECTION.NAME with one of the sections mte2, sync')
    """
    names: dict[str, list[str]] = {}
    for known in keys:
        section, _, name = known.partition(".")
        names.setdefault(section, []).append(name)
    section, _, name = key.partition(".")
    if section not in names:
        if nearest(key, keys):
            return did_you_mean(key, keys)
        return f"; write SECTION.NAME with one of the sections {', '.join(sorted(names))}"
    if suggestion := nearest(name, names[section]):
        return f"; did you mean '{section}.{suggestion}'?"
    return f"; the parameters of {section} are {', '.join(f'{section}.{name}' for name in sorted(names[section]))}"
