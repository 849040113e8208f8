"""The types and shapes of a dataset's columns, in Python or in a JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.types import DType
from minigraph.dataset.readers.reader_arguments import check_instance

COLUMN_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "string")  # fmt: skip


class Schema:
    """The types and shapes of columns, for readers of files that do not state them.

    ``schema_file`` is a JSON file with ``columns``, and possibly ``datasetType`` and ``numRows``. Raises ``ValueError``
    for a file that does not exist, ``RuntimeError`` for one without columns.

    >>> schema = Schema()
    >>> schema.add_column("image", "uint8", [2, 2])
    >>> schema.columns
    [{'name': 'image', 'type': 'uint8', 'rank': 2, 'shape': [2, 2]}]
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[dict[str, Any]] = []
        self.dataset_type: str | None = None
        self.num_rows: int | None = None
        if schema_file is not None:
            self.from_json(read_schema(schema_file))

    def add_column(self, name: str, de_type: str | DType, shape: list[int] | None = None) -> None:
        """Adds a column of a dtype, or of "string"; without ``shape`` its rows are vectors of any length.

        A size of -1 is dynamic. Raises ``TypeError`` for another type, name or shape.
        """
        check_instance("name", name, (str,))
        kind = str(de_type).lower().removesuffix("_") if isinstance(de_type, DType) else de_type
        if kind not in COLUMN_TYPES:
            raise ArgTypeError("Unknown column type.")
        if shape is None:
            self.columns.append({"name": name, "type": kind, "rank": 1})
            return
        check_instance("shape", shape, (list,))
        for size in shape:
            check_instance("shape dimension", size, (int,))
        self.columns.append({"name": name, "type": kind, "rank": len(shape), "shape": list(shape)})

    def parse_columns(self, columns: Sequence[Mapping[str, Any]] | Mapping[str, Mapping[str, Any]]) -> None:
        """Replaces the columns by a list of dicts with ``name``, ``type``, ``shape`` (default: one number), or a dict.

        Raises ``RuntimeError`` for other values, and columns without a name or type.
        """
        if not isinstance(columns, list | dict):
            raise ArgRuntimeError("columns must be dict or list, columns contain name, type, shape(optional).")
        self.columns = []
        if isinstance(columns, dict):
            columns = [{**column, "name": name} for name, column in columns.items()]
        for column in columns:
            for key in ("name", "type"):
                if key not in column:
                    raise ArgRuntimeError(f"Column's {key} is missing")
            self.add_column(column["name"], column["type"], list(column.get("shape", [])))

    def from_json(self, json_obj: Mapping[str, Any]) -> None:
        """Replaces the columns by those of a JSON object; raises ``RuntimeError`` without ``columns``."""
        self.parse_columns(_columns_of(json_obj))
        self.dataset_type, self.num_rows = json_obj.get("datasetType"), json_obj.get("numRows")

    def to_json(self) -> str:
        """The schema as the text of a JSON file."""
        fields = {"columns": self.columns, "datasetType": self.dataset_type, "numRows": self.num_rows}
        return json.dumps({key: value for key, value in fields.items() if value is not None}, indent=2, sort_keys=True)


def read_schema(path: str) -> dict[str, Any]:
    """The content of a JSON file; raises ``TypeError`` unless ``path`` is text.

    Raises ``ValueError`` if there is no such file, ``RuntimeError`` if it is not JSON.
    """
    if not isinstance(path, str):
        raise ArgTypeError(f"path: {path} is not string")
    if not Path(path).is_file():
        raise ArgValueError(f"The file {Path(path).absolute()} does not exist or permission denied!")
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    except (UnicodeDecodeError, ValueError):
        raise ArgRuntimeError(f"Schema: {Path(path).name!r} is not a JSON file") from None
    return content if isinstance(content, dict) else {}


def schema_of_rows(path: str) -> Schema:
    """A schema file as readers apply it: rows of a column without a shape are vectors of any length."""
    content, schema = read_schema(path), Schema()
    schema.from_json(content)
    for column, entry in zip(schema.columns, _entries(_columns_of(content)), strict=True):
        if "shape" not in entry:
            column.pop("shape")
    return schema


def _columns_of(content: Any) -> Any:
    if not isinstance(content, dict) or "columns" not in content:
        raise ArgRuntimeError('"columns" node is required in the schema json JSON.')
    return content["columns"]


def _entries(columns: Any) -> list[Any]:
    return list(columns.values()) if isinstance(columns, dict) else columns
