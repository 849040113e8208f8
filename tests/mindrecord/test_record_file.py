"""Reading MindRecord files: by number, several files, and damaged ones."""

import random
from pathlib import Path
from typing import Any

import pytest

from minigraph.core.errors import MinigraphError
from minigraph.mindrecord import record_file
from minigraph.mindrecord.header import BLOB, RAW
from minigraph.mindrecord.record_file import RecordFile, RecordFiles


def test_rows_by_number_and_their_pages(write: Any) -> None:
    file = RecordFile(write([{"x": i, "data": b"a" * 9000} for i in range(9)]))
    assert [file[i]["x"] for i in range(len(file))] == list(range(9))
    assert file.row(8, ["x"]) == {"x": 8}
    assert [file.span(BLOB, i)[0] for i in (0, 3, 6)] == [0, 1, 2]
    assert [file.span(RAW, i) for i in (0, 8)] == [(3, 0, 12), (3, 96, 108)]


def test_files_of_a_data_set_and_files_of_a_list(write: Any) -> None:
    path = write(7, shards=3)
    names = [f"{path}{shard}" for shard in range(3)]
    for name in names:
        files = RecordFiles(name)
        assert [files.row(i, ["x"])["x"] for i in range(len(files))] == list(range(7))
    files = RecordFiles([names[2], Path(names[0])])
    assert [files.row(i, ["x"])["x"] for i in range(len(files))] == [5, 6, 0, 1, 2]
    for number in (-1, 5):
        with pytest.raises(IndexError, match="among 5"):
            files.row(number)
    with pytest.raises(RuntimeError, match="column name: nope"):
        files.check_fields(["x", "nope"])


def test_files_that_are_missing_or_do_not_belong_together(write: Any) -> None:
    path = write(6, shards=2)
    with pytest.raises(RuntimeError, match="is not exists"):
        RecordFiles(str(path))
    other = write([{"y": 1}], {"y": {"type": "int32"}}, "other")
    with pytest.raises(RuntimeError, match="another schema"):
        RecordFiles([f"{path}0", other])
    Path(f"{path}1").unlink()
    with pytest.raises(RuntimeError, match="is not exists"):
        RecordFiles(f"{path}0")
    Path(f"{other}.db").unlink()
    with pytest.raises(RuntimeError, match=r"index file: .*other\.db can not be found"):
        RecordFiles(str(other))


def test_a_file_of_a_data_set_with_fewer_files_is_refused(write: Any) -> None:
    """Written again with fewer files, the last of the old ones stay."""
    path = write(6, shards=3)
    write(6, shards=2)
    for name in (f"{path}0", f"{path}1"):
        assert len(RecordFiles(name)) == 6
    with pytest.raises(RuntimeError, match=r"mindrecord0 belongs to another data set than .*mindrecord2: that has"):
        RecordFiles(f"{path}2")


def test_files_that_are_replaced_while_they_are_read_or_opened(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(6, shards=2)
    files, read = RecordFiles(f"{path}0"), record_file.read_header

    def replace_all(file: Any, name: str, size: int) -> Any:
        header = read(file, name, size)
        if name.endswith("0"):
            monkeypatch.undo()
            write(8, shards=2)
        return header

    monkeypatch.setattr(record_file, "read_header", replace_all)
    with pytest.raises(RuntimeError, match="mindrecord0 was changed after it had been opened; open it again"):
        RecordFiles(f"{path}0")
    with pytest.raises(RuntimeError, match="mindrecord1 was changed after it had been opened; open it again"):
        files.row(3)
    assert RecordFiles(f"{path}0").row(3)["x"] == 3


def test_a_file_that_is_missing_later_is_refused(write: Any) -> None:
    """As while a writer renames it."""
    path = write()
    files = RecordFiles(str(path))
    path.unlink()
    for read in (lambda: files.row(0), files.files[0].check_unchanged):
        with pytest.raises(RuntimeError, match="rows.mindrecord is not exists"):
            read()


def test_a_changed_byte_is_an_error_or_another_value(write: Any) -> None:
    path = write()
    content, rng = path.read_bytes(), random.Random(0)
    used = [*range(700), *range(1 << 14, (1 << 14) + 40), *range(len(content) - 40, len(content))]
    for _ in range(400):
        position = rng.choice(used)
        path.write_bytes(content[:position] + bytes([rng.randrange(256)]) + content[position + 1 :])
        try:
            files = RecordFiles(str(path))
            for number in range(len(files)):
                files.row(number)
        except MinigraphError as error:
            assert isinstance(error, RuntimeError)


def test_holes_are_no_rows_and_take_no_memory(write: Any) -> None:
    """A sparse file may claim any number of empty rows."""
    path = write()
    content = path.read_bytes()
    start = 1 << 14
    path.write_bytes(content[:start] + bytes(8) + content[start + 8 :])
    with pytest.raises(RuntimeError, match="a row of 0 bytes"):
        RecordFile(path)
    path.write_bytes(content[:start] + b"\xff" * 8 + content[start + 8 :])
    with pytest.raises(RuntimeError, match="not inside of its page"):
        RecordFile(path)


def test_a_file_that_is_cut_off_later_is_noticed(write: Any) -> None:
    path = write()
    file = RecordFile(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match="changed after it had been opened"):
        file.row(2)
