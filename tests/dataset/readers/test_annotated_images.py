"""Annotations in XML and JSON lines; tests/differential compares ``VOCDataset`` and ``ManifestDataset``."""

from pathlib import Path

import pytest

import minigraph.dataset as ds
from minigraph.dataset.readers.annotated_images import read_manifest, read_objects

OBJECT = "<object><name>{}</name><bndbox><xmin>{}</xmin><ymin>2</ymin><xmax>5.5</xmax><ymax>9</ymax></bndbox></object>"


def test_objects(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(f"<annotation>{OBJECT.format('cat', 1)}</annotation>")
    (item,) = read_objects(path)
    assert item == {"name": "cat", "xmin": 1, "ymin": 2, "xmax": 5.5, "ymax": 9, "difficult": 0, "truncated": 0}
    for wrong in (OBJECT.format("", 1), OBJECT.format("cat", 7), OBJECT.format("cat", "x"), "<object/>"):
        path.write_text(f"<annotation>{wrong}</annotation>")
        with pytest.raises(RuntimeError, match="has no name, or no box of numbers"):
            read_objects(path)


def test_lists_of_images(tmp_path: Path) -> None:
    # empty lines of a list are skipped; of others, only the first word is read
    for name in ("ImageSets/Segmentation", "JPEGImages", "SegmentationClass"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ImageSets/Segmentation/train.txt").write_text("a 1\n\n")
    (tmp_path / "JPEGImages/a.jpg").write_bytes(b"...")
    (tmp_path / "SegmentationClass/a.png").write_bytes(b"mask")
    ((image, mask),) = ds.VOCDataset(str(tmp_path)).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert (image.tobytes(), mask.tobytes()) == (b"...", b"mask")
    with pytest.raises(ValueError, match="VOCDataset: extra_metadata=True is not supported"):
        ds.VOCDataset(str(tmp_path), extra_metadata=True)


def test_manifests(tmp_path: Path) -> None:
    path, image = tmp_path / "m", tmp_path / "a.jpg"
    image.write_bytes(b"...")
    entry = f'{{"source": "{image}", "usage": "Train", "annotation": [{{"name": "cat"}}]}}\n'
    path.write_text(entry * 2)
    assert read_manifest(path) == [(image, ["cat"], "train")] * 2
    path.write_text(f"{entry}[]\n")
    with pytest.raises(RuntimeError, match="'m': line 2 needs an object with 'source'"):
        read_manifest(path)
