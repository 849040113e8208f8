"""``MindPage``: rows by the value of an index field."""

import json
from typing import Any

import pytest

from minigraph.mindrecord import MindPage
from minigraph.mindrecord.errors import MRMDefineCategoryError


def test_rows_of_several_files_by_category(write: Any) -> None:
    rows = [{"x": i % 3, "data": bytes([i])} for i in range(1, 9)]
    pages = MindPage(f"{write(rows, shards=2)}1")
    assert (pages.candidate_fields, pages.category_field) == (["x"], None)
    with pytest.raises(RuntimeError, match="set category_field"):
        pages.read_category_info()
    with pytest.raises(MRMDefineCategoryError):
        pages.category_field = "data"
    pages.category_field = "x"
    info = json.loads(pages.read_category_info())
    assert [(item["name"], item["count"]) for item in info["categories"]] == [("0", 2), ("1", 3), ("2", 3)]
    assert [row["data"] for row in pages.read_at_page_by_id(1, 1, 2)] == [bytes([7])]
    assert pages.read_at_page_by_name("2", 0, 1) == [{"x": 2, "data": bytes([2])}]
    for call in (lambda: pages.read_at_page_by_id(3, 0, 1), lambda: pages.read_at_page_by_name("2", 9, 1)):
        with pytest.raises(RuntimeError, match="Invalid data"):
            call()
