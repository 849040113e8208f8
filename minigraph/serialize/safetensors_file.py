"""The file format `safetensors <https://github.com/huggingface/safetensors>`_, written and read with numpy alone.

A file is the length of its header (8 bytes, little-endian), the header (a JSON object), and the bytes of all tensors,
row-major and little-endian, without gaps. The header has for each tensor its dtype, its shape and where its bytes begin
and end, and under ``__metadata__`` strings by name.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.types import DTYPES, dtype_of

METADATA = "__metadata__"
LENGTH_BYTES = 8  # size of the field with the header's length
ALIGNMENT_BYTES = 8  # of the first tensor: the header is padded with spaces
MAX_HEADER_BYTES = 100_000_000  # as in the reference implementation
STORED_DTYPES = {dtype.short.upper(): dtype for dtype in DTYPES if dtype.kind in "bif"}


class FormatError(ValueError):
    """The content of a file is not valid safetensors."""


def encode(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """The bytes of a file with these arrays, larger elements first, and this metadata.

    >>> len(encode({"w": np.zeros(3, np.float32)}, {}))
    100
    """
    names = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {METADATA: dict(metadata)}
    chunks, end = [], 0
    for name in names:
        array = arrays[name]
        begin, end = end, end + array.nbytes
        header[name] = {
            "dtype": dtype_of(array).short.upper(),
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
        chunks.append(_little_endian(np.asarray(array, order="C")).tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT_BYTES)
    return b"".join((len(text).to_bytes(LENGTH_BYTES, "little"), text, *chunks))


class Entry(NamedTuple):
    """One tensor of a file: the name of its dtype, its shape, and where its bytes begin and end after the header."""

    dtype: str
    shape: list[int]
    begin: int
    end: int


class SafetensorsFile:
    """An opened file: ``entries`` by name, ``metadata``, and the arrays.

    Raises ``FormatError`` for a file that is not valid, ``OSError`` for one that cannot be read.
    """

    def __init__(self, path: Path) -> None:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(LENGTH_BYTES), "little")
            if size < LENGTH_BYTES or length > min(size - LENGTH_BYTES, MAX_HEADER_BYTES):
                raise FormatError("the header is longer than the file")
            header = _header(file.read(length))
            self.metadata: dict[str, str] = _metadata(header.pop(METADATA, {}))
            self.entries = {name: _entry(name, fields) for name, fields in header.items()}
            _check_ranges(self.entries, size - LENGTH_BYTES - length)
            self._data = file.read()

    def array(self, name: str) -> np.ndarray:
        """A copy of a tensor as an array."""
        entry = self.entries[name]
        dtype = STORED_DTYPES[entry.dtype]
        stored = np.frombuffer(self._data, f"u{dtype.itemsize}", math.prod(entry.shape), entry.begin)
        return _little_endian(stored).copy().view(dtype.numpy).reshape(entry.shape)


def _little_endian(array: np.ndarray) -> np.ndarray:
    """The array with the bytes of each element swapped if the machine is big-endian."""
    return array if sys.byteorder == "little" else array.view(f"u{array.itemsize}").byteswap()


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=_dict_of_unique)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise FormatError("the header is not a JSON object")
    return header


def _dict_of_unique(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise FormatError("the header contains a name twice")
    return dict(pairs)


def _metadata(fields: object) -> dict[str, str]:
    if not isinstance(fields, dict) or not all(isinstance(value, str) for value in fields.values()):
        raise FormatError("the metadata must map names to strings")
    return fields


def _entry(name: str, fields: Any) -> Entry:
    try:
        entry = Entry(fields["dtype"], fields["shape"], *fields["data_offsets"])
    except (TypeError, KeyError):
        raise FormatError(f"the header entry of '{name}' is incomplete") from None
    numbers = [*entry.shape, entry.begin, entry.end] if isinstance(entry.shape, list) else [None]
    is_stored_dtype = isinstance(entry.dtype, str) and entry.dtype in STORED_DTYPES
    if not is_stored_dtype or not all(type(number) is int and number >= 0 for number in numbers):
        raise FormatError(f"'{name}' has no valid dtype and shape")
    if entry.end - entry.begin != math.prod(entry.shape) * STORED_DTYPES[entry.dtype].itemsize:
        raise FormatError(f"the byte range of '{name}' does not match its shape")
    return entry


def _check_ranges(entries: Mapping[str, Entry], size: int) -> None:
    """Raise ``FormatError`` unless the tensors fill the rest of the file without gaps or overlaps."""
    end = 0
    for entry in sorted(entries.values(), key=lambda entry: (entry.begin, entry.end)):
        if entry.begin != end:
            raise FormatError("there are gaps between the tensors, or tensors overlap")
        end = entry.end
    if end != size:
        raise FormatError("the file does not end with the last tensor")
