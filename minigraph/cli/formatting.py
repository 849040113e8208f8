"""Numbers and pipelines formatted for sentences and tables."""

from __future__ import annotations

from minigraph.npu.host import Band


def count_text(number: int, noun: str) -> str:
    """A count with its noun, in the plural unless the count is one.

    >>> count_text(1, "operator"), count_text(1200, "operator")
    ('1 operator', '1,200 operators')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def pipeline_text(pipeline: object) -> str:
    """The names of a pipeline separated by comma and space, so that a line can break after each.

    >>> pipeline_text("cse,dce"), pipeline_text("")
    ('cse, dce', 'no passes')
    """
    return str(pipeline).replace(",", ", ") or "no passes"


def band_text(time: Band) -> tuple[str, str]:
    """The estimate in milliseconds, and its range.

    >>> band_text(Band(1500.0, 900.0, 2e6))
    ('1.50', '0.90 to 2,000.00')
    """
    ms, low, high = (f"{us / 1e3:,.2f}" for us in time)
    return ms, f"{low} to {high}"
