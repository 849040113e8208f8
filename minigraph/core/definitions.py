"""Definitions of operators, passes and rules: their source location, redefinition, and entry points of packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from minigraph.core.aliases import Function

# Modules whose functions define operators on behalf of their callers.
DEFINING_MODULES = frozenset({"minigraph.core.op", "minigraph.operators.families", "minigraph.operators.composite"})


def definition_site() -> str:
    """The file:line of the current definition: the innermost frame outside of ``DEFINING_MODULES``."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") in DEFINING_MODULES and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def source_location(function: Function) -> str:
    """The file:line of a function; "" for a function without Python source, such as ``numpy.exp``."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def may_redefine(before: str, now: str) -> bool:
    """Whether a definition at ``now`` may replace one at ``before``: same location, or both typed interactively.

    A location in no file was typed interactively, in a prompt or in a notebook cell, whose number changes at each run.

    >>> may_redefine("<stdin>:1", "<cell 2>:9"), may_redefine(f"{__file__}:1", f"{__file__}:2")
    (True, False)
    """
    return before == now != "" or (_is_interactive(before) and _is_interactive(now))


def _is_interactive(location: str) -> bool:
    file = location.rpartition(":")[0]
    return bool(file) and not os.path.exists(file)


OPS_GROUP, PASSES_GROUP, RULES_GROUP = "minigraph.ops", "minigraph.passes", "minigraph.rules"  # entry-point groups


def load_entry_points(group: str, name: str) -> list[Any]:
    """Load the entry points of this name; usually one or none."""
    return [point.load() for point in _entry_points(group=group, name=name)]


def entry_point_names(group: str) -> list[str]:
    """The names of all entry points in a group, sorted; nothing is imported."""
    return sorted({point.name for point in _entry_points(group=group)})


def _entry_points(**selection: str) -> Iterable[Any]:
    metadata = import_module("importlib.metadata")  # imported late, because it imports the package email
    points: Iterable[Any] = metadata.entry_points(**selection)
    return points
