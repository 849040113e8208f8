"""The results of stress tests, and the table of them that pytest prints."""

from __future__ import annotations

from collections.abc import Sequence

STRESS_ROW = "stress test"  # the property of a test's report

Row = tuple[str, str, str]  # the fault that is injected, the number of repetitions, and the property that held


def stress_table(rows: Sequence[Row]) -> str:
    """The rows as aligned columns.

    >>> print(stress_table([("kill", "3 times", "whole files"), ("interrupt", "200 times", "nothing open")]))
    kill      | 3 times   | whole files
    interrupt | 200 times | nothing open
    """
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    return "\n".join(f"{fault:{widths[0]}} | {count:{widths[1]}} | {result}" for fault, count, result in rows)
