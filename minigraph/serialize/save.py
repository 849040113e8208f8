"""Writing a checkpoint: all records in one file, written atomically."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, DuplicateNameError, UsageError
from minigraph.core.files import write_atomically
from minigraph.core.op import is_eager
from minigraph.core.tensor import Tensor
from minigraph.nn.cell import Cell
from minigraph.serialize.record import FORMAT, Record, Text, to_stored
from minigraph.serialize.safetensors_file import METADATA, encode

Saveable = Cell | Mapping[str, Any] | Iterable[Mapping[str, Any]]
FORMATS = ("ckpt", "safetensors")


def save_checkpoint(
    save_obj: Saveable,
    ckpt_file_name: str | os.PathLike[str],
    integrated_save: bool = True,
    async_save: bool = False,
    append_dict: Mapping[str, object] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
) -> None:
    """Write the Parameters of a Cell, a dict of Tensors, or a list of ``{"name": ..., "data": ...}`` to a file.

    The suffix ``.ckpt`` (or the suffix of ``format``) is appended if missing. ``append_dict`` adds numbers, strings and
    Tensors under further names, ``choice_func(name)`` selects names. The file is written atomically, by renaming a
    temporary file: after an error the old one stays. It always has checksums, is for one device, and is written
    synchronously: ``crc_check``, ``integrated_save`` and ``async_save`` have no effect.

    Raises ``TypeError`` for other objects, ``DuplicateNameError`` for a name used twice, ``UsageError`` for an invalid
    name, an ``enc_key`` or a missing folder, ``RuntimeError`` during tracing.

    >>> import os, tempfile
    >>> from minigraph import load_checkpoint, nn
    >>> folder = tempfile.mkdtemp()
    >>> save_checkpoint(nn.Dense(3, 2), os.path.join(folder, "net"))
    >>> load_checkpoint(os.path.join(folder, "net.ckpt"))["weight"]
    Parameter (name=weight, shape=(2, 3), dtype=Float32, requires_grad=True)
    """
    _check_options(append_dict, choice_func, enc_key)
    path = _target(ckpt_file_name, format)
    if not is_eager():
        raise ArgRuntimeError(f"save_checkpoint: '{path.name}' cannot be saved during tracing")
    items = [*_items(save_obj), *(append_dict or {}).items()]
    selected = [(name, value) for name, value in items if choice_func is None or choice_func(name)]
    write_atomically(path, _encode(_check_items(selected)), flush=True)


def _check_options(append_dict: object, choice_func: Function | None, enc_key: object) -> None:
    if append_dict is not None and not isinstance(append_dict, Mapping):
        kind = type(append_dict).__name__
        raise ArgTypeError(f"For 'save_checkpoint', the argument 'append_dict' must be a dict, but got {kind}.")
    if choice_func is not None and not callable(choice_func):
        kind = type(choice_func).__name__
        raise ArgTypeError(f"For 'save_checkpoint', the argument 'choice_func' must be a function, but got {kind}.")
    if enc_key is not None:
        raise UsageError("save_checkpoint: enc_key is not supported; encrypt the file when it is written")


def _target(name: str | os.PathLike[str], form: str) -> Path:
    """The path of the file to write, with its suffix."""
    if form not in FORMATS:
        raise ArgValueError(f"For 'save_checkpoint', the format must be in {list(FORMATS)}, but got {form!r}.")
    try:
        text = os.fspath(name)
    except TypeError:
        text = ""
    if not isinstance(text, str) or not Path(text).name:
        raise ArgTypeError(f"save_checkpoint: ckpt_file_name must be a path of a file, got {name!r}")
    path = Path(text if text.endswith(f".{form}") else f"{text}.{form}")
    if not path.parent.is_dir():
        raise UsageError(f"save_checkpoint: no folder '{path.parent}'; create it first")
    return path


def _items(save_obj: object) -> Iterator[tuple[Any, Any]]:
    """The (name, value) pairs of an object that ``save_checkpoint`` accepts."""
    if isinstance(save_obj, Cell):
        return ((parameter.name, parameter) for parameter in save_obj.get_parameters())
    if isinstance(save_obj, Mapping):
        return iter(save_obj.items())
    if isinstance(save_obj, list | tuple) and all(
        isinstance(x, Mapping) and {"name", "data"} <= set(x) for x in save_obj
    ):
        return ((item["name"], item["data"]) for item in save_obj)
    raise ArgTypeError(
        "For 'save_checkpoint', the argument 'save_obj' must be a Cell, a dict of Tensors, or a list of dicts with "
        f"'name' and 'data', but got {type(save_obj).__name__}."
    )


def _check_items(items: Iterable[tuple[object, object]]) -> dict[str, Tensor | str]:
    values: dict[str, Tensor | str] = {}
    for name, value in items:
        if not isinstance(name, str):
            kind = type(name).__name__
            raise ArgTypeError(f"save_checkpoint: the name of a record must be a string, got {name!r}, a {kind}")
        if not name or name == METADATA or not _is_utf8(name):
            raise UsageError(f"save_checkpoint: {name!r} is not a valid name; use a string other than '{METADATA}'")
        if name in values:
            raise DuplicateNameError(f"save_checkpoint: the name '{name}' is used twice; give each Parameter its own")
        values[name] = _tensor_of(name, value)
    return values


def _is_utf8(name: str) -> bool:
    return name == name.encode("utf-8", "replace").decode("utf-8")


def _tensor_of(name: str, value: object) -> Tensor | str:
    """The value of a record: a number, as ``append_dict`` may contain, becomes a Tensor; strings stay."""
    if isinstance(value, Tensor) or (isinstance(value, str) and _is_utf8(value)):
        return value
    if isinstance(value, bool | int | float):
        return Tensor(value)
    kind = type(value).__name__
    raise ArgTypeError(f"save_checkpoint: '{name}' is a {kind}, not a Tensor, a number or a string; wrap it")


def _encode(named: Mapping[str, Tensor | str]) -> bytes:
    """The bytes of the file: safetensors, with all records, including strings, as metadata."""
    arrays = {name: to_stored(value.array) for name, value in named.items() if isinstance(value, Tensor)}
    records = [
        Text(name, value) if isinstance(value, str) else _record(name, value, arrays[name])
        for name, value in named.items()
    ]
    text = json.dumps(records)
    metadata = {"format": FORMAT, "records": text, "crc32": str(zlib.crc32(text.encode()))}
    return encode(arrays, metadata)


def _record(name: str, tensor: Tensor, array: np.ndarray) -> Record:
    requires_grad = getattr(tensor, "requires_grad", True)
    return Record(name, tensor.dtype.name, list(tensor.shape), bool(requires_grad), zlib.crc32(array.tobytes()))
