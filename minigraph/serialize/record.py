"""The records of a checkpoint: what the file's metadata says of each tensor, and how its numbers are laid out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigraph.core.types import DTYPES, DType

FORMAT = "minigraph checkpoint 1"
TEXT = "text"  # in place of a dtype
BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in DTYPES}
PARTS = {"complex64": "float32", "complex128": "float64"}  # complex numbers are kept as pairs of these


class Record(NamedTuple):
    """What the file says of one tensor: name, dtype, shape, ``requires_grad`` and the CRC-32 of its bytes."""

    name: str
    dtype: str
    shape: list[int]
    requires_grad: bool
    crc32: int

    @property
    def part(self) -> DType:
        """The dtype of the stored numbers: half of a complex one, else the tensor's own."""
        return BY_NAME[PARTS.get(self.dtype, self.dtype)]

    @property
    def stored_shape(self) -> list[int]:
        """The shape of the stored numbers: a last axis of two more for complex ones."""
        return [*self.shape, 2] if self.dtype in PARTS else self.shape


class Text(NamedTuple):
    """A text among the records, by name: it has no tensor."""

    name: str
    value: str
    dtype: str = TEXT


def record_of(fields: Any) -> Record | Text:
    """A record read from a file; raises ``ValueError`` or ``TypeError`` when a field is of another kind.

    >>> record_of(["w", "float32", [2, 3], True, 99])
    Record(name='w', dtype='float32', shape=[2, 3], requires_grad=True, crc32=99)
    >>> record_of(["note", "warm start", "text"])
    Text(name='note', value='warm start', dtype='text')
    """
    if len(fields) == len(Text._fields) and fields[-1] == TEXT and all(isinstance(field, str) for field in fields):
        return Text(*fields)
    record = Record(*fields)
    sizes = isinstance(record.shape, list) and all(type(size) is int and size >= 0 for size in record.shape)
    plain = isinstance(record.name, str) and type(record.requires_grad) is bool and type(record.crc32) is int
    if not (sizes and plain and isinstance(record.dtype, str) and record.dtype in BY_NAME):
        raise ValueError(record.name)
    return record


def stored(array: np.ndarray) -> np.ndarray:
    """The numbers in row-major order, complex ones as pairs along a new last axis; bits are kept.

    >>> stored(np.array(1 + 2j))
    array([1., 2.])
    """
    plain = np.asarray(array, order="C")  # not ascontiguousarray, which gives scalars an axis
    part = PARTS.get(array.dtype.name)
    return plain if part is None else plain.reshape(-1).view(part).reshape(*array.shape, 2)


def restored(numbers: np.ndarray, record: Record) -> np.ndarray:
    """The array that was ``stored``."""
    return numbers.reshape(-1).view(BY_NAME[record.dtype].numpy).reshape(record.shape)
