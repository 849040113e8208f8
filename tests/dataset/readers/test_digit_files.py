"""Digits in files: damaged files and usages; tests/differential compares the rows with MindSpore's."""

from pathlib import Path

import numpy as np
import pytest

import minigraph.dataset as ds
from tests.dataset.readers.test_image_files import write_idx


def test_emnist(tmp_path: Path) -> None:
    write_idx(tmp_path / "emnist-digits-test-images-idx3-ubyte", np.zeros((2, 28, 28)))
    write_idx(tmp_path / "emnist-digits-test-labels-idx1-ubyte", np.array([3, 1]))
    data = ds.EMnistDataset(str(tmp_path), "digits", "test", sampler=ds.PKSampler(1))
    assert [int(row[1]) for row in data] == [1, 3]
    with pytest.raises(ValueError, match="Input name is not within"):
        ds.EMnistDataset(str(tmp_path), "kanji")


def test_parts_of_the_test_set_of_qmnist_need_all_of_it(tmp_path: Path) -> None:
    write_idx(tmp_path / "qmnist-test-images-idx3-ubyte", np.zeros((2, 28, 28)))
    head = bytes((0, 0, 12, 2)) + np.array((2, 8), ">u4").tobytes()
    (tmp_path / "qmnist-test-labels-idx2-int").write_bytes(head + np.arange(16).astype(">i4").tobytes())
    assert [int(row[1]) for row in ds.QMnistDataset(str(tmp_path), "test", shuffle=False)] == [0, 8]
    with pytest.raises(RuntimeError, match="use usage='test'"):
        ds.QMnistDataset(str(tmp_path), "test50k")
    (tmp_path / "qmnist-test-labels-idx2-int").write_bytes(bytes((0, 0, 8, 2)) + head[4:] + bytes(16))
    with pytest.raises(RuntimeError, match="not an idx file of int32"):
        ds.QMnistDataset(str(tmp_path), "test")


def test_text_with_other_numbers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "usps").write_text("3 1:0.5 2:x\n")
    with pytest.raises(RuntimeError, match="could not convert"):
        list(ds.USPSDataset(str(tmp_path), "train"))
    (tmp_path / "usps").write_text("3 1:0.5\n")
    with pytest.raises(RuntimeError, match="256 values"):
        list(ds.USPSDataset(str(tmp_path), "train"))
    (tmp_path / "semeion.data").write_text("1 0\n")
    with pytest.raises(RuntimeError, match="256 pixels and ten labels"):
        ds.SemeionDataset(str(tmp_path))
