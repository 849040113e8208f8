"""A progress bar of training, on terminals and in notebooks only: piped output stays clean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def progress_bar(console: Console | None, steps: int | None) -> Iterator[Callable[[str], None] | None]:
    """A bar of ``steps`` steps (``None``: unknown); yields the function that advances it and sets its description.

    It is drawn on ``console`` (``None``: standard output); yields ``None`` if that is not interactive. Printed output
    appears above the bar, which disappears at the end.
    """
    console = console or Console()
    if not (console.is_terminal or console.is_jupyter):
        yield None
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=steps)
        yield lambda text: progress.update(task, advance=1, description=text)
