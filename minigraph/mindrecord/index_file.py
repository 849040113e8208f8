"""The index next to a MindRecord file, an SQLite database: where each row is, and its index fields."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from minigraph.core.errors import UnknownNameError, UsageError
from minigraph.core.lazy import resolve
from minigraph.mindrecord.schema import Schema

POSITIONS = (
    "ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID", "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip
SQL_TYPES = {"int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL", "string": "TEXT"}


def _sqlite() -> Any:
    """Python's ``sqlite3``, which some builds lack; only writing needs it."""
    try:
        return resolve("sqlite3")
    except (ImportError, UnknownNameError):
        raise UsageError("mindrecord: writing needs Python's module sqlite3, which is missing; install it") from None


@contextmanager
def _system_errors() -> Iterator[None]:
    """Within the block, SQLite's errors of the disk are ``OSError``, as those of other files."""
    sqlite3 = _sqlite()
    try:
        yield
    except sqlite3.OperationalError as error:
        code = errno.ENOSPC if error.sqlite_errorcode == sqlite3.SQLITE_FULL else errno.EIO
        raise OSError(code, os.strerror(code)) from error


class IndexFile:
    """An index that is being written to ``path``, which must not exist; ``name`` is the name of the data file."""

    def __init__(self, path: Path, name: str, schema: Schema, index_fields: Sequence[str]) -> None:
        self._fields = tuple(index_fields)
        # the file is a temporary one, which a crash leaves behind anyway
        self._database = _sqlite().connect(path, isolation_level=None)
        self._run("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "BEGIN")
        keys = ", ".join(["ROW_ID", *(f"INC_{i}" for i in range(len(self._fields)))]).replace(", ", ",")
        columns = [f"{position} INT NOT NULL" for position in POSITIONS]
        for i, field in enumerate(self._fields):  # names of fields are letters, digits and _
            columns += [f"INC_{i} INT", f"{field}_0 {SQL_TYPES[schema.fields[field]['type']]}"]
        self._run(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({keys}))")
        self._run("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        with _system_errors():
            self._database.execute("INSERT INTO SHARD_NAME VALUES(?)", (name,))

    def _run(self, *statements: str) -> None:
        for statement in statements:
            with _system_errors():
                self._database.execute(statement)

    def add(self, rows: Iterable[tuple[Sequence[int], Mapping[str, Any]]]) -> None:
        """Add rows: their ``POSITIONS``, and their fields."""
        marks = ", ".join("?" * (len(POSITIONS) + 2 * len(self._fields)))
        values = ([*positions, *self._index_values(row)] for positions, row in rows)
        with _system_errors():
            self._database.executemany(f"INSERT INTO INDEXES VALUES({marks})", values)

    def move_group(self, group: int, page: int, start: int) -> None:
        """Note that the maps of a row group, which began at ``start`` of their page, begin another page."""
        moved = "PAGE_OFFSET_RAW = PAGE_OFFSET_RAW - ?, PAGE_OFFSET_RAW_END = PAGE_OFFSET_RAW_END - ?"
        statement = f"UPDATE INDEXES SET PAGE_ID_RAW = ?, {moved} WHERE ROW_GROUP_ID = ?"
        with _system_errors():
            self._database.execute(statement, (page, start, start, group))

    def _index_values(self, row: Mapping[str, Any]) -> list[Any]:
        values = (getattr(row[name], "item", lambda value=row[name]: value)() for name in self._fields)
        return [x for value in values for x in (0, value)]

    def close(self, keep: bool = True) -> None:
        """End writing; the file is complete only after this."""
        if keep:
            self._run("COMMIT")
        self._database.close()
