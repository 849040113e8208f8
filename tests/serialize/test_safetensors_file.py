import json

import numpy as np
import pytest

from minigraph.serialize.safetensors_file import STORED_DTYPES, FormatError, SafetensorsFile, encode

ARRAYS = {
    name: np.arange(6).reshape(2, 3).astype(dtype.numpy) for name, dtype in STORED_DTYPES.items()
} | {"scalar": np.array(2.5, np.float32), "empty": np.zeros((2, 0), np.int64)}  # fmt: skip


def write_content(path, content):
    path.write_bytes(content)
    return path


def test_a_written_file_reads_back(tmp_path):
    file = SafetensorsFile(write_content(tmp_path / "a", encode(ARRAYS, {"format": "ours"})))
    assert file.metadata == {"format": "ours"} and set(file.entries) == set(ARRAYS)
    for name, array in ARRAYS.items():
        again = file.array(name)
        assert (again.dtype, again.shape) == (array.dtype, array.shape) and np.array_equal(again, array)
        assert again.flags.writeable


def test_the_library_reads_our_files_and_we_read_its_files(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    arrays = {name: array for name, array in ARRAYS.items() if name != "BF16"}  # its functions for numpy lack bfloat16
    loaded = library.load(encode(arrays, {}))
    assert all(
        np.array_equal(loaded[name], array) and loaded[name].dtype == array.dtype for name, array in arrays.items()
    )
    library.save_file(arrays, tmp_path / "b", metadata={"by": "the library"})
    file = SafetensorsFile(tmp_path / "b")
    assert file.metadata == {"by": "the library"}
    assert all(np.array_equal(file.array(name), array) for name, array in arrays.items())


def file_bytes(header, data=b"\0" * 8):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def tensor(begin=0, end=8, dtype="F32", shape=(2,)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


WRONG = {
    "an empty file": b"",
    "a header longer than the file": (99).to_bytes(8, "little") + b"{}",
    "an enormous header": b"\xff" * 8 + b"{}",
    "no JSON": file_bytes(b"not json"),
    "not UTF-8": file_bytes(b"\xff{}"),
    "a deep list": file_bytes(b"[" * 100_000),
    "a list": file_bytes([]),
    "a name twice": file_bytes(b'{"a": {}, "a": {}}'),
    "metadata of numbers": file_bytes({"__metadata__": {"a": 1}}, b""),
    "no fields": file_bytes({"a": {}}),
    "a list for a tensor": file_bytes({"a": [1]}),
    "an unknown dtype": file_bytes({"a": tensor(dtype="X9")}),
    "a list for a dtype": file_bytes({"a": tensor(dtype=["F32"])}),
    "a negative size": file_bytes({"a": tensor(shape=(-2,))}),
    "a size that is no number": file_bytes({"a": tensor(shape=("2",))}),
    "too few bytes": file_bytes({"a": tensor(end=4)}),
    "a gap": file_bytes({"a": tensor(4, 8, shape=(1,))}),
    "an overlap": file_bytes({"a": tensor(), "b": tensor()}),
    "data after the last tensor": file_bytes({"a": tensor()}, b"\0" * 9),
    "data cut off": file_bytes({"a": tensor()}, b"\0" * 7),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_file_that_is_not_valid_is_refused(tmp_path, wrong):
    with pytest.raises(FormatError):
        SafetensorsFile(write_content(tmp_path / "a", wrong))
