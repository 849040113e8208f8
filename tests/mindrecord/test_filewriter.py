"""``FileWriter``: shards, appended rows, and files that appear whole or not at all."""

import gc
from pathlib import Path
from typing import Any

import pytest

from minigraph.mindrecord import FileReader, FileWriter
from tests.mindrecord.conftest import SCHEMA


def xs(path: object) -> list[int]:
    names = [str(part) for part in path] if isinstance(path, list) else str(path)
    return [row["x"] for row in FileReader(names).get_next()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_rows_are_divided_into_shards(write: Any, tmp_path: Path) -> None:
    path = write(8, shards=3)
    assert [xs([f"{path}{shard}"]) for shard in range(3)] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert names(tmp_path) == [f"rows.mindrecord{shard}{end}" for shard in range(3) for end in ("", ".db")]


def test_files_appear_in_commit_only(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema(SCHEMA)
    writer.write_raw_data([{"x": 1, "data": b"a"}])
    assert not any(name.startswith("a") for name in names(tmp_path))
    del writer
    gc.collect()
    assert names(tmp_path) == []


@pytest.mark.parametrize("rows", [[{"x": 1, "data": bytes(1 << 26)}], [{"x": 2**70, "data": b"a"}]])
def test_an_error_leaves_the_file_of_before(rows: list[dict[str, Any]], write: Any, tmp_path: Path) -> None:
    path = write()
    before = path.read_bytes()
    for writer in (FileWriter(str(path), overwrite=True), FileWriter.open_for_append(str(path))):
        if writer._schema is None:
            writer.add_schema(SCHEMA)
        writer.write_raw_data([{"x": 1, "data": b"a"}])
        with pytest.raises(RuntimeError, match="too small|64 bits"):
            writer.write_raw_data(rows)
        writer.commit()
        with pytest.raises(RuntimeError, match="use FileWriter.open_for_append"):
            writer.write_raw_data(rows)
        assert path.read_bytes() == before
        assert names(tmp_path) == ["rows.mindrecord", "rows.mindrecord.db"]


def test_rows_are_appended(write: Any) -> None:
    path = write()
    for more in (3, 4):
        writer = FileWriter.open_for_append(str(path))
        writer.write_raw_data([{"x": more, "data": b"a"}])
        writer.commit()
    assert xs(path) == [0, 1, 2, 3, 4]


def test_rows_that_do_not_fit_are_left_out_with_a_warning(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema(SCHEMA)
    rows = [{"x": 1, "data": b"a"}, {"x": "one", "data": b"a"}]
    with pytest.warns(UserWarning, match="row 1 is left out, data type: 'str' for field: 'x'"):
        writer.write_raw_data(rows)
    writer.commit()
    assert (xs(tmp_path / "a"), len(rows)) == ([1], 2)


def test_a_file_that_exists_or_has_no_folder(write: Any, tmp_path: Path) -> None:
    for path in (write(), tmp_path / "no folder" / "a"):
        writer = FileWriter(str(path))
        writer.add_schema(SCHEMA)
        with pytest.raises(RuntimeError, match="already exist|Invalid dir"):
            writer.commit()


def test_parallel_rows_go_to_one_shard_per_call(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "a"), 2)
    writer.add_schema(SCHEMA)
    for i in range(3):
        writer.write_raw_data([{"x": i, "data": b"a"}], parallel_writer=True)
    with pytest.raises(RuntimeError, match="must be consistent"):
        writer.write_raw_data([{"x": 1, "data": b"a"}])
    writer.commit()
    writer.commit()
    assert (xs(tmp_path / "a0"), xs(tmp_path / "a1")) == ([0, 2], [1])
