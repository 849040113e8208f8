"""Why answers differ where they do, as data: a difference that no reason covers makes the test fail.

A reason holds where every pattern it has is found: ``case`` in the group, the mode and the case's key, ``kind`` in
the kind of difference, ``theirs`` and ``ours`` in what the two libraries said. The first that holds counts.
"""

import re
from functools import cache
from typing import NamedTuple

CANNOT = "MindSpore cannot"  # no kernel on a CPU, no such name, not inside of jit
DEFECT = "MindSpore defect"  # its own documentation, its other mode, or arithmetic says otherwise
DELIBERATE = "deliberate"  # minigraph is different on purpose
ROUNDING = "rounding"  # both are right within what their number formats can hold
MISSING = "missing"  # minigraph has it not, or not yet

EMPTY = r"\[(\d+,)*0(,\d+)*\]"  # a shape without elements


class Reason(NamedTuple):
    """A verdict and its ground, and which differences it covers."""

    verdict: str
    why: str
    case: str = ""
    kind: str = ""
    theirs: str = ""
    ours: str = ""

    def covers(self, difference):
        """Whether this is why the two libraries differ."""
        fields = (
            (self.case, f"{difference.case.group} | {difference.mode} | {difference.case.key}"),
            (self.kind, difference.kind),
            (self.theirs, difference.theirs),
            (self.ours, difference.ours),
        )
        return all(not pattern or _compile(pattern).search(text) for pattern, text in fields)


def reasons(verdict, patterns_by_reason):
    """Reasons of one verdict: what each says, and the patterns it has."""
    return tuple(Reason(verdict, why, **patterns) for why, patterns in patterns_by_reason.items())


def values(case):
    """What has other values in these cases."""
    return {"case": case, "kind": "values"}


@cache
def _compile(pattern):
    return re.compile(pattern)


def either(*patterns):
    """A pattern that is found where one of these is."""
    return "|".join(patterns)
