"""``TensorProto`` to arrays: sizes are checked, external data stays within the model's folder, and is mapped."""

import os

import numpy as np
import pytest

import minigraph as ms
from minigraph.core.errors import ModelError
from minigraph.importers.onnx.tensors import array_of, dtype_of_code
from tests.tables import cases

onnx = pytest.importorskip("onnx")


def tensor(dims, raw=b"", code=1, **external):
    """A ``TensorProto`` with these bytes, or with external data."""
    proto = onnx.TensorProto(name="w", data_type=code, dims=dims)
    if not external:
        proto.raw_data = raw
        return proto
    proto.data_location = onnx.TensorProto.EXTERNAL
    for key, value in external.items():
        entry = proto.external_data.add()
        entry.key, entry.value = key, value
    return proto


@pytest.fixture
def folder(tmp_path):
    """A model's folder with 12 bytes of data, and symbolic links to a file and to a folder outside of it."""
    (tmp_path / "secret.bin").write_bytes(bytes(12))
    model_folder = tmp_path / "model"
    (model_folder / "sub").mkdir(parents=True)
    (model_folder / "w.bin").write_bytes(np.arange(3, dtype="<f4").tobytes())
    os.symlink(tmp_path / "secret.bin", model_folder / "link.bin")
    os.symlink(tmp_path, model_folder / "sub" / "up")
    return model_folder


@cases(
    (tensor([1 << 62], b"1234"), "has 4 bytes, its dims say 18,446,744,073,709,551,616"),
    (tensor([1 << 32, 1 << 32]), "has 0 bytes, its dims say 73,786,976,294,838,206,464"),
    (tensor([-1], b"1234"), "its dims [-1] are not sizes"),
    (tensor([2, 3], b"1234"), "has 4 bytes, its dims say 24"),
    (
        onnx.TensorProto(name="w", data_type=1, dims=[10**9], float_data=[1.0]),
        "has 1 values, its dims say 1,000,000,000",
    ),
    (tensor([3], bytes(12), code=77), "unknown element type 77"),
    (onnx.helper.make_tensor("w", 8, [1], [b"a"]), "tensors of string are not supported"),
    (tensor([3], code=1, location="w.bin"), "its data is in another file; load the model by its path"),
)
def test_dims_that_contradict_the_data_are_rejected(proto, message):
    with pytest.raises(ModelError) as error:
        array_of(proto, None)
    assert message in str(error.value)


@cases(
    *[({"location": path}, "is not a file in the model's folder") for path in (
        "../secret.bin", "/etc/passwd", "link.bin", "sub/up/secret.bin", "none.bin", "", "a\0b", "C:\\x", ".", "sub")],
    ({"location": "w.bin", "offset": "100"}, "ends at byte 112 of a file of 12"),
    ({"location": "w.bin", "offset": "-4"}, "the offset of its external data is '-4', not a number"),
    ({"location": "w.bin", "length": "4"}, "has 4 bytes, its dims say 12"),
)  # fmt: skip
def test_external_data_outside_of_the_folder_or_the_file_is_rejected(folder, entries, message):
    with pytest.raises(ModelError) as error:
        array_of(tensor([3], **entries), folder)
    assert message in str(error.value)
    assert sorted(os.listdir(folder)) == ["link.bin", "sub", "w.bin"]


def test_external_data_is_mapped_and_the_file_never_changes(folder):
    array = array_of(tensor([3], location="w.bin"), folder)
    assert array.tolist() == [0, 1, 2] and not array.flags.owndata
    array += 1
    assert (folder / "w.bin").read_bytes() == np.arange(3, dtype="<f4").tobytes()


def test_storage_types_are_converted_on_load():
    float8 = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT8E4M3FN, [2], [1.5, -2.0])
    int4 = onnx.helper.make_tensor("w", onnx.TensorProto.INT4, [3], [1, -8, 7])
    for proto, values, dtype in ((float8, [1.5, -2.0], np.float32), (int4, [1, -8, 7], np.int8)):
        array = array_of(proto, None)
        assert array.tolist() == values and array.dtype == dtype


def test_dtypes_by_code():
    assert dtype_of_code(1, "x") is ms.float32
    with pytest.raises(ModelError, match="x: tensors of string are not supported"):
        dtype_of_code(8, "x")


def test_external_data_at_an_odd_byte_is_aligned(folder):
    (folder / "odd.bin").write_bytes(b"x" + np.arange(3, dtype="<f4").tobytes())
    array = array_of(tensor([3], location="odd.bin", offset="1"), folder)
    assert array.flags.aligned and array.tolist() == [0, 1, 2]


@cases(
    (onnx.TensorProto.INT4, bytes([0x21, 0x0F]), [1, 2, -1]),
    (onnx.TensorProto.UINT4, bytes([0x21, 0x0F]), [1, 2, 15]),
    (onnx.TensorProto.FLOAT8E4M3FN, bytes([0x38, 0x3C, 0xC0]), [1, 1.5, -2]),
)
def test_elements_without_a_dtype_of_ours_are_widened(folder, code, data, numbers):
    (folder / "small.bin").write_bytes(data)
    for proto in (tensor([3], data, code), tensor([3], code=code, location="small.bin")):
        assert array_of(proto, folder).tolist() == numbers
