"""Pages and row groups; tests/differential compares the bytes with MindSpore's."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from minigraph.core.files import replace_files
from minigraph.mindrecord.filewriter import FileWriter
from minigraph.mindrecord.header import BLOB, RAW, Header
from minigraph.mindrecord.record_file import RecordFile
from minigraph.mindrecord.schema import Schema
from minigraph.mindrecord.shard_file import ShardFile

FIELDS = {"s": {"type": "string"}, "b": {"type": "bytes"}}


def write(path: Path, *sizes: tuple[int, int]) -> RecordFile:
    """A file with one call per row of a text and a blob of these sizes."""
    header = Header(Schema(FIELDS), ["s"], [path.name], header_size=1 << 14, page_size=1 << 15)
    with ExitStack() as files:
        temporary, index = files.enter_context(replace_files([path, Path(f"{path}.db")]))
        shard = ShardFile(path, temporary, index, header, files)
        for text, blob in sizes:
            shard.add([{"s": "t" * text, "b": b"b" * blob}])
        shard.commit()
    return RecordFile(path)


def test_a_row_group_is_one_blob_page_and_part_of_one_raw_page(tmp_path: Path) -> None:
    file = write(tmp_path / "a", (10, 20_000), (10, 20_000), (10, 20_000))
    assert [(page.number, page.first_row, page.end_row) for page in file.header.pages_of(BLOB)] == [
        (0, 0, 1), (2, 1, 2), (3, 2, 3)]  # fmt: skip
    assert [page.groups for page in file.header.pages_of(RAW)] == [[(0, 0), (1, 22), (2, 44)]]


def test_a_row_group_that_grows_moves_to_a_page_of_its_own(tmp_path: Path) -> None:
    file = write(tmp_path / "a", (15_000, 32_750), (10_000, 9), (15_000, 9))
    assert [(page.number, page.groups, page.size) for page in file.header.pages_of(RAW)] == [
        (1, [(0, 0)], 15_014), (3, [(1, 0)], 25_028)]  # fmt: skip
    assert [len(file[i]["s"]) for i in range(3)] == [15_000, 10_000, 15_000]


def test_a_row_that_is_larger_than_a_page_leaves_nothing(tmp_path: Path) -> None:
    for sizes, kind in (((1, 1 << 15), "blob"), ((1 << 15, 1), "raw")):
        with pytest.raises(RuntimeError, match=f"too small to save a {kind} row"):
            write(tmp_path / "a", (1, 1), sizes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rows", [0, 1])
def test_an_error_of_a_full_disk_names_the_file(tmp_path: Path, full_disk: None, rows: int) -> None:
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema(FIELDS)
    with pytest.raises(OSError, match="No space left") as caught:
        if rows:
            writer.write_raw_data([{"s": "t", "b": b"b" * 99_999}])
        writer.commit()
    assert caught.value.filename == str(tmp_path / "a")
    assert not [*tmp_path.iterdir()]
