"""Reasons for differing answers, as data: a difference that no reason covers fails the test.

A reason covers a difference if all its patterns match: ``case`` in the group, the mode and the case's key, ``kind`` in
the kind of difference, ``theirs`` and ``ours`` in the answers of the two libraries. The first that covers it counts.
"""

import re
from functools import cache
from typing import NamedTuple

CANNOT = "MindSpore cannot"  # no kernel on a CPU, no such name, not inside of jit
DEFECT = "MindSpore defect"  # contradicts its documentation, its other mode, or arithmetic
DELIBERATE = "deliberate"  # minigraph is different on purpose
ROUNDING = "rounding"  # both are right within the range of their number formats
MISSING = "missing"  # minigraph lacks it

EMPTY = r"\[(\d+,)*0(,\d+)*\]"  # a shape without elements


class Reason(NamedTuple):
    """A verdict, its explanation, and patterns of the differences it covers."""

    verdict: str
    why: str
    case: str = ""
    kind: str = ""
    theirs: str = ""
    ours: str = ""

    def covers(self, difference):
        """Whether all patterns match the difference."""
        fields = (
            (self.case, f"{difference.case.group} | {difference.mode} | {difference.case.key}"),
            (self.kind, difference.kind),
            (self.theirs, difference.theirs),
            (self.ours, difference.ours),
        )
        return all(not pattern or _compile(pattern).search(text) for pattern, text in fields)


def reasons(verdict, patterns_by_reason):
    """Reasons of one verdict, from their patterns by explanation."""
    return tuple(Reason(verdict, why, **patterns) for why, patterns in patterns_by_reason.items())


def values(case):
    """The patterns of differing values in these cases."""
    return {"case": case, "kind": "values"}


@cache
def _compile(pattern):
    return re.compile(pattern)


def either(*patterns):
    """A pattern that matches where one of these does."""
    return "|".join(patterns)
