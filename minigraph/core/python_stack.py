"""How much of Python's stack is left, and errors that say more about the stack, the memory or a deadline than about
the code in which they are raised.
"""

from __future__ import annotations

import signal
import sys
import traceback
from functools import partial
from types import CodeType


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


def raise_error_of_machine(error: BaseException) -> None:
    """Raise the lack of memory or the deadline that caused an error, if one did.

    Called first where any error of other code is handled: who set a deadline must see it.

    >>> raise_error_of_machine(ValueError())
    """
    cause = error_of_machine(error)
    if cause is not None:
        raise cause from cause.__cause__


def raise_deadline(error: BaseException) -> None:
    """Raise the deadline that caused an error, if one did; a lack of memory is handled like other errors."""
    if not isinstance(error, MemoryError):
        raise_error_of_machine(error)


def codes_of_signal_handlers() -> set[CodeType]:
    """The code of every function that handles a signal."""
    codes = set[CodeType]()
    for handler in filter(callable, map(signal.getsignal, signal.valid_signals())):
        while isinstance(handler, partial):
            handler = handler.func
        code = getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
        codes.update(() if code is None else (code,))
    return codes


def _is_from_signal_handler(error: BaseException) -> bool:
    codes = codes_of_signal_handlers()
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))
