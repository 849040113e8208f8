"""Files of MNIST and CIFAR, as their publishers describe them: rows, usages, and damaged files."""

import numpy as np
import pytest

import minigraph.dataset as ds
from minigraph.dataset.readers.image_files import read_idx
from tests.tables import cases

RNG = np.random.default_rng(0)


def write_idx(path, array):
    head = bytes((0, 0, 8, array.ndim)) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(head + array.astype(np.uint8).tobytes())


@pytest.fixture
def mnist(tmp_path):
    for name, count in (("train", 5), ("t10k", 3)):
        write_idx(tmp_path / f"{name}-images-idx3-ubyte", RNG.integers(0, 256, (count, 28, 28)))
        write_idx(tmp_path / f"{name}-labels-idx1-ubyte", np.arange(count))
    return tmp_path


@pytest.fixture
def cifar(tmp_path):
    for name, count, labels in (("data_batch_1", 4, 1), ("data_batch_2", 2, 1), ("test_batch", 3, 1), ("train", 4, 2),
                                ("test", 2, 2)):  # fmt: skip
        rows = RNG.integers(0, 256, (count, labels + 3072)).astype(np.uint8)
        rows[:, :labels] = np.arange(count * labels).reshape(count, labels)
        rows.tofile(tmp_path / f"{name}.bin")
    return tmp_path


@pytest.mark.parametrize("kind", [ds.MnistDataset, ds.FashionMnistDataset, ds.KMnistDataset])
def test_mnist(mnist, kind):
    data = kind(str(mnist), "train", shuffle=False)
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert [int(row["label"]) for row in rows] == [0, 1, 2, 3, 4]
    assert rows[0]["image"].shape == (28, 28, 1) and rows[0]["label"].dtype == np.uint32
    images = read_idx(mnist / "train-images-idx3-ubyte")
    np.testing.assert_array_equal(rows[3]["image"][..., 0], images[3])
    assert (kind(str(mnist), "test").get_dataset_size(), kind(str(mnist)).get_dataset_size()) == (3, 8)
    assert kind(str(mnist), num_samples=2).get_dataset_size() == 2


def test_cifar(cifar):
    rows = list(ds.Cifar10Dataset(str(cifar), "train", shuffle=False).create_dict_iterator(1, output_numpy=True))
    assert [int(row["label"]) for row in rows] == [0, 1, 2, 3, 0, 1] and rows[0]["image"].shape == (32, 32, 3)
    first = np.fromfile(cifar / "data_batch_1.bin", np.uint8)[1:3073].reshape(3, 32, 32)
    np.testing.assert_array_equal(rows[0]["image"], first.transpose(1, 2, 0))
    assert ds.Cifar10Dataset(str(cifar)).get_dataset_size() == 9
    fine = ds.Cifar100Dataset(str(cifar), "test", shuffle=False)
    assert fine.get_col_names() == ["image", "coarse_label", "fine_label"]
    assert [int(row[2]) for row in fine.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [1, 3]


def test_all_rows_begin_with_the_test_set(mnist, cifar):
    rows = ds.MnistDataset(str(mnist), shuffle=False, num_samples=4).create_dict_iterator(1, output_numpy=True)
    assert [int(row["label"]) for row in rows] == [0, 1, 2, 0]
    rows = ds.Cifar100Dataset(str(cifar), shuffle=False).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(row[2]) for row in rows] == [1, 3, 1, 3, 5, 7]


@cases(
    (b"", "is not an idx file"),
    (bytes((0, 0, 13, 1, 0, 0, 0, 1, 0)), "is not an idx file"),
    (bytes((0, 0, 8, 1, 0, 0, 0, 9, 0)), "do not fit the shape"),
)
def test_damaged_files(mnist, content, text):
    (mnist / "t10k-labels-idx1-ubyte").write_bytes(content)
    with pytest.raises(RuntimeError, match=text):
        ds.MnistDataset(str(mnist), "test")


def test_missing_files_and_wrong_usages(mnist, cifar, tmp_path):
    (cifar / "test.bin").write_bytes(b"123")
    with pytest.raises(RuntimeError, match="no whole number of rows"):
        ds.Cifar100Dataset(str(cifar), "test")
    (cifar / "train.bin").unlink()
    with pytest.raises(RuntimeError, match="there is no file 'train.bin'"):
        ds.Cifar100Dataset(str(cifar), "train")
    (mnist / "t10k-images-idx3-ubyte").unlink()
    with pytest.raises(RuntimeError, match="cannot be read"):
        ds.MnistDataset(str(mnist), "test")
    write_idx(mnist / "t10k-images-idx3-ubyte", np.zeros((9, 28, 28)))
    with pytest.raises(RuntimeError, match="as many labels as images"):
        ds.MnistDataset(str(mnist), "test")
    with pytest.raises(ValueError, match="Input usage is not within the valid set of"):
        ds.MnistDataset(str(mnist), "valid")
    with pytest.raises(ValueError, match="does not exist"):
        ds.MnistDataset(str(tmp_path / "nowhere"))


def test_stl10_needs_whole_images_and_a_label_each(tmp_path):
    (tmp_path / "test_X.bin").write_bytes(bytes(3 * 96 * 96 + 1))
    with pytest.raises(ValueError, match=r"test_y\.bin does not exist"):
        ds.STL10Dataset(str(tmp_path), "test")
    for pixels, labels in ((1, 1), (0, 2)):
        (tmp_path / "test_X.bin").write_bytes(bytes(3 * 96 * 96 + pixels))
        (tmp_path / "test_y.bin").write_bytes(bytes(labels))
        with pytest.raises(RuntimeError, match="no whole images"):
            ds.STL10Dataset(str(tmp_path), "test")
    (tmp_path / "test_y.bin").write_bytes(b"\x03")
    assert [int(row[1]) for row in ds.STL10Dataset(str(tmp_path), "test")] == [2]
