"""One folder per class: labels, choice of files, samplers; tests/differential compares the rows with MindSpore's."""

from pathlib import Path

import pytest

import minigraph.dataset as ds
from minigraph.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, count in (("b", 2), ("a", 1), ("c", 0)):
        (tmp_path / name).mkdir()
        for i in range(count):
            (tmp_path / name / f"{i}.png").write_bytes(f"{name}{i}".encode())
    (tmp_path / "b" / "note.txt").write_text("text")
    return str(tmp_path)


def rows(data: ds.Dataset) -> list[tuple[str, int]]:
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [(image.tobytes().decode(), label.item()) for image, label in iterator]


def test_labels_are_the_positions_of_the_folders(folder: str) -> None:
    data = ds.ImageFolderDataset(folder, shuffle=False)
    assert rows(data) == [("a0", 0), ("b0", 1), ("b1", 1), ("text", 1)]
    assert data.num_classes() == 3 and data.get_class_indexing() == {"a": 0, "b": 1, "c": 2}
    few = ds.ImageFolderDataset(folder, shuffle=False, extensions=[".png"], class_indexing={"b": 7})
    assert rows(few) == [("b0", 7), ("b1", 7)]


def test_samplers(folder: str) -> None:
    assert rows(ds.ImageFolderDataset(folder, sampler=[3, 0])) == [("text", 1), ("a0", 0)]
    drawn = rows(ds.ImageFolderDataset(folder, sampler=ds.PKSampler(2)))
    assert [label for _, label in drawn] == [0, 0, 1, 1]


def test_errors(folder: str) -> None:
    with pytest.raises(RuntimeError, match="class 'z' has no folder"):
        ds.ImageFolderDataset(folder, class_indexing={"z": 0})
    with pytest.raises(RuntimeError, match="there is no file in the folders"):
        list(ds.ImageFolderDataset(folder, extensions=[".gif"]))
    with pytest.raises((RuntimeError, UsageError), match="no image that pillow can read|need the library pillow"):
        list(ds.ImageFolderDataset(folder, decode=True))


def test_reviews(tmp_path: Path) -> None:
    for sign in ("pos", "neg"):
        (tmp_path / "train" / sign).mkdir(parents=True)
        (tmp_path / "train" / sign / "0_9.txt").write_text(f"a {sign} review\n")
    data = ds.IMDBDataset(str(tmp_path), "train", shuffle=False)
    values = [(text.item(), label.item()) for text, label in data.create_tuple_iterator(None, 1, True)]
    assert values == [("a pos review", 1), ("a neg review", 0)]
