"""CONTRIBUTING.md: the reading order lists existing files with their lengths; the glossary is short."""

import re

import pytest

from tests.structure import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
READING = re.findall(r"^\| \d+ \| `(.+?)` \| (\d+) \|", TEXT, re.MULTILINE)


def test_ten_files_are_to_be_read():
    assert len(READING) == 10


@pytest.mark.parametrize(("file", "lines"), READING)
def test_a_file_is_as_long_as_the_reading_order_says(file, lines):
    assert len((ROOT / file).read_text("utf-8").splitlines()) == int(lines)


def test_the_glossary_has_at_most_forty_entries():
    table = TEXT.partition("## Glossary")[2]
    words = re.findall(r"^\| (?!word|-)(.+?) \|", table, re.MULTILINE)
    assert 20 <= len(words) <= 40 and len(set(words)) == len(words)
