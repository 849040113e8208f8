"""A dataset that ships with the package: 1,797 handwritten digits (see ``DIGITS_LICENSE.txt``)."""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minigraph.core.errors import ArgValueError, UsageError
from minigraph.core.scope_guard import reraise_handler_error

COUNT, PIXELS, MAX_INTENSITY, CLASSES = 1797, 64, 16, 10
SHAPES = {"images": (COUNT, PIXELS), "labels": (COUNT,)}
LIMITS = {"images": MAX_INTENSITY, "labels": CLASSES - 1}
FILE = Path(__file__).with_name("digits.npz")


class Digits(NamedTuple):
    """Images float32 [n,64], row by row, 0 is white paper and 1 is ink; and labels int32 [n], 0 to 9."""

    images: np.ndarray
    labels: np.ndarray

    def split(self, held_back: float = 0.2, seed: int = 0) -> tuple[Digits, Digits]:
        """The shuffled digits as (training set, held-back set); reproducible by seed.

        The same 13 people wrote both sets, so accuracy on the second does not measure generalisation to new writers.
        Raises ``ValueError`` if one of the sets would be empty.

        >>> train, test = load_digits().split(held_back=0.2)
        >>> train.images.shape, test.images.shape
        ((1438, 64), (359, 64))
        """
        count = round(len(self.labels) * held_back)
        if not 0 < count < len(self.labels):
            raise ArgValueError(f"split: held_back={held_back} leaves one set empty; use a share between 0 and 1")
        order = np.random.default_rng(seed).permutation(len(self.labels))
        return self._subset(order[count:]), self._subset(order[:count])

    def _subset(self, rows: np.ndarray) -> Digits:
        return Digits(self.images[rows], self.labels[rows])


def load_digits() -> Digits:
    """All 1,797 digits, in the order of the source.

    >>> digits = load_digits()
    >>> digits.images.shape, digits.images.max(), digits.labels[:5]
    ((1797, 64), np.float32(1.0), array([0, 1, 2, 3, 4], dtype=int32))
    """
    return read_digits(FILE)


def read_digits(file: str | os.PathLike[str]) -> Digits:
    """The digits in an archive; raises ``UsageError`` for a file that is damaged or not this archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            images, labels = (_array(archive, name) for name in SHAPES)
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reraise_handler_error(error)
        raise UsageError(f"{os.fspath(file)}: not the digits ({error}); reinstall minigraph") from None
    return Digits(images.astype(np.float32) / np.float32(MAX_INTENSITY), labels.astype(np.int32))


def _array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """One array, with its header validated before the data is read: nothing is unpickled or oversized."""
    with archive.open(f"{name}.npy") as stream:
        np.lib.format.read_magic(stream)
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
        if (shape, by_column, dtype) != (SHAPES[name], False, np.dtype(np.uint8)):
            raise ValueError(f"{name} are {dtype}{list(shape)}, expected uint8{list(SHAPES[name])}")
        array = np.frombuffer(stream.read(), np.uint8).reshape(shape)
    if array.max() > LIMITS[name]:
        raise ValueError(f"the maximum of {name} is {array.max()}, expected at most {LIMITS[name]}")
    return array
