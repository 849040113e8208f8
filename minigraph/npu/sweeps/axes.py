"""Figures of a chip that a sweep varies, written as ``mte2.lat=150:250:25`` or ``pool.gm=0.8,1.6``."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import NamedTuple

from minigraph.core.errors import ChipError, UsageError, did_you_mean
from minigraph.npu.chips.chip import Chip

MOST = 100_000  # values of one figure
HOW = "write figure=first:last:step or figure=value,value, for example mte2.lat=150:250:25"


class Axis(NamedTuple):
    """A figure of chips, such as "mte2.lat", and the values it takes, in the order given."""

    figure: str
    values: tuple[float, ...]

    def on(self, chip: Chip, value: float) -> Chip:
        """The chip with this figure at ``value``."""
        return chip.changed(**{self.figure.replace(".", "_", 1): value})

    def check(self, chip: Chip) -> None:
        """Raise ``ChipError`` when the chip has no such figure or no chip can have one of the values."""
        if self.figure not in chip.figures:
            raise ChipError(f"chip {chip.name}: no figure '{self.figure}'{did_you_mean(self.figure, chip.figures)}")
        for value in self.values:
            self.on(chip, value)


def axis_of(text: str) -> Axis:
    """The axis that a text stands for; a range holds its last value, and steps are exact decimals.

    Raises ``UsageError`` for text of another form.

    >>> axis_of("mte2.lat=150:250:25")
    Axis(figure='mte2.lat', values=(150, 175, 200, 225, 250))
    >>> axis_of("pool.gm=0.1:0.3:0.1").values
    (0.1, 0.2, 0.3)
    """
    figure, _, given = (part.strip() for part in text.partition("="))
    try:
        numbers = [_decimal(part) for part in given.split(":" if ":" in given else ",")]
        values = _steps(*numbers) if ":" in given else numbers
    except (InvalidOperation, TypeError):
        raise UsageError(f"sweep: '{text}' names no values; {HOW}") from None
    except _Endless as error:
        raise UsageError(f"sweep: '{text}' {error}; {HOW}") from None
    return axis_with(figure, map(number, values))


def axis_with(figure: str, values: Iterable[float]) -> Axis:
    """The axis of values as numbers of Python's own; each value counts once.

    Raises ``UsageError`` when there are none, or when one is no number.
    """
    try:
        found = tuple(dict.fromkeys(value if isinstance(value, int) else float(value) for value in values))
    except (TypeError, ValueError):
        raise UsageError(f"sweep: the values of '{figure}' are {values!r:.60}; give numbers") from None
    if not found:
        raise UsageError(f"sweep: '{figure}' has no values; give at least one")
    return Axis(figure, found)


class _Endless(Exception):
    """A range that has no values or far too many."""


def _decimal(text: str) -> Decimal:
    found = Decimal(text.strip())
    if not isfinite(float(found)):
        raise InvalidOperation
    return found


def _steps(first: Decimal, last: Decimal, step: Decimal) -> list[Decimal]:
    if not step or (last - first) / step < 0:
        raise _Endless(f"never gets from {first} to {last} in steps of {step}")
    if (last - first) / step >= MOST:
        raise _Endless(f"has more than {MOST:,} values")
    return [first + step * i for i in range(int((last - first) / step) + 1)]


def number(value: Decimal | str) -> float:
    """A number as written: an ``int`` where it is whole and has no point or exponent, else a ``float``.

    >>> number("150"), number("1.5")
    (150, 1.5)
    """
    return float(value) if set(str(value)) & set(".eE") else int(value)
