"""Progress bars on terminals and in notebooks; piped output stays clean. Nothing replaces ``sys.stderr``."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from operator import attrgetter
from typing import Any, TypeVar

from rich.console import Console, ConsoleRenderable, RenderHook
from rich.control import Control
from rich.file_proxy import FileProxy
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.segment import ControlType

from minigraph.core.output import call_printing_to, current_output

T = TypeVar("T")
Advance = Callable[[str], None]


class ProgressBar(Progress, RenderHook):
    """A bar of ``columns`` on ``console``, if that is interactive; ``transient`` ones disappear at the end.

    ``sys.stdout`` and ``sys.stderr`` stay as they are, as other threads write to them, too. The cursor waits at the
    start of the bar's line: a warning overwrites the bar, which is then drawn below it.

    >>> with ProgressBar(TextColumn("working"), console=Console(quiet=True), transient=True) as bar:
    ...     bar.update(bar.add_task("", total=2), advance=1)
    """

    def __init__(self, *columns: ProgressColumn, console: Console, transient: bool) -> None:
        super().__init__(
            *columns, console=console, transient=transient, redirect_stdout=False, redirect_stderr=False,
            disable=not (console.is_terminal or console.is_jupyter),
        )  # fmt: skip

    def start(self) -> None:
        """Draw the bar, and begin to draw it again at regular times."""
        if not self.disable:
            super().start()
            self.console.push_render_hook(self)

    def stop(self) -> None:
        """Remove the bar."""
        if not self.disable:
            self.console.pop_render_hook()
            super().stop()

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """The renderables, and then the cursor at the start of the line."""
        return [*renderables, Control(ControlType.CARRIAGE_RETURN)]


class _LinesAbove(FileProxy):
    """Prints the lines that are written to it on a console, above its bar."""

    encoding: Any = property(attrgetter("rich_proxied_file.encoding"))
    errors: Any = property(attrgetter("rich_proxied_file.errors"))


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
            above.flush()
