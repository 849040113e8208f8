"""Progress bars on terminals and in notebooks; piped output stays clean. Nothing replaces ``sys.stderr``."""

from __future__ import annotations

import time
from collections.abc import Callable
from io import StringIO, TextIOBase
from operator import attrgetter
from typing import Any, TextIO, TypeVar

from rich.console import Console, ConsoleRenderable, RenderHook
from rich.control import Control
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.segment import ControlType
from rich.text import Text

from minigraph.core.output import call_printing_to, current_output

T = TypeVar("T")
SECONDS_BETWEEN_DRAWINGS = 0.1
Advance = Callable[[str], None]


class ProgressBar(Progress, RenderHook):
    """A bar of ``columns`` on ``console``, if that is interactive; ``transient`` ones disappear at the end.

    ``sys.stdout`` and ``sys.stderr`` stay as they are, as other threads write to them, too. The cursor waits at the
    start of the bar's line: a warning overwrites the bar, which is then drawn below it. It is drawn by updates, not by
    a thread, which could hold a lock while the process is forked.

    >>> with ProgressBar(TextColumn("working"), console=Console(quiet=True), transient=True) as bar:
    ...     bar.update(bar.add_task("", total=2), advance=1)
    """

    def __init__(self, *columns: ProgressColumn, console: Console, transient: bool) -> None:
        super().__init__(
            *columns, console=console, transient=transient, redirect_stdout=False, redirect_stderr=False,
            auto_refresh=False, disable=not (console.is_terminal or console.is_jupyter),
        )  # fmt: skip
        self._drawn = 0.0

    def start(self) -> None:
        """Draw the bar."""
        if not self.disable:
            super().start()
            self.console.push_render_hook(self)

    def stop(self) -> None:
        """Remove the bar."""
        if not self.disable:
            self.console.pop_render_hook()
            super().stop()

    def update(self, task_id: TaskID, **fields: Any) -> None:
        """Set fields of the task; the bar is drawn if it has not been for a moment."""
        is_due = time.monotonic() - self._drawn >= SECONDS_BETWEEN_DRAWINGS
        super().update(task_id, refresh=is_due, **fields)
        if is_due:
            self._drawn = time.monotonic()

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """The renderables, and then the cursor at the start of the line."""
        return [*renderables, Control(ControlType.CARRIAGE_RETURN)]


class _LinesAbove(TextIOBase):
    """The standard output ``stream``, whose complete lines ``console`` prints above its bar."""

    encoding: Any = property(attrgetter("_stream.encoding"))
    errors: Any = property(attrgetter("_stream.errors"))

    def __init__(self, console: Console, stream: TextIO) -> None:
        self._console, self._stream, self._begun = console, stream, ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        lines, newline, begun = text.rpartition("\n")
        if newline:
            self._print(self._begun + lines)
            self._begun = ""
        self._begun += begun
        return len(text)

    def print_rest(self) -> None:
        """Print what is written of a line that has not ended."""
        if self._begun:
            self._print(self._begun)
            self._begun = ""

    def _print(self, text: str) -> None:
        self._console.print(Text("\n").join(map(Text.from_ansi, text.split("\n"))), soft_wrap=True)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def call_with_progress_bar(console: Console | None, steps: int | None, fn: Callable[[Advance | None], T]) -> T:
    """The result of ``fn(advance)``, beside a bar of ``steps`` steps (``None``: unknown) on ``console`` (``None``:
    standard output); ``advance`` takes the description of a step, and is ``None`` if the console is not interactive.

    What ``fn`` prints appears above the bar. Output of other threads goes where it always goes. A call inside of ``fn``
    has no bar of its own.

    >>> call_with_progress_bar(Console(force_terminal=False), 3, lambda advance: advance is None)
    True
    """
    stream = current_output()
    if isinstance(stream, _LinesAbove):
        return fn(None)
    console = console or Console(file=stream)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with ProgressBar(*columns, console=console, transient=True) as bar:
        if bar.disable:
            return fn(None)
        task = bar.add_task("", total=steps)
        above: Any = _LinesAbove(console, stream or StringIO())
        try:
            return call_printing_to(above, fn, lambda text: bar.update(task, advance=1, description=text))
        finally:
            above.print_rest()
