"""How much of Python's stack is left."""

from __future__ import annotations

import sys


def is_stack_short() -> bool:
    """Whether the callers of a function have used more than half of Python's stack, so that little is left to it."""
    frame, depth = sys._getframe(1).f_back, 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth > sys.getrecursionlimit() // 2
