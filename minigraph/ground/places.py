"""Where a definition stands, and whether another may take its place: a cell run again, a module reloaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

# Who defines operators for others.
THROUGH = frozenset({"minigraph.op", "minigraph.ops.families", "minigraph.ops.records.derived"})


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
