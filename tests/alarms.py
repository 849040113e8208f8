"""Raises an exception in the main thread at an arbitrary time, only inside of a ``with`` block.

A test that raises KeyboardInterrupt from a timer must not let it out: if the work ends just before the timer does, the
signal would arrive between the block and the line that stops the timer, where none catches it, and end the whole run.
"""

import signal
import threading
from types import FrameType

import pytest

needs_alarms = pytest.mark.skipif(
    not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread(),
    reason="signals come to the main thread, and need timers",
)


class Alarm:
    """Raise an exception ``seconds`` after the start of the block, once, unless the block ended before.

    Write the ``try`` around the ``with``: the exception may come while the block is left.
    """

    def __init__(self, seconds: float, exception: type[BaseException]):
        self.seconds, self.exception, self.is_armed = seconds, exception, False

    def __enter__(self) -> None:
        self.previous_handler = signal.signal(signal.SIGALRM, self.handle)
        self.is_armed = True
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def handle(self, _number: int, _frame: FrameType | None) -> None:
        """The signal's handler: a late signal does nothing."""
        if self.is_armed:
            self.is_armed = False
            raise self.exception

    def __exit__(self, *_: object) -> None:
        try:
            self.is_armed = False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.previous_handler)
