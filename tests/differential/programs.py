"""Programs of several lines, for names whose effect a single call does not show: training, data, writes, text.

``tables/programs.txt`` has a line ``# names | inputs`` per program, then its lines. The inputs are letters of
``call_tables``; a program without inputs runs in PyNative mode only, and its last line is its result.
"""

import re

from tests.differential.call_tables import INPUTS, table
from tests.differential.case import Case

HEAD = re.compile(r"^# ([^|\n]*)\|?(.*)$", re.MULTILINE)


def program_cases(has):
    """Every program of which ``has`` accepts all names, in float32."""
    _, *parts = HEAD.split(table("programs"))
    for groups, letters, source in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if all(map(has, groups.split())):
            inputs = tuple((letter, INPUTS[letter].format(d="f32")) for letter in letters.split())
            yield Case(groups, with_return(source.strip()), inputs, pynative_only=not inputs)


def with_return(source):
    """The source with ``return`` before the expression of its last line.

    >>> with_return("y = x + 1\\ny * 2")
    'y = x + 1\\nreturn y * 2'
    """
    lines = source.splitlines()
    start = max(i for i, line in enumerate(lines) if not line.startswith((" ", ")", "]", "}")))
    lines[start] = f"return {lines[start]}"
    return "\n".join(lines)
