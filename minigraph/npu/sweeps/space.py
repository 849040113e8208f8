"""A design space: every combination of models, pipelines, chips and values of the chips' parameters.

>>> space = space_of(["net"], ["default"], ["ascend910b1"], [Axis("mte2.lat", (150, 200))])
>>> [point.values for point in space]
[(150,), (200,)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from minigraph.core.errors import UsageError
from minigraph.core.files import decode_surrogates
from minigraph.core.tensor.conversion import short_repr
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.sweeps.axes import Axis


class Point(NamedTuple):
    """One combination, by names; ``values`` are the values on the axes, in their order."""

    model: str
    pipeline: str
    chip: str
    values: tuple[float, ...] = ()


class Space(NamedTuple):
    """The names of models and pipelines, chips by name, and axes; iterates over all points in a fixed order."""

    models: tuple[str, ...]
    pipelines: tuple[str, ...]
    chips: Mapping[str, Chip]
    axes: tuple[Axis, ...]

    def __iter__(self) -> Iterator[Point]:  # type: ignore[override]  # the points, not the fields
        values = product(*(axis.values for axis in self.axes))
        return (Point(*names) for names in product(self.models, self.pipelines, self.chips, list(values)))

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.models) * len(self.pipelines) * len(self.chips) * prod(len(axis.values) for axis in self.axes)

    def chip_at(self, point: Point) -> Chip:
        """The chip of a point, with the values of that point."""
        chip = self.chips[point.chip]
        for axis, value in zip(self.axes, point.values, strict=True):
            chip = axis.chip_with(chip, value)
        return chip

    def grade_at(self, point: Point) -> str:
        """The grade of the chip of a point, as "calibrated" or "what-if: mte2.lat 190 -> 150"."""
        chip = self.chip_at(point)
        return f"{chip.grade}: {chip.what_if}" if chip.what_if else chip.grade


MAX_NAME_CHARACTERS = 10_000


def _is_writable(name: str) -> bool:
    """Whether UTF-8 has every character, or it is a byte of the name of a file, and readers of CSV take so many."""
    try:
        name.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return False
    return len(name) <= MAX_NAME_CHARACTERS


def space_of(
    models: Iterable[str], pipelines: Iterable[str], chips: Iterable[str | Chip | None], axes: Sequence[Axis] = ()
) -> Space:
    """The space of these names, validated.

    Raises ``UnknownNameError`` or ``ChipError``, with the nearest name, for an unknown chip or parameter, ``ChipError``
    for an invalid value, and ``UsageError`` for an empty space or a duplicate name.
    """
    resolved = [chip_named(chip) for chip in chips]
    named = {"model": tuple(models), "pipeline": tuple(pipelines), "chip": tuple(chip.name for chip in resolved)}
    for choice, names in {**named, "parameter": tuple(axis.parameter for axis in axes)}.items():
        if not names and choice in named:
            raise UsageError(f"sweep: no {choice}; name at least one")
        if unwritable := next((name for name in names if not _is_writable(name)), None):
            text = f"{choice} {short_repr(unwritable)} is no text that a table can hold"
            raise UsageError(f"sweep: {text}; give it another name")
        decoded = [decode_surrogates(name) for name in names]
        duplicate = next((name for i, name in enumerate(decoded) if name in decoded[:i]), None)
        if duplicate is not None:
            raise UsageError(f"sweep: {choice} '{duplicate}' is given twice; name it once")
    for chip, axis in product(resolved, axes):
        axis.check(chip)
    return Space(named["model"], named["pipeline"], {chip.name: chip for chip in resolved}, tuple(axes))
