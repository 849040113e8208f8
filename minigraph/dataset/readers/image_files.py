"""Datasets in files that the user has: MNIST and its relatives, and CIFAR.

The formats are those of the publishers: https://yann.lecun.com/exdb/mnist (idx files) and
https://www.cs.toronto.edu/~kriz/cifar.html (the binary version).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.dataset.generator import GeneratorDataset
from minigraph.dataset.readers.reader_arguments import check_folder, check_member_of, sampler_options, with_labels
from minigraph.dataset.samplers import Sampler

IDX_DTYPES: dict[int, np.dtype[Any]] = {
    8: np.dtype(np.uint8),
    12: np.dtype(">i4"),
}  # by the code in the third byte of an idx file
Column = tuple[str, np.ndarray]


class FileDataset(GeneratorDataset):
    """The base class: rows of arrays, one per column, that ``read`` returns for a folder and a usage.

    Rows are in random order unless ``shuffle=False``; the other arguments are those of ``GeneratorDataset``. Raises
    ``ValueError`` for a missing folder or another usage, ``RuntimeError`` for files that are missing or damaged.
    """

    usages: Sequence[str] = ("train", "test", "all")
    read: Callable[..., list[Column]]

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        options = sampler_options(sampler, num_samples, shuffle, num_shards, shard_id)
        columns = self.read(check_folder(dataset_dir), check_member_of("usage", usage, self.usages))
        rows = list(zip(*(array for _, array in columns), strict=True))
        labels = columns[1][1].reshape(len(rows), -1)[:, 0].tolist()
        super().__init__(rows, [name for name, _ in columns], **with_labels(options, labels))


# ---- idx files -------------------------------------------------------------------------------------


def read_idx(path: Path, dtype: np.dtype[Any] = IDX_DTYPES[8]) -> np.ndarray:
    """The array in an idx file; raises ``RuntimeError`` for a file of another dtype or length."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reraise_handler_error(error)
        raise ArgRuntimeError(f"dataset: {path.name!r} cannot be read: {error.strerror}") from None
    if len(data) < 4 or data[:2] != b"\0\0" or IDX_DTYPES.get(data[2]) != dtype or len(data) < 4 + 4 * data[3]:
        raise ArgRuntimeError(f"dataset: {path.name!r} is not an idx file of {dtype.name}")
    shape = np.frombuffer(data, ">u4", data[3], 4).tolist()
    if len(data) != 4 + 4 * len(shape) + math.prod(shape) * dtype.itemsize:
        raise ArgRuntimeError(f"dataset: {path.name!r} has {len(data)} bytes, which do not fit the shape {shape}")
    return np.frombuffer(data, dtype, offset=4 + 4 * len(shape)).reshape(shape)


def read_mnist(folder: Path, usage: str, names: dict[str, str]) -> list[Column]:
    """Images [N, 28, 28, 1] and labels, by the names of the files of each usage."""
    subsets = list(names) if usage == "all" else [usage]
    images = [read_idx(folder / f"{names[subset]}-images-idx3-ubyte") for subset in subsets]
    labels = [read_idx(folder / f"{names[subset]}-labels-idx1-ubyte") for subset in subsets]
    if any(len(image) != len(label) for image, label in zip(images, labels, strict=True)):
        raise ArgRuntimeError("dataset: the files have not as many labels as images")
    return [("image", np.concatenate(images)[..., None]), ("label", np.concatenate(labels).astype(np.uint32))]


class MnistDataset(FileDataset):
    """Handwritten digits (LeCun et al. 1998): ``image`` uint8[28, 28, 1] and ``label`` uint32.

    The folder has the files ``train-images-idx3-ubyte``, ``train-labels-idx1-ubyte`` and those of ``t10k``.
    """

    @staticmethod
    def read(folder: Path, usage: str) -> list[Column]:
        """The columns of a usage."""
        return read_mnist(folder, usage, {"test": "t10k", "train": "train"})


class FashionMnistDataset(MnistDataset):
    """Articles of clothing (Xiao et al. 2017), in the file format of ``MnistDataset``."""


class KMnistDataset(MnistDataset):
    """Cursive Japanese characters (Clanuwat et al. 2018), in the file format of ``MnistDataset``."""


