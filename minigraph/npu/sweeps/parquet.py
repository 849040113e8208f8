"""The finished table as a Parquet file, if pyarrow is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from minigraph.core.context import resolve
from minigraph.core.files import replace_file


def write_parquet(path: Path, columns: Sequence[str], records: Sequence[Mapping[str, object]]) -> bool:
    """Write the records to a Parquet file atomically; returns False without pyarrow.

    Bytes of file names that are not UTF-8 are escaped, as Parquet has no such text.
    """
    if find_spec("pyarrow") is None:
        return False
    table = resolve("pyarrow:table")({name: _unify_types([record[name] for record in records]) for name in columns})
    with replace_file(path) as temporary:
        resolve("pyarrow.parquet:write_table")(table, temporary)
    return True


def _unify_types(values: list[object]) -> list[object]:
    """The values with integers converted to floats if any value is a float: a column has one type."""
    if any(isinstance(value, float) for value in values):
        return [float(value) if isinstance(value, int) else value for value in values]
    return [value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value for value in values]
