"""The number that a text begins with, as the functions of C read it."""

from __future__ import annotations

import re

INTEGER = re.compile(r"\s*([+-]?\d+)")
HEXADECIMAL = r"0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[+-]?\d+)?"
DECIMAL = r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
FLOAT = re.compile(rf"\s*([+-]?(?:inf(?:inity)?|nan|{HEXADECIMAL}|{DECIMAL}))", re.IGNORECASE)


def leading_integer(text: str) -> int | None:
    """The decimal integer that a text begins with, or ``None``.

    >>> leading_integer(" -12 apples"), leading_integer("apples")
    (-12, None)
    """
    match = INTEGER.match(text)
    return None if match is None else int(match[1])


def leading_float(text: str) -> float | None:
    """The number that a text begins with, also hexadecimal, or ``None``.

    >>> leading_float("2.5e1x"), leading_float("0x10"), leading_float("x")
    (25.0, 16.0, None)
    """
    match = FLOAT.match(text)
    if match is None:
        return None
    return float.fromhex(match[1]) if "0x" in match[1].lower() else float(match[1])


def begins_with_infinity(text: str) -> bool:
    """Whether the number that a text begins with is written as infinity."""
    return text.lstrip().lstrip("+-").lower().startswith("inf")
