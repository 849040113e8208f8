"""Argument checks of writers and readers of MindRecord files."""

from __future__ import annotations

import os
from typing import Any

from minigraph.mindrecord.errors import ParamValueError

FORBIDDEN_FILE_NAME_CHARACTERS = set(r'\/:*?"<>|`&\';')


def check_file_name(name: Any) -> None:
    """Raises ``ParamValueError`` unless this is a path to a file whose name has no special characters."""
    if not name:
        raise ParamValueError("File path is not allowed None or empty!")
    if not isinstance(name, str):
        raise ParamValueError(f"File path: {name} is not string.")
    if name.endswith("/"):
        raise ParamValueError("File path can not end with '/'")
    base = os.path.basename(name)
    if set(base) & FORBIDDEN_FILE_NAME_CHARACTERS:
        raise ParamValueError(r"File name should not contains \/:*?\"<>|`&;\'")
    if base != base.strip(" "):
        raise ParamValueError("File name should not start/end with space.")


def check_reader(file_name: Any, num_consumer: Any) -> None:
    """Raises ``ParamValueError`` unless all file names are valid and the number of threads is at least 1."""
    for name in file_name if isinstance(file_name, list) else [file_name]:
        check_file_name(name)
    if file_name == []:
        raise ParamValueError("File path is not allowed None or empty!")
    if num_consumer is None:
        raise ParamValueError("Parameter num_consumer is None.")
    if not isinstance(num_consumer, int):
        raise ParamValueError("Parameter num_consumer is not int.")
    if num_consumer < 1:
        raise ParamValueError(f"Parameter num_consumer: {num_consumer} should be at least 1.")
