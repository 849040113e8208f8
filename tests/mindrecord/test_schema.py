"""Schemas: rows as bytes and back, rows that do not fit, and damaged rows; tests/differential has the errors."""

import numpy as np
import pytest

from minigraph.mindrecord.errors import MRMBuildSchemaError, MRMUnsupportedSchemaError
from minigraph.mindrecord.schema import Schema

FIELDS = {
    "x": {"type": "int32"}, "s": {"type": "string"}, "b": {"type": "bytes"}, "f": {"type": "float32", "shape": [-1]},
    "a": {"type": "int64", "shape": [2, -1]},
}  # fmt: skip
ROW = {"x": 3, "s": "text", "b": b"bytes", "f": np.array([0.5, 2.0], np.float32), "a": np.arange(4).reshape(2, 2)}


def test_a_row_round_trips_in_field_order() -> None:
    schema = Schema(FIELDS)
    plain, blob, _ = schema.encode(ROW)
    row = schema.decode(plain, blob)
    assert list(row) == ["s", "x", "a", "b", "f"]
    assert all(np.array_equal(row[name], ROW[name]) for name in FIELDS)
    assert row["a"].dtype == np.int64
    assert row["f"].dtype == np.float32
    assert list(schema.decode(plain, blob, ["b", "s"])) == ["s", "b"]


def test_rows_of_one_kind_of_field() -> None:
    numbers, blobs = Schema({"x": {"type": "int32"}}), Schema({"b": {"type": "bytes"}})
    assert numbers.decode(*numbers.encode({"x": 1})[:2]) == {"x": 1}
    assert blobs.decode(*blobs.encode({"b": b"a"})[:2]) == {"b": b"a"}
    with pytest.raises(RuntimeError, match="'b' of a row is empty"):
        blobs.encode({"b": b""})
    with pytest.raises(RuntimeError, match="64 bits"):
        numbers.encode({"x": 2**70})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"x": 1.5}, "data type: 'float' for field: 'x'"),
        ({"x": True}, "data type: 'bool'"),
        ({"x": np.int64(1)}, "data type: 'int64'"),
        ({"f": np.ones(2)}, "data type: 'ndarray'"),
        ({"a": np.arange(3)}, "data shape: (3,) for field: 'a'"),
        ({"a": 3}, "data shape: () for field: 'a'"),
        ({"s": b"bytes"}, "data type: 'bytes'"),
    ],
)
def test_rows_that_do_not_fit(change: dict[str, object], problem: str) -> None:
    assert problem in str(Schema(FIELDS).mismatch(ROW | change))
    assert Schema(FIELDS).mismatch(ROW | {"more": 1}) is None
    assert "not field: 'x'" in str(Schema(FIELDS).mismatch({name: ROW[name] for name in FIELDS if name != "x"}))


def test_damaged_rows_are_refused() -> None:
    schema = Schema(FIELDS)
    plain, blob, _ = schema.encode(ROW)
    for wrong in (
        (plain[:-1], blob),
        (b"", blob),
        (plain, blob[:-1]),
        (plain, blob + b"a"),
        (plain, b"\xff" * 40),
        (b"\x80", blob),
    ):
        with pytest.raises(RuntimeError, match="write the file again"):
            schema.decode(*wrong)
    other = Schema(FIELDS | {"x": {"type": "string"}})
    with pytest.raises(RuntimeError, match="'x' is no string"):
        other.decode(plain, blob)
    with pytest.raises(MRMUnsupportedSchemaError, match="do not fit the shape"):
        Schema(FIELDS | {"a": {"type": "int64", "shape": [3, -1]}}).decode(plain, blob)


def test_shapes_that_are_refused() -> None:
    for shape in ([-1, -1], [-2], [2**30, 2**30]):
        with pytest.raises(MRMBuildSchemaError):
            Schema({"a": {"type": "int32", "shape": shape}})
    with pytest.raises(RuntimeError, match="must be ints"):
        Schema({"a": {"type": "int32", "shape": ["a"]}})
