"""A progress bar of training, on terminals and in notebooks only: piped output stays clean."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import IO, Any, TextIO, TypeVar

from rich.console import Console

from minigraph.core.output import call_printing_to, current_output

T = TypeVar("T")
Advance = Callable[[str], None]
SECONDS_BETWEEN_DRAWINGS = 0.1
BAR_CHARACTERS = 30


def bar_text(description: str, done: int, steps: int | None, seconds: float) -> str:
    """The bar after ``done`` steps of ``steps`` (``None``: unknown) in so many seconds.

    >>> bar_text("epoch 1/2, loss 0.5", 1, 3, 65.0)
    'epoch 1/2, loss 0.5 [==========                    ] 1/3 1:05'
    """
    filled = "=" * (BAR_CHARACTERS * done // steps) if steps else ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{description} [{filled:{BAR_CHARACTERS}}] {done}/{steps or '?'} {minutes}:{rest:02}"


class _OutputWithBar:
    """The standard output ``stream`` during a training: each text that is written goes above the bar on the console.

    The bar is erased before the text and drawn again after a complete line, by the thread that writes: no other thread
    could hold a lock during a fork. An exception in the middle leaves at most a bar on the screen. Not a class of
    ``io``: in the end of such a stream, Python discards a signal handler's exception.
    """

    def __init__(self, stream: TextIO, console: Console, screen: IO[str], steps: int | None) -> None:
        self._stream, self._console, self._screen, self._steps = stream, console, screen, steps
        self._description, self._done, self._begin = "", 0, time.monotonic()
        self._drawn_at, self._is_drawn, self._is_at_line_start = 0.0, False, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def advance(self, description: str) -> None:
        """Count a step; the bar is drawn if it has not been for a moment."""
        self._description, self._done = description, self._done + 1
        if time.monotonic() - self._drawn_at >= SECONDS_BETWEEN_DRAWINGS or self._done == self._steps:
            self._draw()

    def _draw(self) -> None:
        if self._is_at_line_start and self._done:
            self._drawn_at = time.monotonic()
            self._overwrite(bar_text(self._description, self._done, self._steps, self._drawn_at - self._begin))
            self._is_drawn = True

    def end(self) -> None:
        """Remove the bar for good; a reference to the stream that is kept writes without one."""
        self._done = 0
        self.erase()

    def erase(self) -> None:
        """Remove the bar."""
        if self._is_drawn:
            self._is_drawn = False
            self._overwrite("")

    def _overwrite(self, text: str) -> None:
        """Write a line over the bar's, and leave the cursor at its start, so that a warning overwrites the bar."""
        width = max(self._console.width - 1, 0)
        self._screen.write(f"\r{text[:width]:{width}}\r")
        self._screen.flush()

    def write(self, text: str) -> int:
        self.erase()
        count = self._stream.write(text)
        if text:
            self._is_at_line_start = text.endswith("\n")
            self._draw()
        return count

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


def _is_terminal(stream: TextIO) -> bool:
    isatty = getattr(stream, "isatty", None)  # not every replacement of ``sys.stdout`` has it
    return isatty is not None and isatty()


def call_with_progress_bar(console: Console | None, steps: int | None, fn: Callable[[Advance | None], T]) -> T:
    """The result of ``fn(advance)``, with a bar of ``steps`` steps (``None``: unknown) on ``console`` (``None``:
    standard output); ``advance`` takes the description of a step, and is ``None`` if the console is not interactive.

    What ``fn`` prints appears above the bar, which overwrites a line that was begun before. Output of other threads
    goes where it always goes. A call inside of ``fn`` has no bar of its own.

    >>> call_with_progress_bar(Console(force_terminal=False), 3, lambda advance: advance is None)
    True
    """
    stream = current_output()
    if stream is None or isinstance(stream, _OutputWithBar):
        return fn(None)
    shown_on = console or Console(file=stream)
    is_forced = console is None and not _is_terminal(stream)  # by an environment variable
    is_terminal = shown_on.is_terminal and not shown_on.is_dumb_terminal and not is_forced
    if not (is_terminal or shown_on.is_jupyter):
        return fn(None)
    screen = stream if shown_on.file is sys.stdout else shown_on.file
    bar: Any = _OutputWithBar(stream, shown_on, screen, steps)
    try:
        return call_printing_to(bar, fn, bar.advance)
    finally:
        bar.end()
