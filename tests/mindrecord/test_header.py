"""Headers: written and read; a header of a hostile file leads to an error, never out of the file or its folder."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minigraph.mindrecord.header import Header, Page, read_header
from minigraph.mindrecord.schema import Schema


def read(data: bytes) -> Header:
    return read_header(io.BytesIO(data), "rows", len(data))


def changed(path: Path, change: Callable[[Any], object]) -> bytes:
    """The bytes of a file whose header was changed."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    content = json.loads(data[8 : 8 + length])
    change(content)
    text = json.dumps(content).encode()
    return (len(text).to_bytes(8, "little") + text).ljust(1 << 14, b"\0") + data[1 << 14 :]


def test_a_header_comes_back(write: Any) -> None:
    data = write().read_bytes()
    header = read(data)
    assert (header.files, header.shard, header.index_fields) == (["rows.mindrecord"], 0, ["x"])
    assert [(page.page_type, page.end_row) for page in header.pages] == [("BLOB_DATA", 3), ("RAW_DATA", 0)]
    assert data.startswith(header.as_bytes())


def test_a_header_that_is_too_large_is_refused() -> None:
    header = Header(Schema({"x": {"type": "int32"}}), [], ["a"], header_size=1 << 14)
    header.pages = [Page(number, "RAW_DATA", number, 0, []) for number in range(999)]
    with pytest.raises(RuntimeError, match="use set_header_size"):
        header.as_bytes()


HOSTILE = {
    "version": lambda h: h.update(version="2.0"),
    "no version": lambda h: h.pop("version"),
    "folder": lambda h: h.update(shard_addresses=["../rows.mindrecord"]),
    "no name": lambda h: h.update(shard_addresses=[""]),
    "shard": lambda h: h.update(shard_id=1),
    "negative shard": lambda h: h.update(shard_id=-1),
    "many files": lambda h: h.update(shard_addresses=["a"] * 1001),
    "huge header": lambda h: h.update(header_size=2**40),
    "small header": lambda h: h.update(header_size=0),
    "huge page": lambda h: h.update(page_size=2**40),
    "infinite": lambda h: h.update(compression_size=float("inf")),
    "page behind the end": lambda h: h["page"][0].update(page_id=9),
    "page of another size": lambda h: h["page"][1].update(page_size=2**14 + 1),
    "page twice": lambda h: h.update(page=h["page"] * 2),
    "page of another kind": lambda h: h["page"][0].update(page_type="CODE"),
    "group outside": lambda h: h["page"][1]["row_group_ids"][0].update(offset=99999),
    "no group": lambda h: h["page"][1].update(row_group_ids=[]),
    "no list": lambda h: h.update(page=3),
    "text for a number": lambda h: h["page"][0].update(page_id="0"),
    "bool for a number": lambda h: h["page"][0].update(page_id=False),
    "index": lambda h: h.update(index_fields=[{"index_field": "x INT); DROP TABLE INDEXES", "schema_id": 0}]),
    "two schemas": lambda h: h.update(schema=h["schema"] * 2),
    "field": lambda h: h["schema"][0]["schema"].update({"y y": {"type": "int32"}}),
    "shape": lambda h: h["schema"][0]["schema"].update(y={"type": "int32", "shape": [2**62]}),
    "deep": lambda h: h.update(deep=None),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_refused(name: str, write: Any) -> None:
    data = changed(write(), HOSTILE[name])
    if name == "deep":
        text = b"[" * 10000
        data = len(text).to_bytes(8, "little") + text + data
    with pytest.raises(RuntimeError, match=r"not a readable MindRecord file|must be ints") as caught:
        read(data)
    assert len(str(caught.value)) < 400


def test_a_file_that_is_cut_off_is_refused_at_every_byte(write: Any) -> None:
    data = write().read_bytes()
    for size in (*range(0, 900, 7), len(data) - 1):
        with pytest.raises(RuntimeError, match="not a readable MindRecord file"):
            read(data[:size])
