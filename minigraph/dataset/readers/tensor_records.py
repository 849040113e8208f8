"""Rows of TFRecord files: records of features by name, in the wire format of protocol buffers."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.dataset.readers.reader_arguments import Shuffle, check_instance, check_shards, matching_files
from minigraph.dataset.readers.schema import Schema, schema_of_rows
from minigraph.dataset.readers.text_files import GLOBAL, RowFiles

CASTAGNOLI = 0x82F63B78  # the reversed polynomial of CRC-32C
MASK_DELTA, WORD = 0xA282EAD8, 0xFFFFFFFF
VARINT, BYTES, FIXED32, FIXED64 = 0, 2, 5, 1  # wire types
Feature = list[bytes] | np.ndarray
Features = Mapping[str, Feature]


class TFRecordDataset(RowFiles):
    """The rows of TFRecord files: each record is a ``tf.train.Example``.

    ``schema`` is a ``Schema``, the path of its JSON file, or ``None``: then the columns are the features of the first
    record, sorted, as Float32, Int64 and UInt8 vectors (texts are padded with spaces to one length). ``columns_list``
    selects columns. Shards are files, or with ``shard_equal_rows`` equal parts of the rows. ``compression_type`` is "",
    "GZIP" or "ZLIB". The other arguments are those of ``TextFileDataset``.

    Raises ``ValueError`` for a pattern without a file, ``RuntimeError`` for files in another format, unknown columns,
    values that do not have the column's shape, and fewer files than shards.
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        schema: Schema | str | None = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: object = None,
        compression_type: str | None = None,
    ) -> None:
        files = matching_files(dataset_files)
        described = schema if isinstance(schema, Schema | None) else schema_of_rows(schema)
        if columns_list is not None:
            check_instance("columns_list", columns_list, (list,))
        _check_compression(compression_type)
        invalid = [path.name for path in files if not _is_record_file(path)]
        if invalid:
            problem = f"either cannot be opened, or are not valid TFRecordDataset files: {', '.join(invalid)}"
            raise ArgRuntimeError(f"Invalid file. The following files {problem}")
        columns = _choose_columns(described, columns_list, files)
        shards, shard = check_shards(num_shards, shard_id)
        if shards > 1 and not shard_equal_rows:
            files, num_shards, shard_id = _share_of_files(files, shards, shard), None, None

        def read(path: Path) -> Iterator[list[np.ndarray]]:
            return ([as_column(features, column, path) for column in columns] for features in read_examples(path))

        limit = described.num_rows if num_samples is None and described is not None else num_samples
        super().__init__(files, [column["name"] for column in columns], read, limit, shuffle, num_shards, shard_id)


# ---- arguments -------------------------------------------------------------------------------------


def _check_compression(kind: object) -> None:
    if kind not in (None, "", "ZLIB", "GZIP"):
        choices = "'' (no compression), 'ZLIB', or 'GZIP'"
        raise ArgValueError(f"Input compression_type can only be either {choices}, but got {kind!r}.")


def _share_of_files(files: Sequence[Path], shards: int, shard: int) -> list[Path]:
    if len(files) < shards:
        problem = f"but got numbers of tfrecord files: {len(files)}, and num_shards: {shards}"
        raise ArgRuntimeError(
            f"Invalid file, numbers of tfrecord file should not less than num_shards when shard_equal_rows is false, "
            f"{problem}."
        )
    return list(files[shard::shards])


def _choose_columns(schema: Schema | None, chosen: Sequence[str] | None, files: Sequence[Path]) -> list[dict[str, Any]]:
    """The columns to read, with their types and shapes; raises ``RuntimeError`` for an unknown one."""
    columns = _columns_of_first_record(files[0]) if schema is None else schema.columns
    by_name = {column["name"]: column for column in columns}
    for name in chosen or ():
        if name not in by_name:
            raise ArgRuntimeError(f"Invalid columns_list, tfrecord file failed to find column name: {name}")
    return [by_name[name] for name in chosen or by_name]


def _columns_of_first_record(path: Path) -> list[dict[str, Any]]:
    features = next(iter(read_examples(path)), {})
    return [{"name": name, "type": "bytes" if isinstance(value, list) else value.dtype.name}
            for name, value in sorted(features.items())]  # fmt: skip


