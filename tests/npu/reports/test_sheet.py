"""Sheets: the same rows as text, CSV and dictionaries."""

import csv
import io

import pytest
from rich.console import Console

from minigraph.npu.reports.sheet import Sheet, format_cell

SHEET = Sheet("title", ("name", "n", "us"), (("a,b", 1200, 0.123456), ("[c]", 3, 12345.678)), ("a note",))


def test_csv_keeps_every_digit_and_records_are_the_rows_by_column():
    rows = list(csv.reader(io.StringIO(SHEET.csv())))
    assert rows == [["name", "n", "us"], ["a,b", "1200", "0.123456"], ["[c]", "3", "12345.678"]]
    assert SHEET.records()[1] == {"name": "[c]", "n": 3, "us": 12345.678}


def test_the_text_shows_title_columns_cells_and_notes_numbers_to_the_right():
    title, columns, _, first, second, note = lines = str(SHEET).split("\n")
    assert (title, note) == ("title", "a note")
    assert [line.split() for line in (columns, first, second)] == [
        ["name", "n", "us"],
        ["a,b", "1,200", "0.123"],
        ["[c]", "3", "12,346"],
    ]
    assert first.index("a,b") == second.index("[c]") and len(lines) == 6
    assert first.index("0.123") + len("0.123") == second.index("12,346") + len("12,346")
    assert str(Sheet("t", ("a", "b"), ())).split() == ["t", "a", "b", "───────"], "empty"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_narrow_terminal_has_the_columns_in_blocks(width):
    names = tuple(f"column {i}" for i in range(9))
    sheet = Sheet("title", ("task", *names), (("%1", *range(100, 109)), ("%2", *range(200, 209))))
    file = io.StringIO()
    Console(file=file, width=width).print(sheet)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert all(name in file.getvalue() for name in names)
    blocks = sum("task" in line for line in lines)
    assert blocks == sum("%1" in line for line in lines) == {40: 3, 80: 2, 200: 1}[width]


@pytest.mark.parametrize("value, text", [(-0.5, "-0.5"), (99.96, "100."), (100.4, "100"), (0, "0"), (1e-9, "1e-09")])
def test_three_digits(value, text):
    assert format_cell(value) == text
