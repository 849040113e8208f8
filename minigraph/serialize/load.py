"""Reading a checkpoint: the whole file is checked before anything is handed out."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from minigraph.errors import CheckpointError, ValueArgument
from minigraph.nn.cell import Cell
from minigraph.serialize.network import load_param_into_net
from minigraph.serialize.record import FORMAT, Record, record_of, restored
from minigraph.tensor import Parameter, wrap


def load_checkpoint(
    ckpt_file_name: str | os.PathLike[str], net: Cell | None = None, strict_load: bool = False
) -> dict[str, Parameter]:
    """The Parameters in a file by name, in the order they were saved; with ``net`` also loaded into it.

    Raises ``ValueError`` for a file that is not there and ``CheckpointError`` for one that is cut short,
    changed, or not one of ours; nothing is loaded then. ``net`` and ``strict_load``: see ``load_param_into_net``.
    """
    path = Path(ckpt_file_name)
    if not path.is_file():
        raise ValueArgument(
            f"For 'load_checkpoint', the checkpoint file: {path} does not exist, "
            "please check whether the 'ckpt_file_name' is correct."
        )
    found = _decoded(path)
    if net is not None:
        load_param_into_net(net, found, strict_load)
    return found


def _decoded(path: Path) -> dict[str, Parameter]:
    try:
        with safe_open(path, framework="numpy") as file:
            records = _records(path, file.metadata() or {})
            if {record.name for record in records} != set(file.keys()):
                raise _damaged(path, "the list of its records is not that of its tensors")
            return {record.name: _parameter(path, record, file) for record in records}
    except (SafetensorError, OSError) as error:
        raise _damaged(path, f"it cannot be read as safetensors ({error})") from None


def _records(path: Path, metadata: Mapping[str, str]) -> list[Record]:
    """What the file says it holds; whoever passes the checksum was written by ``save_checkpoint``."""
    if metadata.get("format") != FORMAT:
        raise CheckpointError(
            f"load_checkpoint: '{path}' is a safetensors file, but no checkpoint of minigraph; "
            "read it with safetensors.numpy.load_file and wrap the arrays in Parameter"
        )
    text = metadata.get("records", "")
    if metadata.get("crc32") != str(zlib.crc32(text.encode())):
        raise _damaged(path, "the checksum of its records is wrong")
    try:
        return [record_of(fields) for fields in json.loads(text)]
    except (TypeError, ValueError, RecursionError):
        raise _damaged(path, "its records are not a list of names and types") from None


def _parameter(path: Path, record: Record, file: Any) -> Parameter:
    """One Parameter; the type of its numbers is looked at before they are read."""
    kept = file.get_slice(record.name)
    if kept.get_dtype() != record.part.short.upper() or list(kept.get_shape()) != record.stored_shape:
        raise _damaged(path, f"'{record.name}' is not the {record.dtype}{record.shape} of its record")
    numbers = file.get_tensor(record.name)
    if zlib.crc32(numbers.tobytes()) != record.crc32:
        raise _damaged(path, f"the checksum of '{record.name}' is wrong")
    return Parameter(wrap(restored(numbers, record)), record.name, record.requires_grad)


def _damaged(path: Path, what: str) -> CheckpointError:
    return CheckpointError(f"load_checkpoint: '{path}' is damaged or no checkpoint: {what}; nothing was loaded")
