"""A bar that shows how far a training is, on terminals and in notebooks only: piped output stays clean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Advance = Callable[[str], None]


@contextmanager
def progress_bar(console: Console, steps: int | None) -> Iterator[Advance | None]:
    """A bar of ``steps`` steps (``None``: unknown); yields what advances it and says a text beside it.

    Yields ``None`` where nobody looks. What is printed meanwhile appears above the bar, which goes when all is done.
    """
    if not (console.is_terminal or console.is_jupyter):
        yield None
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=steps)
        yield lambda text: progress.update(task, advance=1, description=text)
