"""Sheets: the same rows as text, CSV and dictionaries."""

import csv
import io

import pytest
from rich.console import Console

from minigraph.npu.reports.sheet import Sheet, shown

SHEET = Sheet("title", ("name", "n", "us"), (("a,b", 1200, 0.123456), ("[c]", 3, 12345.678)), ("a note",))


def test_csv_keeps_every_digit():
    rows = list(csv.reader(io.StringIO(SHEET.csv())))
    assert rows == [["name", "n", "us"], ["a,b", "1200", "0.123456"], ["[c]", "3", "12345.678"]]


def test_records_are_the_rows_by_column():
    assert SHEET.records()[1] == {"name": "[c]", "n": 3, "us": 12345.678}


def test_the_text_shows_title_columns_cells_and_notes():
    lines = str(SHEET).split("\n")
    assert lines[0] == "title"
    assert lines[-1] == "a note"
    assert lines[1].split() == ["name", "n", "us"]
    assert lines[-2].split() == ["[c]", "3", "12,346"]
    assert lines[-3].split() == ["a,b", "1,200", "0.123"]


def test_numbers_stand_to_the_right_and_text_to_the_left():
    first, second = str(SHEET).split("\n")[3:5]
    assert first.index("a,b") == second.index("[c]")
    assert first.index("0.123") + len("0.123") == second.index("12,346") + len("12,346")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_narrow_terminal_gets_the_columns_in_blocks(width):
    names = tuple(f"column {i}" for i in range(9))
    sheet = Sheet("title", ("task", *names), (("%1", *range(100, 109)), ("%2", *range(200, 209))))
    file = io.StringIO()
    Console(file=file, width=width).print(sheet)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert all(name in file.getvalue() for name in names)
    blocks = sum("task" in line for line in lines)
    assert blocks == sum("%1" in line for line in lines) == {40: 3, 80: 2, 200: 1}[width]


def test_an_empty_sheet_has_its_columns():
    assert str(Sheet("t", ("a", "b"), ())).split() == ["t", "a", "b", "───────"]


@pytest.mark.parametrize("value, text", [(-0.5, "-0.5"), (99.96, "100."), (100.4, "100"), (0, "0"), (1e-9, "1e-09")])
def test_three_digits(value, text):
    assert shown(value) == text
