import sys

import pytest

from minigraph.npu.sweeps import parquet as module
from minigraph.npu.sweeps.parquet import write_parquet

RECORDS = [{"model": "f", "us": 1.5, "tasks": 3}, {"model": "g", "us": None, "tasks": None}]


def test_without_pyarrow_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert not write_parquet(tmp_path / "t.parquet", ["model"], RECORDS)
    assert not list(tmp_path.iterdir()) and sys.modules.get("pyarrow", True)


def test_columns_have_types_and_missing_numbers_stay_missing(tmp_path):
    reader = pytest.importorskip("pyarrow.parquet")
    assert write_parquet(tmp_path / "t.parquet", ["model", "us", "tasks"], RECORDS)
    table = reader.read_table(tmp_path / "t.parquet")
    assert table.to_pylist() == RECORDS
    assert [str(field.type) for field in table.schema] == ["string", "double", "int64"]
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


def test_a_column_of_whole_and_other_numbers_is_of_floats(tmp_path):
    reader = pytest.importorskip("pyarrow.parquet")
    write_parquet(tmp_path / "t.parquet", ["pool.gm"], [{"pool.gm": value} for value in (1, 0.5, None)])
    assert reader.read_table(tmp_path / "t.parquet").to_pydict() == {"pool.gm": [1.0, 0.5, None]}