def as_column(features: Features, column: Mapping[str, Any], path: Path) -> np.ndarray:
    """The feature of a column as an array; raises ``RuntimeError`` if there is none, or of another shape.

    >>> as_column({"x": np.array([1, 2])}, {"name": "x", "type": "int32", "shape": [2, 1]}, Path("a")).tolist()
    [[1], [2]]
    """
    name, where = column["name"], f"The corresponding data file is: {path}."
    if name not in features:
        raise ArgRuntimeError(f"{where} Feature name: {name} is required in schema but could not be found in tfrecord.")
    values = _cast(features[name], column["type"])
    shape = column.get("shape")
    try:
        return values if shape is None else values.reshape(shape)
    except ValueError:
        sizes = f"{shape} and {list(values.shape)}"
        raise ArgRuntimeError(
            f"{where} Column shape of {name} defined in schema does not match the shape actually load, got {sizes}."
        ) from None


def _cast(values: Feature, kind: str) -> np.ndarray:
    if not isinstance(values, list):
        return values.astype(str if kind == "string" else kind)
    if kind == "string":
        return np.array([value.decode("utf-8", "replace") for value in values])
    if kind == "bytes":  # without a schema: one length for all
        width = max(map(len, values), default=0)
        values = [value.ljust(width) for value in values]
    return np.frombuffer(b"".join(values), np.uint8)


# ---- records ---------------------------------------------------------------------------------------


def _content(path: Path) -> bytes:
    """The bytes of a file, decompressed if it is compressed."""
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    try:
        return content if _begins_with_record(content) else zlib.decompress(content)
    except zlib.error:
        return content


def _is_record_file(path: Path) -> bool:
    try:
        return _begins_with_record(_content(path))
    except (OSError, EOFError, zlib.error) as error:
        reraise_handler_error(error)
        return False


def _begins_with_record(content: bytes) -> bool:
    """Whether the first eight bytes, a length, have the checksum that follows them."""
    return len(content) >= 12 and struct.unpack_from("<I", content, 8) == (masked_checksum(content[:8]),)


@cache
def _checksum_table() -> list[int]:
    table = list(range(256))
    for _ in range(8):
        table = [(value >> 1) ^ (CASTAGNOLI if value & 1 else 0) for value in table]
    return table


def masked_checksum(content: bytes) -> int:
    """The CRC-32C of bytes, rotated and shifted as TFRecord files store it.

    >>> hex(masked_checksum(b"123456789"))
    '0xc78ab0e5'
    """
    table, value = _checksum_table(), WORD
    for byte in content:
        value = table[(value ^ byte) & 255] ^ (value >> 8)
    value ^= WORD
    return ((value >> 15 | value << 17) + MASK_DELTA) & WORD


def read_examples(path: Path) -> Iterator[Features]:
    """The features of every record of a file; raises ``RuntimeError`` for a damaged record."""
    content, start = _content(path), 0
    while start < len(content):
        try:
            (length,) = struct.unpack_from("<Q", content, start)
            if start + 16 + length > len(content):
                raise ValueError
            yield _features(memoryview(content)[start + 12 : start + 12 + length])
        except (ValueError, IndexError, struct.error, UnicodeDecodeError):
            raise ArgRuntimeError(f"TFRecordDataset: {path.name!r} has a damaged record at byte {start}") from None
        start += 16 + length


# ---- protocol buffers ------------------------------------------------------------------------------


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """(an integer of seven bits per byte, the position after it)."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """The (number, value) of every field of a message: ints, or bytes for other wire types."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == BYTES:
            size, at = _varint(data, at)
        else:
            size = {FIXED32: 4, FIXED64: 8}.get(kind, len(data) + 1)
        if at + size > len(data):
            raise ValueError
        yield number, data[at : at + size]
        at += size


def _features(example: memoryview) -> Features:
    """The features of an ``Example``, by name."""
    entries = [dict(_fields(entry)) for _, features in _fields(example) for _, entry in _fields(features)]
    return {bytes(entry[1]).decode(): _values(entry[2]) for entry in entries if 2 in entry}


def _values(feature: memoryview) -> Feature:
    """The values of a ``Feature``: a list of bytes, floats (float32) or integers (int64)."""
    for kind, values in _fields(feature):
        if kind == 1:
            return [bytes(value) for _, value in _fields(values)]
        if kind == 2:
            return np.frombuffer(b"".join(bytes(value) for _, value in _fields(values)), "<f4")
        return np.array(list(_integers(values)), np.uint64).astype(np.int64)
    return []


def _integers(values: memoryview) -> Iterator[int]:
    """The integers of a list, one per field or packed into one."""
    for _, value in _fields(values):
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            yield number
