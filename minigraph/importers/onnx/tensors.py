"""Tensors of ONNX files as arrays: sizes are checked before memory is allocated, external data is mapped."""

from __future__ import annotations

import math
import mmap
import os
from pathlib import Path

import numpy as np

from minigraph.core.errors import ModelError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.types import DType, bfloat16, dtype_named, int8, uint8
from minigraph.importers.model import printable
from minigraph.importers.onnx.embedded_weights import aligned_copy
from minigraph.importers.onnx.library import Proto, onnx_library

DTYPES = {  # by the name of the element type
    "FLOAT": "float32", "DOUBLE": "float64", "FLOAT16": "float16", "BFLOAT16": "bfloat16", "BOOL": "bool",
    **{f"{sign}INT{n}": f"{sign.lower()}int{n}" for sign in ("", "U") for n in (8, 16, 32, 64)},
}  # fmt: skip
CODES = {  # ONNX's numbers of element types, by dtype
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16,
}  # fmt: skip
BITS = {"INT4": 4, "UINT4": 4, "INT2": 2, "UINT2": 2, "FLOAT4E2M1": 4}  # element types smaller than a byte
STORAGE = {"INT4": int8, "INT2": int8, "UINT4": uint8, "UINT2": uint8}  # their dtypes after loading
DATA_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data")
UNTRAINED = "not trained"  # the doc_string of an initializer whose Parameter needs no gradient, in files of ours
KEYS = {"location", "offset", "length", "checksum", "basepath"}  # of external data


def element_type(code: int) -> str:
    """The name of an element type, such as ``"FLOAT"``; raises ``ModelError`` for an unknown code."""
    try:
        name: str = onnx_library().TensorProto.DataType.Name(code)
    except ValueError:
        raise ModelError(f"unknown element type {code}; export the model for opset 7 or newer") from None
    return name


def dtype_of_code(code: int, where: str) -> DType:
    """The dtype of an element type; raises ``ModelError`` for one that minigraph lacks."""
    name = element_type(code)
    if name not in DTYPES:
        raise ModelError(f"{where}: tensors of {name.lower()} are not supported; cast them before exporting")
    return dtype_named(DTYPES[name])


def little_endian(dtype: DType) -> np.dtype:
    """The numpy dtype of the elements in a file; bfloat16 has no byte order."""
    return dtype.numpy if dtype is bfloat16 else dtype.numpy.newbyteorder("<")


def array_of(tensor: Proto, folder: Path | None, raw: bytes | memoryview | None = None) -> np.ndarray:
    """The array of a ``TensorProto``; float8 and 4-bit elements become float32 and 8-bit integers.

    ``folder`` is where external data lies; ``raw`` is raw data that the tensor itself lacks. Raises ``ModelError`` for
    sizes that do not agree with the data, before memory is allocated.
    """
    where, name = f"tensor '{printable(tensor.name)}'", element_type(tensor.data_type)
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape) or len(shape) > 64:
        raise ModelError(f"{where}: its dims {list(shape)[:8]} are not sizes; export the model again")
    count = math.prod(shape)
    if name not in DTYPES and name not in BITS and not name.startswith("FLOAT8"):
        raise ModelError(f"{where}: tensors of {name.lower()} are not supported; cast them before exporting")
    if tensor.data_location == onnx_library().TensorProto.EXTERNAL:
        raw = _external_bytes(tensor, _nbytes(name, count), folder, where)
        tensor.data_location = onnx_library().TensorProto.DEFAULT
    elif raw is None and tensor.HasField("raw_data"):
        raw = tensor.raw_data
    if raw is not None:
        _check_size(where, len(raw), _nbytes(name, count), "bytes")
        if name in DTYPES:
            array = np.frombuffer(raw, little_endian(dtype_named(DTYPES[name]))).reshape(shape)
            return array if array.flags.aligned else aligned_copy(raw, array)
        tensor.raw_data = bytes(raw)
    else:
        stored = sum(len(getattr(tensor, field)) for field in DATA_FIELDS)
        _check_size(where, stored, -(-count * BITS.get(name, 8) // 8), "values")
    array = onnx_library().numpy_helper.to_array(tensor)
    return array if name in DTYPES else array.astype(STORAGE[name].numpy if name in STORAGE else np.float32)


def _nbytes(name: str, count: int) -> int:
    if name in DTYPES:
        return count * dtype_named(DTYPES[name]).itemsize
    return -(-count * BITS.get(name, 8) // 8)


def _check_size(where: str, actual: int, expected: int, unit: str) -> None:
    if actual != expected:
        raise ModelError(f"{where}: has {actual:,} {unit}, its dims say {expected:,}; export the model again")


# ---- external data ---------------------------------------------------------------------------------


def _external_bytes(tensor: Proto, length: int, folder: Path | None, where: str) -> memoryview:
    """The elements in another file, mapped copy-on-write: only pages that are used take memory."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    if folder is None:
        raise ModelError(f"{where}: its data is in another file; load the model by its path")
    offset = _number(entries, "offset", where)
    if "length" in entries:
        _check_size(where, _number(entries, "length", where), length, "bytes")
    path = _path_inside(entries.get("location", ""), folder, where)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if offset + length > size:
                raise ModelError(f"{where}: ends at byte {offset + length:,} of a file of {size:,}; copy it completely")
            if not length:
                return memoryview(b"")
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as error:
        reraise_handler_error(error)
        text = f"{where}: its file '{printable(path.name)}' cannot be read: {error.strerror}"
        raise ModelError(f"{text}; keep it next to the model") from None
    return memoryview(data)[offset : offset + length]


def _number(entries: dict[str, str], key: str, where: str) -> int:
    text = entries.get(key, "0")
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise ModelError(
            f"{where}: the {key} of its external data is {printable(text)!r}, not a number; export it again"
        )
    return int(text)


def _path_inside(location: str, folder: Path, where: str) -> Path:
    """The regular file of external data; raises ``ModelError`` for a path outside of the folder, also through links."""
    refused = ModelError(
        f"{where}: its external data '{printable(location)}' is not a file in the model's folder; copy it there"
    )
    if not location or "\0" in location or os.path.isabs(location) or "\\" in location:
        raise refused
    try:
        root = folder.resolve()
        path = (root / location).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise refused
    except (OSError, RuntimeError, ValueError) as error:
        reraise_handler_error(error)
        raise refused from None
    return path
