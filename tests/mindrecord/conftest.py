"""A small MindRecord file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minigraph.mindrecord import FileWriter

SCHEMA = {"x": {"type": "int32"}, "data": {"type": "bytes"}}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of small pages: ``write(rows, schema, name, shards)`` -> its path."""

    def write_file(
        rows: list[dict[str, Any]] | int = 3, schema: Any = None, name: str = "rows.mindrecord", shards: int = 1
    ) -> Path:
        writer = FileWriter(str(tmp_path / name), shards, overwrite=True)
        writer.set_header_size(1 << 14)
        writer.set_page_size(1 << 15)
        writer.add_schema(schema or SCHEMA)
        writer.write_raw_data(
            [{"x": i, "data": b"a" * (i + 1)} for i in range(rows)] if isinstance(rows, int) else rows
        )
        writer.commit()
        return tmp_path / name

    return write_file
