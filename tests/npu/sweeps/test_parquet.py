import sys

import pytest

from minigraph.npu.sweeps import parquet as module
from minigraph.npu.sweeps.parquet import write_parquet

RECORDS = [{"model": "f", "us": 1.5, "tasks": 3}, {"model": "g", "us": None, "tasks": None}]


def test_without_pyarrow_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert not write_parquet(tmp_path / "t.parquet", ["model"], RECORDS)
    assert not list(tmp_path.iterdir()) and sys.modules.get("pyarrow", True)


MIXED = [{"pool.gm": value} for value in (1, 0.5, None)]
WRITTEN = [(["model", "us", "tasks"], RECORDS, ["string", "double", "int64"]), (["pool.gm"], MIXED, ["double"])]


@pytest.mark.parametrize(("columns", "records", "types"), WRITTEN)
def test_columns_have_types_and_missing_numbers_stay_missing(tmp_path, columns, records, types):
    reader = pytest.importorskip("pyarrow.parquet")
    assert write_parquet(tmp_path / "t.parquet", columns, records)
    table = reader.read_table(tmp_path / "t.parquet")
    assert table.to_pylist() == records
    assert [str(field.type) for field in table.schema] == types
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]
