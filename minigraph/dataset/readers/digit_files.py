"""Handwritten characters in files that the user has: EMNIST, QMNIST, USPS and Semeion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.readers.image_files import IDX_DTYPES, Column, FileDataset, read_idx, read_mnist
from minigraph.dataset.readers.reader_arguments import check_instance, check_member_of
from minigraph.dataset.readers.text_corpora import Corpus
from minigraph.dataset.readers.text_files import read_text
from minigraph.dataset.samplers import Sampler

EMNIST_NAMES = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
QMNIST_USAGES = ("train", "test", "test10k", "test50k", "nist", "all")


class EMnistDataset(FileDataset):
    """Handwritten characters (Cohen et al. 2017): ``image`` uint8[28, 28, 1] and ``label`` uint32.

    ``name`` is the split, such as ``letters``, and the files are ``emnist-letters-train-images-idx3-ubyte`` and so on.
    """

    def __init__(
        self,
        dataset_dir: str,
        name: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        self._name = check_member_of("name", name, EMNIST_NAMES)
        super().__init__(
            dataset_dir, usage, num_samples, None, shuffle, sampler, num_shards=num_shards, shard_id=shard_id
        )

    def read(self, folder: Path, usage: str) -> list[Column]:
        """The columns of a usage."""
        return read_mnist(folder, usage, {part: f"emnist-{self._name}-{part}" for part in ("test", "train")})


# ---- QMNIST ----------------------------------------------------------------------------------------


class QMnistDataset(FileDataset):
    """The digits of MNIST with their sources (Yadav, Bottou 2019): ``image`` uint8[28, 28, 1] and ``label`` uint32.

    ``compat=False``: the label has eight numbers. The files are ``qmnist-train-images-idx3-ubyte``,
    ``qmnist-train-labels-idx2-int``, those of ``test``, and ``xnist-images-idx3-ubyte`` for the usage ``nist``; the
    usages ``test10k`` and ``test50k`` are the first 10,000 and the last 50,000 rows of ``test``.
    """

    usages = QMNIST_USAGES

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        compat: bool = True,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        check_instance("compat", compat, (bool,))
        self._compat = compat
        super().__init__(
            dataset_dir, usage, num_samples, None, shuffle, sampler, num_shards=num_shards, shard_id=shard_id
        )

    def read(self, folder: Path, usage: str) -> list[Column]:
        """The columns of a usage."""
        parts = ("train", "test", "nist") if usage == "all" else (usage,)
        images, labels = zip(*(self._read_part(folder, part) for part in parts), strict=True)
        numbers = np.concatenate(labels)
        return [("image", np.concatenate(images)), ("label", numbers[:, 0] if self._compat else numbers)]

    @staticmethod
    def _read_part(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
        name = "xnist" if part == "nist" else "qmnist-train" if part == "train" else "qmnist-test"
        images = read_idx(folder / f"{name}-images-idx3-ubyte")[..., None]
        labels = read_idx(folder / f"{name}-labels-idx2-int", IDX_DTYPES[12]).astype(np.uint32)
        if len(images) != len(labels):
            raise ArgRuntimeError("dataset: the files have not as many labels as images")
        rows = {"test10k": slice(10_000), "test50k": slice(10_000, None)}.get(part, slice(None))
        if part in ("test10k", "test50k") and len(images) < 60_000:
            raise ArgRuntimeError(f"dataset: the test set has {len(images)} rows, {part} needs 60000; use usage='test'")
        return images[rows], labels[rows]


# ---- text ------------------------------------------------------------------------------------------


def _numbers(words: Iterable[str], path: Path) -> np.ndarray:
    try:
        return np.array([float(word) for word in words])
    except ValueError as error:
        raise ArgRuntimeError(f"dataset: {path.name!r}: {error}") from None


def _read_usps(path: Path) -> Iterator[tuple[np.ndarray, np.uint32]]:
    """Images of the lines ``label 1:value 2:value ...``; labels begin with 1, values are from -1 to 1."""
    for line in read_text(path).splitlines():
        label, *pixels = line.split()
        values = _numbers((pixel.partition(":")[2] for pixel in pixels), path)
        if values.size != 256 or not label.isdigit():
            raise ArgRuntimeError(f"USPSDataset: {path.name!r}: a line has not a label and 256 values")
        yield ((values + 1) / 2 * 255).astype(np.uint8).reshape(16, 16, 1), np.uint32(int(label) - 1)


class USPSDataset(Corpus):
    """Digits of envelopes (Hull 1994): ``image`` uint8[16, 16, 1] and ``label`` uint32, of ``usps`` and ``usps.t``.

    The other arguments and errors are those of ``TextFileDataset``.
    """

    files, columns, reader = {"train": "usps", "test": "usps.t"}, ("image", "label"), staticmethod(_read_usps)


class SemeionDataset(FileDataset):
    """Digits of 80 people: ``image`` uint8[16, 16] of zeros and ones, and ``label`` uint32, of ``semeion.data``."""

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(
            dataset_dir, None, num_samples, None, shuffle, sampler, num_shards=num_shards, shard_id=shard_id
        )

    def read(self, folder: Path, usage: str) -> list[Column]:
        """The columns: 256 pixels and ten numbers, one of them 1, per line."""
        path = folder / "semeion.data"
        rows = [_numbers(line.split(), path) for line in read_text(path).splitlines()]
        if any(row.size != 266 for row in rows) or not rows:
            raise ArgRuntimeError(f"SemeionDataset: {path.name!r}: a line has not 256 pixels and ten labels")
        table = np.array(rows)
        images = table[:, :256].astype(np.uint8).reshape(-1, 16, 16)
        return [("image", images), ("label", table[:, 256:].argmax(1).astype(np.uint32))]
