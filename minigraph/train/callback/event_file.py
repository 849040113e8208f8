"""TensorBoard's event files: records of a length, a message and their checksums; messages are protocol buffers.

The numbers of the fields are those of TensorFlow's ``event.proto`` and ``summary.proto``.
"""

from __future__ import annotations

import socket
import struct
import time
import zlib
from pathlib import Path

import numpy as np

from minigraph.core.errors import ShapeError

POLYNOMIAL = 0x82F63B78  # of CRC-32C, bits reversed
MASK = 0xA282EAD8  # added to the rotated checksum of a record
VARINT, DOUBLE, BYTES, FLOAT = 0, 1, 2, 5  # kinds of fields
BUCKETS = 30
COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # number of channels -> PNG's number for it


def _crc_table() -> list[int]:
    table = list(range(256))
    for _ in range(8):
        table = [crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0) for crc in table]
    return table


CRC_TABLE = _crc_table()


class EventFile:
    """A new event file in a folder, which is created if it does not exist; values are added under tags and steps."""

    def __init__(self, folder: Path, suffix: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{time.time_ns()}.{socket.gethostname()}{suffix}"
        self._file = open(folder / name, "wb")  # noqa: SIM115 - it stays open
        self._write(_field(3, b"brain.Event:2"))

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        """A number."""
        self._add(tag, _field(2, float(value), FLOAT), step)

    def add_histogram(self, tag: str, values: np.ndarray, step: int) -> None:
        """The distribution of numbers."""
        finite = values[np.isfinite(values)].astype(np.float64)
        counts, edges = np.histogram(finite, BUCKETS) if finite.size else (np.zeros(1), np.zeros(2))
        moments = (finite.min(initial=0), finite.max(initial=0), finite.size, finite.sum(), (finite**2).sum())
        if finite.size:
            moments = (finite.min(), finite.max(), *moments[2:])
        message = b"".join(_field(number, float(moment), DOUBLE) for number, moment in enumerate(moments, 1))
        message += _field(6, edges[1:].astype("<f8").tobytes()) + _field(7, counts.astype("<f8").tobytes())
        self._add(tag, _field(5, message), step)

    def add_images(self, tag: str, images: np.ndarray, step: int) -> None:
        """Images [N, C, H, W] of numbers from 0 to 1, or of uint8; raises ``ShapeError`` for other shapes."""
        if images.ndim != 4 or images.shape[1] not in COLOR_TYPES:
            raise ShapeError(f"images '{tag}': shape {list(images.shape)}; needs [N, C, H, W] with 1 to 4 channels")
        pixels = images if images.dtype == np.uint8 else np.clip(np.nan_to_num(images) * 255, 0, 255).astype(np.uint8)
        for number, image in enumerate(pixels):
            channels, height, width = image.shape
            sizes = b"".join(_field(at, size, VARINT) for at, size in enumerate((height, width, channels), 1))
            self._add(f"{tag}/{number}" if len(pixels) > 1 else tag, _field(4, sizes + _field(4, png(image))), step)

    def flush(self) -> None:
        """Writes what is buffered."""
        self._file.flush()

    def close(self) -> None:
        """Writes what is buffered, and closes the file."""
        self._file.close()

    def _add(self, tag: str, value: bytes, step: int) -> None:
        summary = _field(1, _field(1, tag.encode()) + value)
        self._write(_field(2, step, VARINT) + _field(5, summary))

    def _write(self, message: bytes) -> None:
        event = _field(1, time.time(), DOUBLE) + message
        length = struct.pack("<Q", len(event))
        self._file.write(length + checksum(length) + event + checksum(event))


def _field(number: int, value: float | bytes, kind: int = BYTES) -> bytes:
    """One field of a message."""
    head = _varint(number << 3 | kind)
    if isinstance(value, bytes):
        return head + _varint(len(value)) + value
    return head + (_varint(int(value)) if kind == VARINT else struct.pack("<d" if kind == DOUBLE else "<f", value))


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value >= 0x80:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*digits, value))


def checksum(data: bytes) -> bytes:
    """The masked CRC-32C of a record's length or message.

    >>> checksum(b"123456789").hex()
    'e5b08ac7'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + MASK) & 0xFFFFFFFF)


def png(image: np.ndarray) -> bytes:
    """An image [C, H, W] of uint8 as a PNG file.

    >>> png(np.zeros((1, 2, 2), np.uint8))[1:4]
    b'PNG'
    """
    channels, height, width = image.shape
    rows = image.transpose(1, 2, 0).reshape(height, width * channels)
    header = struct.pack(">IIBBBBB", width, height, 8, COLOR_TYPES[channels], 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows))
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
