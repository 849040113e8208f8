"""Reading a checkpoint; the whole file is validated before anything is returned."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.errors import ArgTypeError, ArgValueError, CheckpointError, UsageError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Parameter, wrap
from minigraph.nn.cell import Cell
from minigraph.serialize.network import load_param_into_net
from minigraph.serialize.record import FORMAT, FORMAT_NAME, FORMAT_VERSION, Record, Text, from_stored, record_of
from minigraph.serialize.safetensors_file import FormatError, SafetensorsFile


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
    """The Parameters in a file by name, in the order in which they were saved; with ``net``, also loaded into it.

    Strings of ``append_dict`` are strings again. ``filter_prefix`` excludes names by prefix, ``specify_prefix`` and
    ``choice_func(name)`` select names. Checksums are always verified and the file identifies its format, so
    ``crc_check``, ``format`` and ``remove_redundancy`` have no effect.

    Raises ``ValueError`` for a missing file, a ``dec_key``, or if no name is selected, and ``CheckpointError`` for a
    file that is truncated, changed, or of another format; nothing is loaded then. ``net`` and ``strict_load``: see
    ``load_param_into_net``.
    """
    is_selected = _name_filter(filter_prefix, specify_prefix, choice_func)
    if dec_key is not None:
        raise UsageError("load_checkpoint: dec_key is not supported; decrypt the file first")
    if not isinstance(ckpt_file_name, str | os.PathLike):
        kind = type(ckpt_file_name).__name__
        raise ArgTypeError(f"For 'load_checkpoint', the argument 'ckpt_file_name' must be a path, but got {kind}.")
    path = Path(ckpt_file_name)
    if not path.is_file():
        raise ArgValueError(
            f"For 'load_checkpoint', the checkpoint file: {path} does not exist, "
            "please check whether the 'ckpt_file_name' is correct."
        )
    values = _decode(path)
    selected = {name: value for name, value in values.items() if is_selected(name)}
    if values and not selected:
        raise ArgValueError(
            "The loaded parameter dict is empty after filter or specify, please check whether 'filter_prefix', "
            f"'specify_prefix' or 'choice_func' are right; the names in '{path}' are {list(values)[:5]} ..."
        )
    if net is not None:
        load_param_into_net(net, selected, strict_load)
    return selected


def _name_filter(exclude: object, include: object, choice_func: Function | None) -> Callable[[str], bool]:
    """The predicate that selects names; raises ``TypeError`` or ``ValueError`` for invalid prefixes or functions."""
    excluded, included = _prefixes(exclude), _prefixes(include)
    if choice_func is not None and not callable(choice_func):
        kind = type(choice_func).__name__
        raise ArgTypeError(f"For 'load_checkpoint', the argument 'choice_func' must be a function, but got {kind}.")

    def is_selected(name: str) -> bool:
        return (
            not name.startswith(excluded)
            and (include is None or name.startswith(included))
            and (choice_func is None or bool(choice_func(name)))
        )

    return is_selected


def _prefixes(argument: object) -> tuple[str, ...]:
    prefixes = () if argument is None else (argument,) if isinstance(argument, str) else argument
    if not isinstance(prefixes, list | tuple) or not all(isinstance(prefix, str) for prefix in prefixes):
        raise ArgTypeError(
            "For 'load_checkpoint', the type of 'specify_prefix' or 'filter_prefix' must be string, list[string] or "
            f"tuple[string], but got {argument!r}."
        )
    if "" in prefixes:
        raise ArgValueError("For 'load_checkpoint', the value of 'specify_prefix' or 'filter_prefix' can't include ''.")
    return tuple(prefixes)


def _decode(path: Path) -> dict[str, Any]:
    try:
        file = SafetensorsFile(path)
    except (FormatError, OSError) as error:
        reraise_handler_error(error)
        raise _damage_error(path, f"it cannot be read as safetensors ({error})") from None
    records = _records(path, file.metadata)
    if {record.name for record in records if isinstance(record, Record)} != set(file.entries):
        raise _damage_error(path, "its record list does not match its tensors")
    return {r.name: r.value if isinstance(r, Text) else _parameter(path, r, file) for r in records}


def _records(path: Path, metadata: Mapping[str, str]) -> list[Record | Text]:
    """The records in the metadata; one with a valid checksum was written by ``save_checkpoint``."""
    if (form := metadata.get("format", "")) != FORMAT:
        version = form.removeprefix(FORMAT_NAME)
        if version != form and version.isdecimal():
            raise CheckpointError(
                f"load_checkpoint: '{path}' is a checkpoint of format {version}, and this version of minigraph reads "
                f"format {FORMAT_VERSION}; install a newer one"
            )
        raise CheckpointError(
            f"load_checkpoint: '{path}' is a safetensors file, but not a checkpoint of minigraph; "
            "read it with safetensors.numpy.load_file and wrap the arrays in Parameter"
        )
    text = metadata.get("records", "")
    if metadata.get("crc32") != str(zlib.crc32(text.encode())):
        raise _damage_error(path, "the checksum of its records is wrong")
    try:
        return [record_of(fields) for fields in json.loads(text)]
    except (TypeError, ValueError, RecursionError):
        raise _damage_error(path, "its records are not a list of names and types") from None


def _parameter(path: Path, record: Record, file: SafetensorsFile) -> Parameter:
    """One Parameter; its type and the checksum of its data are checked."""
    stored = file.entries[record.name]
    if stored.dtype != record.part.short.upper() or stored.shape != record.stored_shape:
        raise _damage_error(path, f"'{record.name}' does not have the type {record.dtype}{record.shape} of its record")
    array = file.array(record.name)
    if zlib.crc32(array.tobytes()) != record.crc32:
        raise _damage_error(path, f"the checksum of '{record.name}' is wrong")
    return Parameter(wrap(from_stored(array, record)), record.name, record.requires_grad)


def _damage_error(path: Path, problem: str) -> CheckpointError:
    return CheckpointError(f"load_checkpoint: '{path}' is damaged or not a checkpoint: {problem}; nothing was loaded")
