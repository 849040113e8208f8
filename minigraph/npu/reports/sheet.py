"""A table of figures: printed by rich, written as CSV, read as dictionaries.

>>> print(Sheet("queues", ("queue", "busy %"), (("M", 81.25), ("V", 3.0)), ("of the busiest core",)))
queues
 queue   busy %
────────────────
 M         81.2
 V         3.00
of the busiest core
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from minigraph.core.html_tables import table_html

Cell = str | int | float
WIDE = 400  # columns of a text that nobody wraps
LONG = 40  # columns of a cell that may be wrapped


@dataclass(frozen=True)
class Sheet:
    """A title, columns, rows of text and numbers, and what a reader should know beside."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def csv(self) -> str:
        """The table as CSV text, numbers in full."""
        return csv_text([self.columns, *self.rows])

    def records(self) -> list[dict[str, Cell]]:
        """Each row as a dictionary by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def first(self, most: int) -> Sheet:
        """The first ``most`` rows, and a note on how many are left out.

        >>> Sheet("t", ("n",), ((1,), (2,), (3,))).first(2).notes
        ('and 1 more row',)
        """
        more = len(self.rows) - most
        told = (f"and {more:,} more row{'s' * (more != 1)}",) if more > 0 else ()
        return replace(self, rows=self.rows[:most], notes=told + self.notes)

    def cells(self) -> list[tuple[str, ...]]:
        """Each row as text, numbers to three digits."""
        return [tuple(map(shown, row)) for row in self.rows]

    def _repr_html_(self) -> str:
        return table_html("; ".join([self.title, *self.notes]), self.cells(), self.columns)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.title, style="bold")
        for places in self._blocks(options.max_width):
            table = Table(box=box.SIMPLE_HEAD, show_edge=False)
            for place in places:
                number = all(not isinstance(row[place], str) for row in self.rows)
                table.add_column(Text(self.columns[place]), justify="right" if number else "left", no_wrap=number)
            for row in self.cells():
                table.add_row(*(Text(row[place]) for place in places))
            yield table
        yield from (Text(note, style="dim") for note in self.notes)

    def _blocks(self, width: int) -> list[list[int]]:
        """The columns in as many blocks as a terminal needs; each begins with the first column."""
        sizes = [min(LONG, max(map(len, cells))) + 3 for cells in zip(self.columns, *self.cells(), strict=True)]
        blocks: list[list[int]] = [[0]]
        for place, size in list(enumerate(sizes))[1:]:
            if len(blocks[-1]) > 1 and sum(sizes[one] for one in blocks[-1]) + size > width:
                blocks.append([0])
            blocks[-1].append(place)
        return blocks

    def __str__(self) -> str:
        file = io.StringIO()
        Console(file=file, width=WIDE, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in file.getvalue().rstrip("\n").split("\n"))


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def shown(value: Cell) -> str:
    """A cell as text.

    >>> [shown(value) for value in ("MTE2", 1234567, 1234.5, 12.345, 0.01234, 0.0)]
    ['MTE2', '1,234,567', '1,234', '12.3', '0.0123', '0']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) or not value:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:#.3g}"
