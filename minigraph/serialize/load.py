"""Reading a checkpoint: the whole file is checked before anything is handed out."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from minigraph.core.errors import CheckpointError, TypeArgument, UsageError, ValueArgument
from minigraph.core.tensor import Parameter, wrap
from minigraph.nn.cell import Cell
from minigraph.serialize.network import load_param_into_net
from minigraph.serialize.record import FORMAT, Record, Text, record_of, restored


def load_checkpoint(
    ckpt_file_name: str | os.PathLike[str],
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | Sequence[str] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | Sequence[str] | None = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """The Parameters in a file by name, in the order they were saved; with ``net`` also loaded into it.

    Texts of ``append_dict`` are texts again. ``filter_prefix`` leaves out names that begin so, ``specify_prefix`` and
    ``choice_func(name)`` say which to keep. Checksums are compared and the file says itself what it is, so
    ``crc_check``, ``format`` and ``remove_redundancy`` change nothing.

    Raises ``ValueError`` for a file that is not there, a ``dec_key``, or when no name is left, and
    ``CheckpointError`` for one that is cut short, changed, or not one of ours; nothing is loaded then. ``net`` and
    ``strict_load``: see ``load_param_into_net``.
    """
    wanted = _choice(filter_prefix, specify_prefix, choice_func)
    if dec_key is not None:
        raise UsageError("load_checkpoint: dec_key is not supported; decrypt the file before")
    if not isinstance(ckpt_file_name, str | os.PathLike):
        kind = type(ckpt_file_name).__name__
        raise TypeArgument(f"For 'load_checkpoint', the argument 'ckpt_file_name' must be a path, but got {kind}.")
    path = Path(ckpt_file_name)
    if not path.is_file():
        raise ValueArgument(
            f"For 'load_checkpoint', the checkpoint file: {path} does not exist, "
            "please check whether the 'ckpt_file_name' is correct."
        )
    every = _decoded(path)
    found = {name: value for name, value in every.items() if wanted(name)}
    if every and not found:
        raise ValueArgument(
            "The loaded parameter dict is empty after filter or specify, please check whether 'filter_prefix', "
            f"'specify_prefix' or 'choice_func' are right; the names in '{path}' are {list(every)[:5]} ..."
        )
    if net is not None:
        load_param_into_net(net, found, strict_load)
    return found


def _choice(leave_out: Any, keep: Any, choice_func: Any) -> Callable[[str], bool]:
    """Which names to keep; raises ``TypeError`` and ``ValueError`` for what is no prefix or function."""
    left_out, kept = _prefixes(leave_out), _prefixes(keep)
    if choice_func is not None and not callable(choice_func):
        kind = type(choice_func).__name__
        raise TypeArgument(f"For 'load_checkpoint', the argument 'choice_func' must be a function, but got {kind}.")

    def wanted(name: str) -> bool:
        return (
            not name.startswith(left_out)
            and (keep is None or name.startswith(kept))
            and (choice_func is None or bool(choice_func(name)))
        )

    return wanted


def _prefixes(given: Any) -> tuple[str, ...]:
    listed = () if given is None else (given,) if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(prefix, str) for prefix in listed):
        raise TypeArgument(
            "For 'load_checkpoint', the type of 'specify_prefix' or 'filter_prefix' must be string, list[string] or "
            f"tuple[string], but got {given!r}."
        )
    if "" in listed:
        raise ValueArgument("For 'load_checkpoint', the value of 'specify_prefix' or 'filter_prefix' can't include ''.")
    return tuple(listed)


def _decoded(path: Path) -> dict[str, Any]:
    try:
        with safe_open(path, framework="numpy") as file:
            records = _records(path, file.metadata() or {})
            if {record.name for record in records if isinstance(record, Record)} != set(file.keys()):
                raise _damaged(path, "the list of its records is not that of its tensors")
            return {r.name: r.value if isinstance(r, Text) else _parameter(path, r, file) for r in records}
    except (SafetensorError, OSError) as error:
        raise _damaged(path, f"it cannot be read as safetensors ({error})") from None


def _records(path: Path, metadata: Mapping[str, str]) -> list[Record | Text]:
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
