"""The Python version of CIFAR-10 to MindRecord files."""

import io
import pickle
from pathlib import Path

import numpy as np
import pytest

from minigraph.mindrecord import Cifar10ToMR, FileReader
from minigraph.mindrecord.cifar import read_batch
from tests.tables import cases

SHADES = np.linspace(0, 255, 32).astype(np.uint8)


def batch(*labels):
    images = np.stack([np.broadcast_to(SHADES // (1 + label), (3, 32, 32)) for label in labels])
    return {b"data": images.reshape(len(labels), -1), b"labels": list(labels)}


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "cifar"
    source.mkdir()
    for name, content in {"data_batch_2": batch(5, 6), "data_batch_1": batch(3), "test_batch": batch(9)}.items():
        (source / name).write_bytes(pickle.dumps(content, protocol=2))
    return source


def test_batches_become_two_files_of_jpegs(folder, tmp_path):
    images = pytest.importorskip("PIL.Image")
    name = str(tmp_path / "cifar.mindrecord")
    assert Cifar10ToMR(str(folder), name).transform(["label"]) is None
    rows = list(FileReader(name).get_next())
    assert [(row["id"], row["label"]) for row in rows] == [(0, 3), (1, 5), (2, 6)]
    picture = np.asarray(images.open(io.BytesIO(rows[0]["data"])))
    assert np.abs(picture.astype(int) - (SHADES // 4)[None, :, None]).max() <= 4
    assert [row["label"] for row in FileReader(f"{name}_test").get_next()] == [9]


def test_a_batch_has_images_with_channels_last(folder):
    images, labels = read_batch(folder / "data_batch_2")
    assert images.shape == (2, 32, 32, 3) and labels.tolist() == [5, 6]
    assert (images[0, :, :, 1] == SHADES // 6).all()


class Malicious:
    def __reduce__(self):
        return Path.touch, (Path("touched"),)


@cases(
    (pickle.dumps(Malicious()), "forbidden"),
    (pickle.dumps({b"data": np.zeros(5, np.uint8), b"labels": [1]}), "cannot reshape"),
    (b"no pickle", "'data_batch_1' is not a valid batch of CIFAR-10"),
)
def test_other_files_are_refused(tmp_path, content, text):
    path = tmp_path / "data_batch_1"
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match=text):
        read_batch(path)
    assert not Path("touched").exists()


@cases(("data_batch_*", "data_batch"), ("test_batch", "test"))
def test_a_missing_batch_raises(folder, text, missing):
    for path in folder.glob(f"{missing}*"):
        path.unlink()
    with pytest.raises(ValueError, match=rf"Invalid path. {text.replace('*', '.')}"):
        Cifar10ToMR(str(folder), "x")


def test_fields_are_a_list(folder):
    with pytest.raises(ValueError, match="fields should be None or list"):
        Cifar10ToMR(str(folder), "x").transform("label")