# ---- CIFAR -----------------------------------------------------------------------------------------

CIFAR_IMAGE_BYTES = 3 * 32 * 32


def _read_cifar(paths: Sequence[Path], label_bytes: int) -> np.ndarray:
    """Rows of labels and pixels; raises ``RuntimeError`` for missing files and incomplete rows."""
    parts = []
    for path in paths:
        if not path.is_file():
            raise ArgRuntimeError(f"dataset: there is no file {path.name!r} in {path.parent.name!r}")
        data = np.fromfile(path, np.uint8)
        if data.size % (label_bytes + CIFAR_IMAGE_BYTES):
            raise ArgRuntimeError(f"dataset: {path.name!r} has {data.size} bytes, no whole number of rows")
        parts.append(data.reshape(-1, label_bytes + CIFAR_IMAGE_BYTES))
    return np.concatenate(parts)


def _columns(rows: np.ndarray, labels: Sequence[str]) -> list[Column]:
    images = rows[:, len(labels) :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return [("image", images), *((name, rows[:, i].astype(np.uint32)) for i, name in enumerate(labels))]


class Cifar10Dataset(FileDataset):
    """Photographs of ten classes (Krizhevsky 2009): ``image`` uint8[32, 32, 3] and ``label`` uint32.

    The folder has the binary files ``data_batch_1.bin`` to ``data_batch_5.bin`` and ``test_batch.bin``.
    """

    @staticmethod
    def read(folder: Path, usage: str) -> list[Column]:
        """The columns of a usage."""
        training = [*sorted(folder.glob("data_batch_*.bin"))] or [folder / "data_batch_1.bin"]
        files = {"train": training, "test": [folder / "test_batch.bin"]}
        paths = [*files["train"], *files["test"]] if usage == "all" else files[usage]
        return _columns(_read_cifar(paths, 1), ["label"])


class Cifar100Dataset(FileDataset):
    """Photographs of a hundred classes (Krizhevsky 2009), with ``coarse_label`` and ``fine_label``, uint32.

    The folder has the binary files ``train.bin`` and ``test.bin``.
    """

    @staticmethod
    def read(folder: Path, usage: str) -> list[Column]:
        """The columns of a usage."""
        names = ["test", "train"] if usage == "all" else [usage]
        rows = _read_cifar([folder / f"{name}.bin" for name in names], 2)
        return _columns(rows, ["coarse_label", "fine_label"])


# ---- STL-10 ----------------------------------------------------------------------------------------

STL10_PARTS = ("test", "train", "unlabeled")


class STL10Dataset(FileDataset):
    """Photographs of ten classes (Coates et al. 2011): ``image`` uint8[96, 96, 3] and ``label`` int32, -1 for none.

    The folder has the binary files ``train_X.bin``, ``train_y.bin``, those of ``test``, and ``unlabeled_X.bin``.
    """

    usages = ("train", "test", "unlabeled", "train+unlabeled", "all")

    @staticmethod
    def read(folder: Path, usage: str) -> list[Column]:
        """The columns of a usage."""
        parts = [part for part in STL10_PARTS if usage == "all" or part in usage.split("+")]
        images, labels = zip(*(_read_stl10(folder, part) for part in parts), strict=True)
        return [("image", np.concatenate(images)), ("label", np.concatenate(labels))]


def _read_stl10(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a part; raises ``ValueError`` for a missing file, ``RuntimeError`` for a damaged one."""
    files = [folder / f"{part}_X.bin", *([] if part == "unlabeled" else [folder / f"{part}_y.bin"])]
    if missing := [file for file in files if not file.is_file()]:
        raise ArgValueError(f"The file {missing[0]} does not exist or permission denied!")
    pixels, *labels = (np.fromfile(file, np.uint8) for file in files)
    count, remainder = divmod(pixels.size, 3 * 96 * 96)
    if remainder or any(label.size != count for label in labels):
        raise ArgRuntimeError(f"STL10Dataset: {files[0].name!r} has no whole images, or not as many as labels")
    images = pixels.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1)  # stored by columns
    return images, labels[0].astype(np.int32) - 1 if labels else np.full(count, -1, np.int32)
