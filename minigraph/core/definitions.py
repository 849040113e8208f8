"""Definitions: where one stands, whether another may take its place, and those that installed packages offer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

# Who defines operators for others.
THROUGH = frozenset({"minigraph.core.op", "minigraph.operators.families", "minigraph.operators.composite"})


def defined_at() -> str:
    """The file:line of whoever is defining something just now."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") in THROUGH and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def place_of(function: Callable[..., Any]) -> str:
    """The file:line of a function; "" for what has no source, such as ``numpy.exp``."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def may_follow(before: str, now: str) -> bool:
    """Whether what is defined ``now`` may replace what was ``before``: at the same place, or both typed in.

    What stands in no file was typed in: in a cell of a notebook, whose number changes whenever it is run.

    >>> may_follow("<stdin>:1", "<cell 2>:9"), may_follow(f"{__file__}:1", f"{__file__}:2")
    (True, False)
    """
    return before == now != "" or (_typed_in(before) and _typed_in(now))


def _typed_in(place: str) -> bool:
    file = place.rpartition(":")[0]
    return bool(file) and not os.path.exists(file)


OPS, PASSES, RULES = "minigraph.ops", "minigraph.passes", "minigraph.rules"  # the groups


def offered(group: str, name: str) -> list[Any]:
    """What packages offer under this name, imported; usually one thing or none."""
    return [point.load() for point in _points(group=group, name=name)]


def offered_names(group: str) -> list[str]:
    """The names that packages offer in a group, sorted; nothing is imported."""
    return sorted({point.name for point in _points(group=group)})


def _points(**wanted: str) -> Iterable[Any]:
    metadata = import_module("importlib.metadata")  # not before it is needed: it brings all of email
    points: Iterable[Any] = metadata.entry_points(**wanted)
    return points
