"""The axes of a design space: parameters and their values, such as ``mte2.lat=150:250:25`` or ``pool.gm=0.8,1.6``."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import NamedTuple

from minigraph.core.errors import ChipError, UsageError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.hardware_parameter import parameter_hint

MAX_VALUES = 100_000  # per axis
SYNTAX_HINT = "write parameter=first:last:step or parameter=value,value, for example mte2.lat=150:250:25"


class Axis(NamedTuple):
    """A chip parameter, such as "mte2.lat", and the values it takes, in the caller's order."""

    parameter: str
    values: tuple[float, ...]

    def chip_with(self, chip: Chip, value: float) -> Chip:
        """The chip with this parameter at ``value``."""
        return chip.replace(**{self.parameter.replace(".", "_", 1): value})

    def check(self, chip: Chip) -> None:
        """Raise ``ChipError`` for an unknown parameter or an invalid value."""
        if self.parameter not in chip.parameters:
            hint = parameter_hint(self.parameter, chip.parameters)
            raise ChipError(f"chip {chip.name}: no parameter '{self.parameter}'{hint}")
        for value in self.values:
            self.chip_with(chip, value)


def axis_of(text: str) -> Axis:
    """The axis written as a text; a range includes its last value, and steps are exact decimals.

    Raises ``UsageError`` for a syntax error.

    >>> axis_of("mte2.lat=150:250:25")
    Axis(parameter='mte2.lat', values=(150, 175, 200, 225, 250))
    >>> axis_of("pool.gm=0.1:0.3:0.1").values
    (0.1, 0.2, 0.3)
    """
    parameter, _, text_values = (part.strip() for part in text.partition("="))
    try:
        decimals = [_decimal(part) for part in text_values.split(":" if ":" in text_values else ",")]
        values = _range_values(*decimals) if ":" in text_values else decimals
    except (ArithmeticError, TypeError):
        raise UsageError(f"sweep: '{text}' names no values; {SYNTAX_HINT}") from None
    except _InvalidRangeError as error:
        raise UsageError(f"sweep: '{text}' {error}; {SYNTAX_HINT}") from None
    return axis_with(parameter, map(parse_number, values))


def axis_with(parameter: str, values: Iterable[float]) -> Axis:
    """An axis of unique Python numbers; raises ``UsageError`` without values, or for a value that is no number."""
    try:
        unique = tuple(dict.fromkeys(value if isinstance(value, int) else float(value) for value in values))
    except (TypeError, ValueError):
        raise UsageError(f"sweep: the values of '{parameter}' are {values!r:.60}; give numbers") from None
    if not unique:
        raise UsageError(f"sweep: '{parameter}' has no values; give at least one")
    return Axis(parameter, unique)


class _InvalidRangeError(Exception):
    """A range without values, or with too many."""


def _decimal(text: str) -> Decimal:
    number = Decimal(text.strip())
    if not isfinite(float(number)):
        raise InvalidOperation
    return number


def _range_values(first: Decimal, last: Decimal, step: Decimal) -> list[Decimal]:
    if not step or (last - first) / step < 0:
        raise _InvalidRangeError(f"never reaches the end from {first} to {last} in steps of {step}")
    if (last - first) / step >= MAX_VALUES:
        raise _InvalidRangeError(f"has more than {MAX_VALUES:,} values")
    return [first + step * i for i in range(int((last - first) / step) + 1)]


def parse_number(value: Decimal | str) -> float:
    """An ``int`` if the text has no point or exponent, else a ``float``.

    >>> parse_number("150"), parse_number("1.5")
    (150, 1.5)
    """
    return float(value) if set(str(value)) & set(".eE") else int(value)
