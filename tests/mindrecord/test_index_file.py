"""The index: the table that MindSpore reads."""

import sqlite3
from pathlib import Path

import numpy as np

from minigraph.mindrecord.index_file import POSITIONS, IndexFile
from minigraph.mindrecord.schema import Schema

SCHEMA = Schema({"x": {"type": "int32"}, "s": {"type": "string"}, "f": {"type": "float32"}, "b": {"type": "bytes"}})


def test_rows_of_the_index(tmp_path: Path) -> None:
    index = IndexFile(tmp_path / "a.db", "rows", SCHEMA, ["s", "f", "x"])
    row = {"x": np.int32(3), "s": "it's", "f": 0.5}
    index.add((range(8 * i, 8 * i + 8), row) for i in range(2))
    index.move_group(12, 7, 9)
    index.close()
    with sqlite3.connect(tmp_path / "a.db") as database:
        cursor = database.execute("SELECT * FROM INDEXES")
        assert [item[0] for item in cursor.description] == [*POSITIONS, "INC_0", "s_0", "INC_1", "f_0", "INC_2", "x_0"]
        values = [0, "it's", 0, 0.5, 0, 3]
        assert list(map(list, cursor)) == [[*range(8), *values], [8, 7, 1, 2, 12, 13, 14, 15, *values]]
        assert list(database.execute("SELECT * FROM SHARD_NAME")) == [("rows",)]


def test_an_index_that_is_abandoned_is_empty(tmp_path: Path) -> None:
    index = IndexFile(tmp_path / "a.db", "rows", SCHEMA, [])
    index.close(keep=False)
    index.close(keep=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]
