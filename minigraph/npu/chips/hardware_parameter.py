"""A hardware parameter with its provenance, that is source, evidence grade and uncertainty band."""

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

MIN_PARAMETER_VALUE, MAX_PARAMETER_VALUE = 1e-9, 1e15  # of a value but 0: cycles and bytes stay exact enough


class HardwareParameter(NamedTuple):
    """A value ``v`` in the uncertainty band ``lo``..``hi``, with its source and evidence grade."""

    v: float
    src: str
    grade: str
    lo: float
    hi: float

    def with_value(self, value: float, reference: HardwareParameter | None) -> HardwareParameter:
        """The parameter with another value, unverified and without a band; the reference if that has the value."""
        if reference is not None and value == reference.v:
            return reference
        return HardwareParameter(value, f"changed by hand; was {self.v:g}", "U", value, value)

    def checked(
        self, where: str, key: str, whole: bool = False, may_be_zero: bool = False, limit: float = MAX_PARAMETER_VALUE
    ) -> HardwareParameter:
        """The parameter, a ``whole`` number as an int; the ``limit`` is the largest value.

        Raises ``ChipError``, with ``where`` in its text, for an invalid value or missing provenance.
        """
        for value in (self.v, self.lo, self.hi):
            if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
                raise ChipError(f"{where}: {key} is {short_repr(value)}; use a number")
            if limit < value < float("inf"):  # not printed: an integer may have thousands of digits
                raise ChipError(f"{where}: {key} is above the limit of {limit:g}; use a smaller number")
            if 0 < value < MIN_PARAMETER_VALUE:
                raise ChipError(f"{where}: {key} is below the limit of {MIN_PARAMETER_VALUE:g}; use a larger number")
        if not isinstance(self.src, str) or not self.src.strip():
            raise ChipError(f"{where}: {key} has no src; every parameter needs a source")
        if self.grade not in tuple(GRADES):
            raise ChipError(f"{where}: {key} has grade {short_repr(self.grade)}; use one of {', '.join(GRADES)}")
        if self.v < 0 or (self.v == 0 and not may_be_zero) or self.v == float("inf"):
            raise ChipError(f"{where}: {key} is {self.v:g}; use a positive finite number")
        if whole and self.v != int(self.v):
            raise ChipError(f"{where}: {key} is {self.v:g}; use a whole number")
        if not 0 <= self.lo <= self.v <= self.hi < float("inf"):
            raise ChipError(f"{where}: {key} is {self.v:g}, outside of its band {self.lo:g}..{self.hi:g}")
        return self._replace(v=int(self.v)) if whole else self


def parameter_changes(
    key: str, reference: HardwareParameter, parameter: HardwareParameter, used: float, may_be_weaker: bool = False
) -> list[str]:
    """What differs from a reference: the value of the parameter or the ``used`` one, or else the grade and the band.

    ``may_be_weaker``: an unverified parameter whose band contains the reference's is no change.

    >>> fitted = HardwareParameter(190, "s", "F", 150, 250)
    >>> parameter_changes("mte2.lat", fitted, HardwareParameter(190, "s", "D", 190, 190), 190)
    ['mte2.lat grade F -> D', 'mte2.lat band 150..250 -> 190..190']
    """
    value = parameter.v if used == reference.v else used
    if value != reference.v:
        return [f"{key} {reference.v:g} -> {value:g}"]
    if may_be_weaker and parameter.grade == "U" and parameter.lo <= reference.lo and reference.hi <= parameter.hi:
        return []
    bands = [f"{value.lo:g}..{value.hi:g}" for value in (reference, parameter)]
    grade = [f"{key} grade {reference.grade} -> {parameter.grade}"] * (parameter.grade != reference.grade)
    return grade + [f"{key} band {' -> '.join(bands)}"] * (bands[0] != bands[1])


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
