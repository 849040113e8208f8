"""Checkpoints under other names and suffixes, and loaded in the background.

A checkpoint is a safetensors file, whatever its suffix, so a conversion copies files and renames what is in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from minigraph.core.errors import ArgValueError
from minigraph.nn.cell import Cell
from minigraph.serialize.load import load_checkpoint
from minigraph.serialize.save import save_checkpoint


def _convert(
    suffixes: tuple[str, str], file_path: str, save_path: str | None, name_map: Mapping[str, str] | None,
    pattern: str | None,
) -> None:  # fmt: skip
    old, new = suffixes
    source = Path(file_path)
    files = sorted(source.rglob(f"*{old}")) if source.is_dir() else [source]
    files = [file for file in files if pattern is None or re.search(pattern, file.name)]
    if not files or not all(file.is_file() and file.suffix == old for file in files):
        raise ArgValueError(f"there is no file {old} at {file_path}; pass one, or a folder with some")
    for file in files:
        within = file.parent.relative_to(source) if source.is_dir() else ""  # files of two folders may have one name
        folder = file.parent if save_path is None else Path(save_path) / within
        folder.mkdir(parents=True, exist_ok=True)
        named = load_checkpoint(file)
        for value in named.values() if name_map else ():
            value.name = (name_map or {}).get(value.name, value.name)
        items = [{"name": (name_map or {}).get(name, name), "data": value} for name, value in named.items()]
        save_checkpoint(items, folder / file.with_suffix(new).name, format=new.lstrip("."))


def ckpt_to_safetensors(
    file_path: str, save_path: str | None = None, name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None, processes_num: int = 1,
) -> None:  # fmt: skip
    """Writes the checkpoints of a file or folder with the suffix .safetensors, next to them or in ``save_path``.

    In ``save_path``, each file stays in its own folder, so that no two have one name. ``name_map`` renames Parameters,
    ``file_name_regex`` chooses files. Raises ``ValueError`` if there is none.
    """
    _convert((".ckpt", ".safetensors"), file_path, save_path, name_map, file_name_regex)


def safetensors_to_ckpt(
    file_path: str, save_path: str | None = None, name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None, processes_num: int = 1,
) -> None:  # fmt: skip
    """Writes the .safetensors checkpoints of a file or folder with the suffix .ckpt; see ``ckpt_to_safetensors``."""
    _convert((".safetensors", ".ckpt"), file_path, save_path, name_map, file_name_regex)


def load_checkpoint_async(
    ckpt_file_name: str, net: Cell | None = None, strict_load: bool = False, filter_prefix: str | None = None,
    dec_key: bytes | None = None, dec_mode: str = "AES-GCM", specify_prefix: str | None = None,
    choice_func: Callable[[str], bool] | None = None,
) -> Future[dict[str, Any]]:  # fmt: skip
    """``load_checkpoint`` in a thread: a future, whose ``result()`` waits for the Parameters."""
    options = (net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func)
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(load_checkpoint, ckpt_file_name, *options)
    finally:
        pool.shutdown(wait=False)


def async_ckpt_thread_status() -> bool:
    """Whether a checkpoint is being saved in the background: False, ``save_checkpoint`` returns when it is saved."""
    return False
