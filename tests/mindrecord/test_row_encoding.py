"""Rows as MessagePack: every size of numbers and texts, and damaged bytes."""

import random
import struct

import pytest

from minigraph.mindrecord.row_encoding import decode_row, encode_row

EDGES = [sign * 2**bits + more for bits in (0, 5, 7, 8, 15, 16, 31, 32, 62) for sign in (1, -1) for more in (-1, 0, 1)]
VALUES = [*EDGES, 2**63 - 1, -(2**63), 2**64 - 1, 0.0, -0.5, 0.1, 1e300, 1e-46, float("inf"),
          *("é" * n for n in (0, 15, 16, 127, 128, 32767, 32768))]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(value)[:12])
def test_values_come_back_and_are_cut_off_nowhere(value: int | float | str) -> None:
    data = encode_row({"x": value})
    assert decode_row(data) == {"x": value}
    assert type(decode_row(data)["x"]) is type(value)
    for size in {0, 1, len(data) // 2, len(data) - 1}:
        with pytest.raises(ValueError, match="cut off"):
            decode_row(data[:size])
    with pytest.raises(ValueError, match="bytes follow"):
        decode_row(data + b"\0")


def test_numbers_take_the_fewest_bytes() -> None:
    assert [len(encode_row({"x": value})) - 3 for value in (0, -32, 128, -33, 256, 2**16, 2**32)] == [
        1,
        1,
        2,
        2,
        3,
        5,
        9,
    ]
    assert encode_row({"x": 0.5})[3:] == b"\xca" + struct.pack(">f", 0.5)
    assert encode_row({"x": 0.1})[3:] == b"\xcb" + struct.pack(">d", 0.1)
    assert decode_row(encode_row({f"f{i}": i for i in range(300)})) == {f"f{i}": i for i in range(300)}
    for value in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError, match="64 bits"):
            encode_row({"x": value})


def test_other_bytes_are_refused_and_take_no_memory() -> None:
    for data in (b"\xdb\xff\xff\xff\xff", b"\x81\x01\x01", b"\x81\xa1x\xc0", b"\x81\xa1x\x91\x01",
                 b"\x81\xa1x\xdb\xff\xff\xff\xff",
                 b"\x81\xa2\xff\xff\x01"):  # fmt: skip
        with pytest.raises(ValueError, match=r".*"):
            decode_row(data)
    rng = random.Random(0)
    for _ in range(3000):
        data = bytearray(encode_row({"x": 3, "text": "words", "y": 0.1}))
        data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            decode_row(bytes(data))
        except ValueError:
            continue
