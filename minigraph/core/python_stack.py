"""How much of Python's stack is left, and errors that say more about the stack, the memory or a deadline than about
the code in which they are raised.
"""

from __future__ import annotations

import signal
import sys
import traceback
from types import FunctionType, MethodType


def is_stack_short() -> bool:
    """Whether the callers of a function have used more than half of Python's stack, so that little is left to it."""
    frame, depth = sys._getframe(1).f_back, 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth > sys.getrecursionlimit() // 2


def error_of_machine(error: BaseException) -> BaseException | None:
    """The lack of memory or the deadline of a signal handler that caused an error (``__cause__``); else ``None``.

    Neither says anything about the code that was running: it may succeed the next time.

    >>> error_of_machine(ValueError()), error_of_machine(MemoryError("for 1 TB"))
    (None, MemoryError('for 1 TB'))
    """
    seen = set[int]()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, MemoryError) or _is_from_signal_handler(cause):
            return cause
        seen.add(id(cause))
        cause = cause.__cause__
    return None


def _is_from_signal_handler(error: BaseException) -> bool:
    handlers = map(signal.getsignal, signal.valid_signals())
    codes = {handler.__code__ for handler in handlers if isinstance(handler, FunctionType | MethodType)}
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))
