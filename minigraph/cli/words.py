"""Numbers and names as a reader wants them in a sentence."""

from __future__ import annotations

from minigraph.npu.host import Band


def counted(number: int, word: str) -> str:
    """A number and what it counts, in the plural unless it is one.

    >>> counted(1, "operator"), counted(1200, "operator")
    ('1 operator', '1,200 operators')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def spelled(pipeline: object) -> str:
    """The names of a pipeline with room to break a line after each.

    >>> spelled("cse,dce"), spelled("")
    ('cse, dce', 'no passes')
    """
    return str(pipeline).replace(",", ", ") or "no passes"


def band(time: Band) -> tuple[str, str]:
    """Milliseconds, and between which ends they lie.

    >>> band(Band(1500.0, 900.0, 2e6))
    ('1.50', '0.90 to 2,000.00')
    """
    ms, low, high = (f"{us / 1e3:,.2f}" for us in time)
    return ms, f"{low} to {high}"
