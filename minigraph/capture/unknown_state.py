"""Python state that no graph can represent: the function runs op by op instead, or is refused."""

from __future__ import annotations

from minigraph.core.errors import CaptureError
from minigraph.core.location import Loc, with_location


class UnknownState(CaptureError):
    """Python state that a graph cannot represent: it is changed in a branch, or differs at every call.

    Example: ``a list is changed in place, in a branch that depends on a tensor in `if x.max() > 2` (net.py:12); ...``.
    Fix: ``@jit`` runs such a function op by op and warns once; move the state out of the function to keep the graph.
    ``may_settle``: the next call may be another one, as of a function that fills a cache.
    """

    may_settle = False


def unknown_state(text: str, remedy: str, loc: Loc | None = None) -> UnknownState:
    """The error for state that a graph cannot represent, at the user's current line or at ``loc``."""
    error = UnknownState(f"{text}; {remedy}")
    with_location(error, loc)
    return error
