"""Readers of text: lines, order, shards; tests/differential compares them with MindSpore."""

from pathlib import Path

import pytest

import minigraph.dataset as ds
from minigraph.dataset.readers.text_files import read_text


def lines(data: ds.Dataset) -> list[str]:
    return [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.fixture
def files(tmp_path: Path) -> str:
    (tmp_path / "a.txt").write_text("a1\n\na2\na3")
    (tmp_path / "b.txt").write_text("b1\nb2\n")
    return str(tmp_path / "*.txt")


def test_lines_in_the_order_of_the_files(files: str) -> None:
    data = ds.TextFileDataset(files, shuffle=False)
    assert lines(data) == ["a1", "a2", "a3", "b1", "b2"] and data.get_dataset_size() == 5
    assert lines(ds.TextFileDataset(files, num_samples=2, shuffle=False)) == ["a1", "a2"]


def test_shards_are_equal_and_the_last_one_starts_again(files: str) -> None:
    parts = [lines(ds.TextFileDataset(files, shuffle=False, num_shards=3, shard_id=k)) for k in range(3)]
    assert parts == [["a1", "a2"], ["a3", "b1"], ["b2", "a1"]]


def test_what_is_shuffled(files: str) -> None:
    line_orders = {tuple(lines(ds.TextFileDataset(files))) for _ in range(2)}
    assert len(line_orders) == 1 and sorted(line_orders.pop()) == ["a1", "a2", "a3", "b1", "b2"]  # by the seed
    data = ds.TextFileDataset(files, shuffle=ds.Shuffle.FILES).repeat(20)
    epochs = lines(data)
    orders = {tuple(epochs[i : i + 5]) for i in range(0, 100, 5)}
    assert orders == {("a1", "a2", "a3", "b1", "b2"), ("b1", "b2", "a1", "a2", "a3")}
    inside = lines(ds.TextFileDataset(files, shuffle=ds.Shuffle.INFILE).repeat(20))
    assert all(sorted(inside[i : i + 3]) == ["a1", "a2", "a3"] for i in range(0, 100, 5))


def test_damaged_and_empty_files(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff")
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(RuntimeError, match="is not UTF-8"):
        read_text(tmp_path / "latin")
    empty = ds.TextFileDataset(str(tmp_path / "empty"))
    assert empty.get_dataset_size() == 0
    with pytest.raises(RuntimeError, match="there is no row in empty"):
        list(empty)
