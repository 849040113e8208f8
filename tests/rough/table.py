"""The results of rough treatment, and the table of them that pytest prints."""

from __future__ import annotations

from collections.abc import Sequence

ROUGH_ROW = "rough treatment"  # the property of a test's report

Row = tuple[str, str, str]  # the treatment, the number of repetitions, and the property that held


def rough_table(rows: Sequence[Row]) -> str:
    """The rows as aligned columns.

    >>> print(rough_table([("kill", "3 times", "whole files"), ("interrupt", "200 times", "nothing open")]))
    kill      | 3 times   | whole files
    interrupt | 200 times | nothing open
    """
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    return "\n".join(f"{what:{widths[0]}} | {count:{widths[1]}} | {held}" for what, count, held in rows)
