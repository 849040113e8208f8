"""``FileReader``: rows, columns, schema."""

from typing import Any

import numpy as np
import pytest

from minigraph.mindrecord import FileReader
from minigraph.mindrecord.errors import ParamTypeError


def test_rows_are_read_as_often_as_wanted(write: Any) -> None:
    reader = FileReader(str(write()))
    assert [row["data"] for row in reader.get_next()] == [b"a", b"aa", b"aaa"]
    assert [row["x"] for row in reader.get_next()] == [0, 1, 2]
    reader.close()
    assert reader.len() == 3


def test_columns_and_schema(write: Any) -> None:
    fields = {"a": {"type": "float64", "shape": [-1]}, "s": {"type": "string"}}
    path = str(write([{"a": np.arange(3.0), "s": "x"}], fields))
    (row,) = FileReader(path, columns=["a"]).get_next()
    assert (list(row), row["a"].tolist()) == (["a"], [0.0, 1.0, 2.0])
    assert FileReader(path).schema() == fields
    with pytest.raises(ParamTypeError, match="'columns' expect list"):
        FileReader(path, columns="a")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="column name: b"):
        FileReader(path, columns=["b"])
