"""Schemas of columns; tests/differential compares ``Schema`` with MindSpore."""

import json
from pathlib import Path

import pytest

import minigraph as ms
import minigraph.dataset as ds
from minigraph.dataset.readers.schema import schema_of_rows


def test_columns_and_their_text() -> None:
    schema = ds.Schema()
    schema.add_column("x", ms.float32, [2, -1])
    schema.add_column("text", "string")
    assert json.loads(schema.to_json()) == {"columns": schema.columns}
    schema.from_json({"columns": {"y": {"type": "int8"}}, "numRows": 3})
    assert schema.columns == [{"name": "y", "type": "int8", "rank": 0, "shape": []}] and schema.num_rows == 3


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    columns = [{"name": "y", "type": "int8", "rank": 1}, {"name": "z", "type": "int8", "shape": [2]}]
    path.write_text(json.dumps({"columns": columns}))
    assert [column.get("shape") for column in ds.Schema(str(path)).columns] == [[], [2]]
    assert [column.get("shape") for column in schema_of_rows(str(path)).columns] == [None, [2]]
    path.write_text("[")
    with pytest.raises(RuntimeError, match="'s.json' is not a JSON file"):
        ds.Schema(str(path))
