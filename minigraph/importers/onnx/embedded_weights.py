"""Weights embedded in an ONNX file: their bytes are removed before protobuf parses it, which would copy them twice.

A protobuf message is a sequence of fields: a tag (field number << 3 | wire type), then a length and that many bytes, or
a number. A model's field 7 is its graph, whose fields 5 are initializers, whose field 9 is ``raw_data``.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

MIN_DETACHED_BYTES = 1 << 16  # raw data of an initializer; smaller ones stay in the file that protobuf parses
COPY_CHUNK_BYTES = 1 << 24  # of a weight copied at a time
GRAPH, INITIALIZER, RAW_DATA = 7, 5, 9  # field numbers
VARINT, FIXED64, LENGTH_DELIMITED, FIXED32 = 0, 1, 2, 5  # wire types
Weights = dict[int, memoryview]  # by the position of the initializer


class Field(NamedTuple):
    """A field: its number, its wire type, the positions at which it and its content begin, and where it ends."""

    number: int
    wire_type: int
    start: int
    begin: int
    end: int


def read_file(path: Path) -> tuple[bytes, Weights]:
    """The bytes of a model file without large weights, and these, mapped; raises ``OSError``.

    Pipes and devices, which may never end, are not opened.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size < MIN_DETACHED_BYTES:
            return file.read(), {}
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    return detach_weights(data)


def aligned_copy(raw: bytes | memoryview, array: np.ndarray) -> np.ndarray:
    """A copy of an array over ``raw``; pages of a mapped file leave memory once they are copied."""
    copy = np.empty_like(array)
    if not isinstance(raw, memoryview) or not isinstance(raw.obj, mmap.mmap) or not hasattr(mmap, "MADV_DONTNEED"):
        copy[...] = array
        return copy
    target, data = copy.reshape(-1).view(np.uint8), raw.obj
    start = array.ctypes.data - np.frombuffer(data, np.uint8).ctypes.data
    for at in range(0, len(raw), COPY_CHUNK_BYTES):
        end = min(at + COPY_CHUNK_BYTES, len(raw))
        target[at:end] = np.frombuffer(raw[at:end], np.uint8)
        page = (start + at) // mmap.PAGESIZE * mmap.PAGESIZE
        data.madvise(mmap.MADV_DONTNEED, page, start + end - page)
    return copy


def detach_weights(data: memoryview) -> tuple[bytes, Weights]:
    """A model's bytes without the raw data of large initializers, and that data; all bytes if it is malformed."""
    try:
        graphs = [field for field in fields(data, 0, len(data)) if field.number == GRAPH]
        if len(graphs) != 1 or graphs[0].wire_type != LENGTH_DELIMITED:
            return bytes(data), {}
        graph, weights = graphs[0], Weights()
        content = b"".join(_without_raw_data(data, graph, weights))
    except (ValueError, IndexError):  # protobuf reports the error
        return bytes(data), {}
    head, tail = bytes(data[: graph.start]), bytes(data[graph.end :])
    return b"".join((head, _tag(GRAPH), _varint(len(content)), content, tail)), weights


def _without_raw_data(data: memoryview, graph: Field, weights: Weights) -> Iterator[bytes]:
    """The fields of a graph; the raw data of large initializers goes to ``weights``."""
    position = 0
    for field in fields(data, graph.begin, graph.end):
        if field.number != INITIALIZER or field.wire_type != LENGTH_DELIMITED:
            yield bytes(data[field.start : field.end])
            continue
        inner = list(fields(data, field.begin, field.end)) if field.end - field.begin >= MIN_DETACHED_BYTES else []
        raw = [part for part in inner if part.number == RAW_DATA and part.wire_type == LENGTH_DELIMITED]
        if len(raw) == 1:
            weights[position] = data[raw[0].begin : raw[0].end]
            content = b"".join(bytes(data[part.start : part.end]) for part in inner if part is not raw[0])
            yield b"".join((_tag(INITIALIZER), _varint(len(content)), content))
        else:
            yield bytes(data[field.start : field.end])
        position += 1


def fields(data: memoryview, at: int, end: int) -> Iterator[Field]:
    """The fields of a message; raises ``ValueError`` or ``IndexError`` unless they end at its end."""
    while at < end:
        start = at
        key, at = _read_varint(data, at)
        wire_type, begin = key & 7, at
        if wire_type == LENGTH_DELIMITED:
            length, begin = _read_varint(data, at)
            at = begin + length
        elif wire_type == VARINT:
            _, at = _read_varint(data, at)
        elif wire_type in (FIXED32, FIXED64):
            at += 4 if wire_type == FIXED32 else 8
        else:
            raise ValueError(f"wire type {wire_type}")
        if at > end:
            raise ValueError("a field ends after its message")
        yield Field(key >> 3, wire_type, start, begin, at)


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """A varint (groups of 7 bits, the lowest first), and the position after it."""
    number = shift = 0
    while shift < 70:
        byte = data[at]
        number, at, shift = number | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return number, at
    raise ValueError("a number is too long")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _tag(number: int) -> bytes:
    return _varint(number << 3 | LENGTH_DELIMITED)
