"""The header of a MindRecord file: JSON that lists the schema, the files of the data set, and the pages of this file.

After the header come pages of one size: blob pages hold the bytes and arrays of rows, raw pages their numbers and
strings. In a page each row is its length (8 bytes, little-endian) and its bytes. A blob page holds one row group.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from minigraph.core.errors import ArgRuntimeError, MinigraphError
from minigraph.mindrecord.schema import Schema

VERSION = "3.0"
BLOB, RAW = "BLOB_DATA", "RAW_DATA"
LENGTH_BYTES = 8  # before the header, and before each row
MIN_HEADER_BYTES, MAX_HEADER_BYTES = 1 << 14, 1 << 27
MIN_PAGE_BYTES, MAX_PAGE_BYTES = 1 << 15, 1 << 28
MAX_SHARDS = 1000


@dataclass
class Page:
    """One page: its number in the file and among pages of its ``page_type``, and ``size``, its bytes in use.

    It holds the rows ``first_row`` to ``end_row`` (exclusive); ``groups`` are its row groups (number, offset in bytes).
    """

    number: int
    page_type: str
    page_type_id: int
    shard: int
    groups: list[tuple[int, int]]
    size: int = 0
    first_row: int = 0
    end_row: int = 0

    def as_json(self) -> dict[str, Any]:
        """The entry of the header."""
        return {
            "end_row_id": self.end_row, "page_id": self.number, "page_size": self.size, "page_type": self.page_type,
            "page_type_id": self.page_type_id,
            "row_group_ids": [{"id": number, "offset": offset} for number, offset in self.groups],
            "shard_id": self.shard, "start_row_id": self.first_row,
        }  # fmt: skip


@dataclass
class Header:
    """The header of one file; sizes are in bytes."""

    schema: Schema
    index_fields: list[str]
    files: list[str]
    shard: int = 0
    header_size: int = 1 << 24
    page_size: int = 1 << 25
    compression_size: int = 0
    pages: list[Page] = field(default_factory=list)

    def offset(self, page: Page) -> int:
        """The position of a page in the file."""
        return self.header_size + page.number * self.page_size

    def pages_of(self, page_type: str) -> list[Page]:
        """The pages of a type, in order."""
        return [page for page in self.pages if page.page_type == page_type]

    def as_bytes(self) -> bytes:
        """The header with its length; raises ``RuntimeError`` if it is larger than ``header_size``."""
        content = {
            "header_size": self.header_size,
            "index_fields": [{"index_field": name, "schema_id": 0} for name in self.index_fields] or None,
            "page": [page.as_json() for page in self.pages] or None,
            "page_size": self.page_size,
            "compression_size": max(0, self.compression_size),
            "schema": [{"blob_fields": self.schema.blob_fields, "desc": self.schema.description,
                        "schema": {name: dict(sorted(item.items())) for name, item in self.schema.fields.items()}}],
            "shard_addresses": self.files,
            "shard_id": self.shard,
            "statistics": None,
            "version": VERSION,
        }  # fmt: skip
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        if len(text) + LENGTH_BYTES > self.header_size:
            raise ArgRuntimeError(
                f"FileWriter: the header has {len(text)} bytes, more than {self.header_size}; use set_header_size"
            )
        return len(text).to_bytes(LENGTH_BYTES, "little") + text


# ---- reading ---------------------------------------------------------------------------------------


def read_header(file: BinaryIO, name: str, size: int) -> Header:
    """The header of an open file of ``size`` bytes; raises ``RuntimeError`` unless it is a complete MindRecord file."""
    length = int.from_bytes(file.read(LENGTH_BYTES), "little")
    if not 0 < length <= min(size, MAX_HEADER_BYTES) - LENGTH_BYTES:
        raise _damage_error(name, f"it has no header in {size} bytes")
    try:
        content = json.loads(file.read(length))
        if content["version"] != VERSION:
            raise _damage_error(name, f"its version is {content['version']!r}, not {VERSION!r}")
        header = _header_from_json(content)
        _check_sizes(header, size)
        return header
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _damage_error(name, f"its header is damaged, {type(error).__name__}: {str(error)[:80]}") from None


def _damage_error(name: str, text: str) -> MinigraphError:
    return ArgRuntimeError(f"mindrecord: {name!r} is not a readable MindRecord file: {text}; write it again")


def _header_from_json(content: dict[str, Any]) -> Header:
    (schema,) = content["schema"]
    files = [_file_name(name) for name in content["shard_addresses"]]
    return Header(
        Schema(schema["schema"], str(schema["desc"])),
        [str(item["index_field"]) for item in content["index_fields"] or ()],
        files,
        _number(content["shard_id"], len(files) - 1),
        _number(content["header_size"], MAX_HEADER_BYTES),
        _number(content["page_size"], MAX_PAGE_BYTES),
        _number(content["compression_size"]),
        [_page_from_json(item) for item in content["page"] or ()],
    )


def _page_from_json(item: dict[str, Any]) -> Page:
    if item["page_type"] not in (BLOB, RAW):
        raise ValueError(f"a page of the type {item['page_type']!r}")
    groups = [(_number(group["id"]), _number(group["offset"])) for group in item["row_group_ids"]]
    return Page(
        _number(item["page_id"]), item["page_type"], _number(item["page_type_id"]), _number(item["shard_id"]), groups,
        _number(item["page_size"]), _number(item["start_row_id"]), _number(item["end_row_id"]),
    )  # fmt: skip


def _number(value: object, maximum: int = 2**53) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= maximum:
        raise ValueError(f"{value!r} is not an integer from 0 to {maximum}")
    return value


def _file_name(name: object) -> str:
    """A name of a file in the same folder: a header must not lead to other folders."""
    if not isinstance(name, str) or not name or Path(name).name != name or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a file in this folder")
    return name


def _check_sizes(header: Header, size: int) -> None:
    """Raises ``ValueError`` for repeated pages, pages outside of the file, and index fields that the schema lacks."""
    if header.header_size < MIN_HEADER_BYTES or header.page_size < MIN_PAGE_BYTES:
        raise ValueError(f"header_size is below {MIN_HEADER_BYTES} or page_size below {MIN_PAGE_BYTES} bytes")
    if len({page.number for page in header.pages}) < len(header.pages):
        raise ValueError("a page that occurs twice")
    if any(page.size > header.page_size or header.offset(page) + page.size > size for page in header.pages):
        raise ValueError(f"a page ends after the {size} bytes of the file")
    pages = header.pages_of(RAW)
    if any(offset > page.size for page in pages for _, offset in page.groups) or (pages and not pages[-1].groups):
        raise ValueError("a row group outside of its page")
    if not {*header.index_fields} <= {*header.schema.plain_fields}:
        raise ValueError("an index of a field that is not in the schema, or holds bytes or an array")
    if len(header.files) > MAX_SHARDS:
        raise ValueError(f"more than {MAX_SHARDS} files")
    header.pages.sort(key=lambda page: page.number)
