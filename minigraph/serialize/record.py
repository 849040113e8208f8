"""The records of a checkpoint: the metadata of each tensor, and the layout of its data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigraph.core.types import DTYPES, DType

FORMAT_NAME, FORMAT_VERSION = "minigraph checkpoint ", "1"
FORMAT = FORMAT_NAME + FORMAT_VERSION
TEXT = "text"  # in place of a dtype
BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in DTYPES}
COMPONENT_DTYPES = {"complex64": "float32", "complex128": "float64"}  # complex numbers are stored as pairs of these


class Record(NamedTuple):
    """The metadata of one tensor: name, dtype, shape, ``requires_grad`` and the CRC-32 of its bytes."""

    name: str
    dtype: str
    shape: list[int]
    requires_grad: bool
    crc32: int

    @property
    def part(self) -> DType:
        """The dtype of the stored data: the dtype of the parts of a complex number, else the tensor's own."""
        return BY_NAME[COMPONENT_DTYPES.get(self.dtype, self.dtype)]

    @property
    def stored_shape(self) -> list[int]:
        """The shape of the stored data: complex tensors have one more axis, of size 2."""
        return [*self.shape, 2] if self.dtype in COMPONENT_DTYPES else self.shape


class Text(NamedTuple):
    """A record of a string, which has no tensor."""

    name: str
    value: str
    dtype: str = TEXT


def record_of(fields: Any) -> Record | Text:
    """Parse a record; raises ``ValueError`` or ``TypeError`` for a field of the wrong type.

    >>> record_of(["w", "float32", [2, 3], True, 99])
    Record(name='w', dtype='float32', shape=[2, 3], requires_grad=True, crc32=99)
    >>> record_of(["note", "warm start", "text"])
    Text(name='note', value='warm start', dtype='text')
    """
    if len(fields) == len(Text._fields) and fields[-1] == TEXT and all(isinstance(field, str) for field in fields):
        return Text(*fields)
    record = Record(*fields)
    has_shape = isinstance(record.shape, list) and all(type(size) is int and size >= 0 for size in record.shape)
    has_fields = isinstance(record.name, str) and type(record.requires_grad) is bool and type(record.crc32) is int
    if not (has_shape and has_fields and isinstance(record.dtype, str) and record.dtype in BY_NAME):
        raise ValueError(record.name)
    return record


def to_stored(array: np.ndarray) -> np.ndarray:
    """The stored form of an array: row-major, complex numbers as pairs along a new last axis; bits are kept.

    >>> to_stored(np.array(1 + 2j))
    array([1., 2.])
    """
    contiguous = np.asarray(array, order="C")  # not ascontiguousarray, which gives scalars an axis
    part = COMPONENT_DTYPES.get(array.dtype.name)
    return contiguous if part is None else contiguous.reshape(-1).view(part).reshape(*array.shape, 2)


def from_stored(array: np.ndarray, record: Record) -> np.ndarray:
    """The array of a record from its stored form."""
    return array.reshape(-1).view(BY_NAME[record.dtype].numpy).reshape(record.shape)
