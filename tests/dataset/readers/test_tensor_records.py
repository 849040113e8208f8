"""TFRecord files; tests/differential compares ``TFRecordDataset`` with MindSpore."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import minigraph.dataset as ds
from minigraph.dataset.readers.tensor_records import masked_checksum, read_examples

ROW = b"\x0a\x0e\x0a\x0c\x0a\x01x\x12\x07\x1a\x05\x0a\x03\x01\x02\x03"  # one feature x: 1, 2, 3


def record(content: bytes) -> bytes:
    size = struct.pack("<Q", len(content))
    return b"".join(part + struct.pack("<I", masked_checksum(part)) for part in (size, content))


def test_rows_of_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(record(ROW) * 3)
    (tmp_path / "b").write_bytes(zlib.compress(record(ROW)))
    data = ds.TFRecordDataset([str(tmp_path / "a"), str(tmp_path / "b")], shuffle=False, compression_type="ZLIB")
    rows = [row[0].tolist() for row in data.batch(2).create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert rows == [[[1, 2, 3]] * 2] * 2
    assert data.get_dataset_size() == 4


def test_damaged_records(tmp_path: Path) -> None:
    # the first length is right, what follows is cut off, or no message
    path = tmp_path / "a"
    complete = record(ROW)
    for content in (
        complete[:-7],
        complete + complete[:11],
        record(ROW[:-1]),
        record(b"\x0a\xff\x01x"),
        record(b"\xff" * 20),
    ):
        path.write_bytes(content)
        with pytest.raises(RuntimeError, match="'a' has a damaged record at byte"):
            list(read_examples(path))
    path.write_bytes(b"\x1f\x8b and no more")
    with pytest.raises(RuntimeError, match="not valid TFRecordDataset files: a"):
        ds.TFRecordDataset(str(path))


def test_numbers_of_all_forms(tmp_path: Path) -> None:
    # a negative number takes ten bytes; numbers one by one, and floats one by one
    path = tmp_path / "a"
    negative = b"\xff" * 9 + b"\x01"
    numbers = b"\x1a" + bytes([2 + 11]) + b"\x0a\x0b" + b"\x05" + negative
    floats = b"\x12\x0a" + b"\x0d" + np.float32(1.5).tobytes() + b"\x0d" + np.float32(2).tobytes()
    entries = b"".join(b"\x0a" + bytes([5 + len(value)]) + b"\x0a\x01" + name + b"\x12" + bytes([len(value)]) + value
                       for name, value in ((b"n", numbers), (b"f", floats)))  # fmt: skip
    path.write_bytes(record(b"\x0a" + bytes([len(entries)]) + entries))
    (features,) = read_examples(path)
    assert {name: np.asarray(value).tolist() for name, value in features.items()} == {"n": [5, -1], "f": [1.5, 2.0]}
