"""Schemas: the fields of a row, which of them are in its blob (bytes and arrays), and rows as bytes.

A row is stored in two parts: a MessagePack map of the numbers and texts, and a blob of the bytes and arrays.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.mindrecord.errors import MRMBuildSchemaError, MRMInvalidSchemaError, MRMUnsupportedSchemaError
from minigraph.mindrecord.integer_compression import compress_integers, expand_integers
from minigraph.mindrecord.row_encoding import decode_row, encode_row

Row = dict[str, Any]
NUMBER_TYPES = ("int32", "int64", "float32", "float64")
TYPES = (*NUMBER_TYPES, "string", "bytes")
# the name of a value's Python type -> the types of fields that take it
ACCEPTED = {
    "int": NUMBER_TYPES[:2], "float": NUMBER_TYPES[2:], "str": ("string",), "bytes": ("bytes",),
    "ndarray": NUMBER_TYPES,
} | {name: (name,) for name in NUMBER_TYPES}  # fmt: skip
LENGTH_BYTES = 8  # before each field of a blob that has several
NO_NUMBERS = {"id": 0}  # the map of a schema whose fields are all in the blob
NO_BLOB = bytes(4)


class Schema:
    """The fields of a file, by name in sorted order, as ``{"type": ...}`` or ``{"type": ..., "shape": [...]}``.

    Raises ``MRMInvalidSchemaError``, or ``MRMBuildSchemaError`` for a shape with several sizes -1.

    >>> schema = Schema({"x": {"type": "int32"}, "data": {"type": "bytes"}})
    >>> schema.blob_fields, schema.decode(*schema.encode({"x": 1, "data": b"ab"})[:2])
    (['data'], {'x': 1, 'data': b'ab'})
    """

    def __init__(self, content: Mapping[str, Any], description: str = "") -> None:
        _check_content(content)
        self.fields: dict[str, dict[str, Any]] = {name: dict(content[name]) for name in sorted(content)}
        self.description = description
        self.blob_fields = [name for name, field in self.fields.items() if "shape" in field or field["type"] == "bytes"]
        self.plain_fields = [name for name in self.fields if name not in self.blob_fields]

    # ---- rows as bytes -----------------------------------------------------------------------------

    def encode(self, row: Mapping[str, Any]) -> tuple[bytes, bytes, int]:
        """(map, blob, bytes saved by compression); raises ``RuntimeError`` for an empty blob or a large integer."""
        plain = {name: _python_value(row[name]) for name in self.plain_fields}
        parts = [self._encode_field(name, row[name]) for name in self.blob_fields]
        saved = sum(size - len(data) for data, size in parts)
        blobs = [data for data, _ in parts]
        if blobs == [b""]:
            raise ArgRuntimeError(f"FileWriter: the only blob {self.blob_fields[0]!r} of a row is empty; leave it out")
        blob = blobs[0] if len(blobs) == 1 else b"".join(len(x).to_bytes(LENGTH_BYTES, "big") + x for x in blobs)
        try:
            return encode_row(plain or NO_NUMBERS), blob if blobs else NO_BLOB, saved
        except OverflowError as error:
            raise ArgRuntimeError(f"FileWriter: {error}; store it as a string") from None

    def _encode_field(self, name: str, value: Any) -> tuple[bytes, int]:
        """(the bytes of a bytes or array field, their number before compression)."""
        kind = self.fields[name]["type"]
        if kind == "bytes":
            return value, len(value)
        array = np.asarray(value, kind)
        if kind in ("int32", "int64"):
            return compress_integers(array), array.nbytes
        return np.ascontiguousarray(array).tobytes(), array.nbytes

    def decode(self, plain: bytes, blob: bytes, fields: Sequence[str] | None = None) -> Row:
        """The fields of a row, all by default: first numbers and texts, then bytes and arrays.

        Raises ``RuntimeError`` for bytes that are no row of the schema.
        """
        selected = self.fields if fields is None else fields
        try:
            stored = decode_row(plain)
            row: Row = {name: self._check_plain(name, stored[name]) for name in self.plain_fields if name in selected}
            blobs = dict(zip(self.blob_fields, self._split(blob), strict=True)) if self.blob_fields else {}
            names = self.blob_fields if fields is None else [name for name in fields if name in blobs]
            return row | {name: self._decode_field(name, blobs[name]) for name in names}
        except KeyError as error:
            raise ArgRuntimeError(f"mindrecord: a row has no field {error}; write the file again") from None
        except ValueError as error:
            raise ArgRuntimeError(f"mindrecord: damaged row: {error}; write the file again") from None

    def _check_plain(self, name: str, value: Any) -> Any:
        kind = self.fields[name]["type"]
        if isinstance(value, str) != (kind == "string") or (kind.startswith("int") and isinstance(value, float)):
            raise ValueError(f"{name!r} is no {kind}")
        return value

    def _split(self, blob: bytes) -> list[bytes]:
        """The bytes of each field of a blob."""
        if len(self.blob_fields) == 1:
            return [blob]
        parts, start = [], 0
        for _ in self.blob_fields:
            end = start + LENGTH_BYTES
            parts.append(blob[end : end + int.from_bytes(blob[start:end], "big")])
            start = end + int.from_bytes(blob[start:end], "big")
        if start != len(blob):
            raise ValueError("a blob does not have the length of its fields")
        return parts

    def _decode_field(self, name: str, data: bytes) -> Any:
        field = self.fields[name]
        kind = field["type"]
        if kind == "bytes":
            return data
        stored = np.dtype(kind).newbyteorder("<")
        values = expand_integers(data) if kind in ("int32", "int64") else np.frombuffer(data, stored)
        try:
            return values.astype(kind).reshape(field["shape"] or [-1])
        except ValueError:
            text = f"field {name!r} has {values.size} elements, which do not fit the shape {field['shape']}"
            raise MRMUnsupportedSchemaError(text) from None

    # ---- rows of the user --------------------------------------------------------------------------

    def mismatch(self, row: Mapping[str, Any]) -> str | None:
        """What is wrong with a row, or ``None``."""
        for name, field in self.fields.items():
            if name not in row:
                return f"there is not field: {name!r} in the raw data."
            value, kind = row[name], field["type"]
            type_name = type(value).__name__
            if kind not in ACCEPTED.get(type_name, ()) or (type_name == "ndarray" and str(value.dtype) != kind):
                return f"data type: {type_name!r} for field: {name!r} is not matched."
            if (type_name == "ndarray" or "shape" in field) and not _fits(np.asarray(value), field.get("shape")):
                return f"data shape: {np.shape(value)} for field: {name!r} is not matched."
        return None


def _fits(array: np.ndarray, shape: Sequence[int] | None) -> bool:
    if shape is None:
        return False
    try:
        array.reshape(tuple(shape))
    except (TypeError, ValueError):
        return False
    return True


def _python_value(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# ---- the schema ------------------------------------------------------------------------------------


def _check_content(content: object) -> None:
    """Raises ``MRMInvalidSchemaError`` or ``MRMBuildSchemaError`` unless the content is a schema."""
    if not content:
        raise MRMInvalidSchemaError("Schema content is empty.")
    if not isinstance(content, dict):
        raise MRMInvalidSchemaError("Schema content should be dict.")
    for name, field in content.items():
        if not isinstance(name, str) or not re.fullmatch(r"[0-9a-zA-Z_]+", name):
            raise MRMInvalidSchemaError(f"Field '{name}' should be composed of '0-9' or 'a-z' or 'A-Z' or '_'.")
        if not field or not isinstance(field, dict):
            raise MRMInvalidSchemaError(f"Field '{name}' should be dict.")
        if field.keys() not in ({"type"}, {"type", "shape"}):
            raise MRMInvalidSchemaError(f"Field '{field}' contains illegal attributes.")
        if field["type"] not in (NUMBER_TYPES if "shape" in field else TYPES):
            raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{field['type']}'.")
        _check_shape(name, field.get("shape", []))


def _check_shape(name: str, shape: object) -> None:
    if not isinstance(shape, list):
        raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{shape}'.")
    if any(isinstance(size, bool) or not isinstance(size, int) for size in shape):
        raise ArgRuntimeError(f"FileWriter: the sizes of field {name!r} must be ints, got {shape}")
    if shape.count(-1) > 1 or min(shape, default=0) < -1 or abs(math.prod(shape)) > 2**40:
        raise MRMBuildSchemaError(f"the shape {shape} of field {name!r} has several unknown sizes, or too large ones")
