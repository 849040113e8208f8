"""Pieces of the text of a program."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from minigraph.ground.loc import Loc
from minigraph.run.steps import Step


def unpacked(names: Iterable[str], container: str) -> list[str]:
    """The line that takes a tuple apart, if anything is in it."""
    joined = "".join(f"{name}, " for name in names)
    return [f"    {joined}= {container}"] if joined else []


def comment(step: Step) -> str:
    """The node of a step and the user's line."""
    return f"  # {step.node} {_escaped(step.loc[-1].file, step.loc[-1].line)}" if step.loc else f"  # {step.node}"


@lru_cache(maxsize=4096)
def _escaped(file: str, line: int) -> str:
    """A file's name may hold anything, also the end of a line."""
    return ascii(str(Loc(file, line)))[1:-1]
