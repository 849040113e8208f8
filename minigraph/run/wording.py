"""Pieces of the text of a program."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from minigraph.ground.loc import Loc
from minigraph.run.steps import Step

Line = tuple[Step | None, str]  # and the step that it is of


def unpacked(names: Iterable[str], container: str) -> list[str]:
    """The line that takes a tuple apart, if anything is in it."""
    joined = "".join(f"{name}, " for name in names)
    return [f"    {joined}= {container}"] if joined else []


def together(names: Sequence[str]) -> str:
    """One name as it is, several as a tuple."""
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def plain_name(wanted: str) -> str:
    """An operator's name as that of a function, if it can be one and is no name that programs use, else "operator".

    >>> plain_name("add"), plain_name("add!"), plain_name("v12"), plain_name("class")
    ('add', 'operator', 'operator', 'operator')
    """
    plain = wanted.isascii() and wanted.isidentifier() and not keyword.iskeyword(wanted)
    return wanted if plain and not _TAKEN.fullmatch(wanted) else "operator"


_TAKEN = re.compile(
    r"[vbtpu]\d+|run|inputs|parameters|buffers|rows|some|pieces|views|updates|made|new|(dtype|pieces|part)\d+|__.*|.*_\d+"
)


def comment(step: Step) -> str:
    """The node of a step and the user's line."""
    return f"  # {step.node} {_escaped(step.loc[-1].file, step.loc[-1].line)}" if step.loc else f"  # {step.node}"


def zipped(name: str, calls: Sequence[tuple[Step, str, list[str]]], pieces: Collection[str]) -> Iterator[Line]:
    """The lines that give a name to an iterator over calls of kernels, one round for each piece.

    ``pieces`` are the names of lists; other operands are the same in every round.
    """
    yield None, f"    {name} = zip("
    for step, kernel, operands in calls:
        each = (operand if operand in pieces else f"repeat({operand})" for operand in operands)
        yield step, f"        map({kernel}, {', '.join(each)}),{comment(step)}"
    yield None, "    )"


@lru_cache(maxsize=4096)
def _escaped(file: str, line: int) -> str:
    """A file's name may hold anything, also the end of a line."""
    return ascii(str(Loc(file, line)))[1:-1]
