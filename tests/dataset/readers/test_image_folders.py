"""Folders of photographs: classes, decoded images and missing folders; tests/differential compares the rows."""

from pathlib import Path

import numpy as np
import pytest

import minigraph.dataset as ds


def put(path: Path, content: bytes = b"...") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_images_are_decoded_and_sampled_by_class(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image").fromarray(np.zeros((4, 5, 3), np.uint8))
    for name in ("001.a/1.png", "001.a/2.png", "002.b/1.png"):
        put(tmp_path / name)
        image.save(tmp_path / name)
    put(tmp_path / "001.a" / "note.txt")
    data = ds.Caltech256Dataset(str(tmp_path), decode=True, sampler=ds.PKSampler(1))
    assert [(row[0].shape, int(row[1])) for row in data] == [((4, 5, 3), 0), ((4, 5, 3), 1)]


def test_classes_without_a_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "a" / "bar" / "1.jpg")
    for names in (b"/a/bar\n/b\n", b"/../\n", b"/a/../../x\n"):
        put(tmp_path / "ClassName.txt", names)
        with pytest.raises(RuntimeError, match="has no folder"):
            ds.SUN397Dataset(str(tmp_path))
    put(tmp_path / "ClassName.txt", b"/a/bar\n\n")
    assert [int(row[1]) for row in ds.SUN397Dataset(str(tmp_path))] == [0]


def test_parts_without_a_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "valid" / "positive" / "1.png")
    assert len(list(ds.RenderedSST2Dataset(str(tmp_path), "val"))) == 1
    with pytest.raises(RuntimeError, match="no folder 'test'"):
        ds.RenderedSST2Dataset(str(tmp_path))
