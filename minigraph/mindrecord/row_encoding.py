"""Rows as MessagePack maps from field to number or text: the subset of https://msgpack.org in MindRecord files."""

from __future__ import annotations

import struct
from collections.abc import Mapping

Value = int | float | str
# the first byte of a number -> its format; numbers are written in the first format that holds them
UNSIGNED = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q"}
SIGNED = {0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
FLOATS = {0xCA: ">f", 0xCB: ">d"}
LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}  # of text
MAPS = {0xDE: ">H"}  # numbers of fields
MAX_SHORT_FIELDS, MAX_SHORT_TEXT = 16, 32


def encode_row(row: Mapping[str, Value]) -> bytes:
    """The bytes of a row; raises ``OverflowError`` for an integer of more than 64 bits.

    >>> encode_row({"x": 7}).hex(), decode_row(encode_row({"name": "a", "x": -0.5}))
    ('81a17807', {'name': 'a', 'x': -0.5})
    """
    head = bytes([0x80 | len(row)]) if len(row) < MAX_SHORT_FIELDS else b"\xde" + struct.pack(">H", len(row))
    return head + b"".join(_encode_text(field) + _encode(value) for field, value in row.items())


def _encode(value: Value) -> bytes:
    if isinstance(value, str):
        return _encode_text(value)
    return _encode_float(value) if isinstance(value, float) else _encode_integer(value)


def _encode_text(text: str) -> bytes:
    data = text.encode()
    if len(data) < MAX_SHORT_TEXT:
        return bytes([0xA0 | len(data)]) + data
    return _first_that_fits(LENGTHS, len(data)) + data


def _encode_integer(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack(">b", value)
    return _first_that_fits(UNSIGNED if value > 0 else SIGNED, value)


def _first_that_fits(formats: Mapping[int, str], value: int) -> bytes:
    for code, form in formats.items():
        try:
            return bytes([code]) + struct.pack(form, value)
        except struct.error:
            continue
    raise OverflowError(f"{value} has more than 64 bits")


def _encode_float(value: float) -> bytes:
    """In 4 bytes if that changes nothing."""
    try:
        short = struct.pack(">f", value)
    except OverflowError:
        short = b""
    if short and struct.unpack(">f", short)[0] == value:
        return b"\xca" + short
    return b"\xcb" + struct.pack(">d", value)


# ---- decoding --------------------------------------------------------------------------------------


def decode_row(data: bytes) -> dict[str, Value]:
    """The row in these bytes; raises ``ValueError`` if they are no flat map of numbers and texts, and nothing more.

    >>> decode_row(bytes.fromhex("81a17807"))
    {'x': 7}
    """
    try:
        count, position = (data[0] & 15, 1) if data[0] >> 4 == 8 else _unpack(MAPS, data, 0)
        row: dict[str, Value] = {}
        for _ in range(int(count)):
            field, position = _decode(data, position)
            if not isinstance(field, str):
                raise ValueError("a field's name is no text")
            row[field], position = _decode(data, position)
    except (IndexError, KeyError, struct.error) as error:
        raise ValueError("a row is cut off, or has a value that is neither number nor text") from error
    if position != len(data):
        raise ValueError("bytes follow a row")
    return row


def _decode(data: bytes, position: int) -> tuple[Value, int]:
    """(value, position of the next one)."""
    code = data[position]
    if code < 0x80 or code >= 0xE0:  # a small integer
        return (code if code < 0x80 else code - 256), position + 1
    if code >> 5 == 0xA0 >> 5:
        return _text(data, position + 1, code & 31)
    if code in LENGTHS:
        length, start = _unpack(LENGTHS, data, position)
        return _text(data, start, int(length))
    return _unpack(UNSIGNED | SIGNED | FLOATS, data, position)


def _unpack(formats: Mapping[int, str], data: bytes, position: int) -> tuple[int | float, int]:
    form = formats[data[position]]
    (value,) = struct.unpack_from(form, data, position + 1)
    return value, position + 1 + struct.calcsize(form)


def _text(data: bytes, start: int, length: int) -> tuple[str, int]:
    if start + length > len(data):
        raise ValueError("a text is cut off")
    return data[start : start + length].decode(), start + length
