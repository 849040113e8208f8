"""A table: printed by rich, written as CSV, read as dictionaries.

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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from minigraph.core.html_tables import table_html

Cell = str | int | float
TEXT_WIDTH = 400  # characters of a line in plain text: never wrapped
WRAP_WIDTH = 40  # characters of a cell that a terminal may wrap


@dataclass(frozen=True)
class Sheet:
    """A title, column headings, rows of text and numbers, and notes.

    ``what_if``: the changed parameters of the chip. ``memory``: why the program does not fit its device memory. Both
    are in every form of the table. ``legends``: the meanings of grades, verdicts and bands in the cells.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    what_if: str = ""
    legends: tuple[str, ...] = ()
    memory: str = ""

    @property
    def marks(self) -> dict[str, str]:
        """What is to be known of every row, by column heading: a what-if, and device memory that is too small."""
        return marks_of(self.what_if, self.memory)

    def csv(self) -> str:
        """The table as CSV text, numbers with all digits; a what-if and the legends have columns of their own."""
        rows = with_marks([self.columns, *self.rows], self.marks)
        return csv_text(with_legend(rows, "; ".join(self.legends)))

    def records(self) -> list[dict[str, Cell]]:
        """Each row as a dictionary by column heading, with "what-if" and "memory" as in the CSV text.

        >>> Sheet("t", ("us",), ((1.5,),), what_if="pool.gm 1.6 -> 3.2").records()
        [{'us': 1.5, 'what-if': 'pool.gm 1.6 -> 3.2'}]
        """
        return [{**dict(zip(self.columns, row, strict=True)), **self.marks} for row in self.rows]

    @property
    def _notes_and_marks(self) -> tuple[str, ...]:
        """The notes, with the marks that neither they nor the title contain, and the legends."""
        known = " ".join([self.title, *self.notes])
        marks = [f"{name}: {text}" for name, text in self.marks.items() if text not in known]
        return *self.notes, *marks, *self.legends

    def first(self, limit: int) -> Sheet:
        """The first ``limit`` rows, with a note on the number of omitted rows.

        >>> Sheet("t", ("n",), ((1,), (2,), (3,))).first(2).notes
        ('and 1 more row',)
        """
        hidden = len(self.rows) - limit
        omitted = (f"and {hidden:,} more row{'s' * (hidden != 1)}",) if hidden > 0 else ()
        return replace(self, rows=self.rows[:limit], notes=omitted + self.notes)

    def cells(self) -> list[tuple[str, ...]]:
        """Each row as text, numbers with three digits."""
        return [tuple(map(format_cell, row)) for row in self.rows]

    def _repr_html_(self) -> str:
        return table_html("; ".join([self.title, *self._notes_and_marks]), self.cells(), self.columns)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.title, style="bold")
        for columns in self._column_blocks(options.max_width):
            table = Table(box=box.SIMPLE_HEAD, show_edge=False)
            for column in columns:
                numeric = all(not isinstance(row[column], str) for row in self.rows)
                table.add_column(Text(self.columns[column]), justify="right" if numeric else "left", no_wrap=numeric)
            for row in self.cells():
                table.add_row(*(Text(row[column]) for column in columns))
            yield table
        yield from (Text(note, style="dim") for note in self._notes_and_marks)

    def _column_blocks(self, width: int) -> list[list[int]]:
        """Column indices in blocks that fit the terminal; each block repeats the first column."""
        widths = [min(WRAP_WIDTH, max(map(len, cells))) + 3 for cells in zip(self.columns, *self.cells(), strict=True)]
        blocks: list[list[int]] = [[0]]
        for column, size in list(enumerate(widths))[1:]:
            if len(blocks[-1]) > 1 and sum(widths[column] for column in blocks[-1]) + size > width:
                blocks.append([0])
            blocks[-1].append(column)
        return blocks

    def __str__(self) -> str:
        file = io.StringIO()
        Console(file=file, width=TEXT_WIDTH, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in file.getvalue().rstrip("\n").split("\n"))


def marks_of(what_if: str, memory: str) -> dict[str, str]:
    """The marks of a table that are not empty, by column heading."""
    return {name: text for name, text in (("what-if", what_if), ("memory", memory)) if text}


def with_marks(rows: Sequence[Sequence[object]], marks: Mapping[str, str]) -> Sequence[Sequence[object]]:
    """A table, header first, with a column for each mark; without rows, the headings have its text.

    >>> with_marks([("n",), (1,)], {"what-if": "pool.gm 1.6 -> 3.2"})
    [('n', 'what-if'), (1, 'pool.gm 1.6 -> 3.2')]
    >>> with_marks([("n",)], {"what-if": "pool.gm 1.6 -> 3.2"})
    [('n', 'what-if: pool.gm 1.6 -> 3.2')]
    """
    header, *body = rows
    headings = list(marks) if body else [f"{name}: {text}" for name, text in marks.items()]
    return [(*header, *headings), *((*row, *marks.values()) for row in body)]


def with_legend(rows: Sequence[Sequence[object]], legend: str) -> Sequence[Sequence[object]]:
    """A table, header first, with the column "legend", which has the text in the first row, if there is one.

    >>> with_legend([("grade",), ("D",), ("F",)], "D vendor document, F fitted")
    [('grade', 'legend'), ('D', 'D vendor document, F fitted'), ('F', '')]
    """
    if not legend:
        return rows
    cells = ["legend", legend, *[""] * len(rows)]
    return [(*row, cell) for row, cell in zip(rows, cells[: len(rows)], strict=True)]


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def format_cell(value: Cell) -> str:
    """A cell as text, numbers with three digits.

    >>> [format_cell(value) for value in ("MTE2", 1234567, 1234.5, 12.345, 0.01234, 0.0)]
    ['MTE2', '1,234,567', '1,234', '12.3', '0.0123', '0']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) or not value:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:#.3g}"
