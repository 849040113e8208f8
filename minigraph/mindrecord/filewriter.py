"""``FileWriter``: rows of numbers, texts, bytes and arrays to MindRecord files, which MindSpore reads, too."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.core.files import replace_files
from minigraph.mindrecord.arguments import check_file_name
from minigraph.mindrecord.errors import (
    MRMAddSchemaError,
    MRMDefineIndexError,
    MRMGetMetaError,
    ParamTypeError,
    ParamValueError,
)
from minigraph.mindrecord.header import (
    MAX_HEADER_BYTES,
    MAX_PAGE_BYTES,
    MAX_SHARDS,
    MIN_HEADER_BYTES,
    MIN_PAGE_BYTES,
    Header,
)
from minigraph.mindrecord.record_file import INDEX_SUFFIX, RecordFile
from minigraph.mindrecord.schema import Schema
from minigraph.mindrecord.shard_file import ShardFile

Row = Mapping[str, Any]


class FileWriter:
    """Writes rows to a MindRecord file, or to ``shard_num`` files ``name0``, ``name1`` ..., each with an index ``.db``.

    The files appear in ``commit``, whole; an error, or a writer without it, leaves those of before. Use one writer at a
    time for a name. Raises ``ParamValueError`` for other arguments, ``RuntimeError`` for files that exist unless
    ``overwrite``.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/digits.mindrecord"
    >>> writer = FileWriter(name)
    >>> writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}})
    >>> writer.write_raw_data([{"label": 3, "data": b"..."}, {"label": 5, "data": b"..."}])
    >>> writer.commit()
    >>> from minigraph.mindrecord import FileReader
    >>> [row["label"] for row in FileReader(name).get_next()]
    [3, 5]
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        check_file_name(file_name)
        _check_shards(shard_num)
        if not isinstance(overwrite, bool):
            raise ParamValueError("Parameter overwrite's type is not bool.")
        digits = len(str(shard_num - 1))
        names = [file_name] if shard_num == 1 else [f"{file_name}{shard:0{digits}}" for shard in range(shard_num)]
        self._paths, self._overwrite = [Path(name) for name in names], overwrite
        self._sizes: dict[str, Any] = {}
        self._schema: Schema | None = None
        self._index_fields: list[str] = []
        self._old: RecordFile | None = None
        self._files, self._shards = ExitStack(), list[ShardFile]()
        weakref.finalize(self, _remove, self._files)
        self._is_parallel: bool | None = None
        self._calls, self._is_committed = 0, False

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """A writer that appends rows to a file; raises ``RuntimeError`` for a file that is missing or damaged."""
        check_file_name(file_name)
        writer = cls(file_name, overwrite=True)
        writer._old = RecordFile(Path(file_name))
        header = writer._old.header
        writer._schema, writer._index_fields = header.schema, header.index_fields
        return writer

    # ---- settings ----------------------------------------------------------------------------------

    def set_header_size(self, header_size: int) -> None:
        """Set the size of the header in bytes, from 16 KiB to 128 MiB; raises ``RuntimeError`` for others."""
        self._set_size("header", header_size, MIN_HEADER_BYTES, MAX_HEADER_BYTES)

    def set_page_size(self, page_size: int) -> None:
        """Set the bytes of a page, 32 KiB to 256 MiB, which limit a row; raises ``RuntimeError`` for others."""
        self._set_size("page", page_size, MIN_PAGE_BYTES, MAX_PAGE_BYTES)

    def _set_size(self, name: str, size: int, least: int, most: int) -> None:
        if isinstance(size, bool) or not isinstance(size, int):
            raise ArgTypeError(f"set_{name}_size: the size must be an int, got {size!r}")
        if not least <= size <= most:
            raise ArgRuntimeError(
                f"Invalid data, {name} size: {size} should be in range [{least} bytes, {most} bytes]."
            )
        if size % 4:
            raise ArgRuntimeError(f"Invalid data, {name} size {size} should be divided by four.")
        self._sizes[f"{name}_size"] = size

    def add_schema(self, content: dict[str, Any], desc: str | None = None) -> None:
        """Set the fields of the rows: ``{"type": ...}``, or for arrays ``{"type": ..., "shape": [...]}``, by name.

        The types are int32, int64, float32, float64, string and bytes; one size of a shape may be -1. Raises
        ``MRMInvalidSchemaError`` or ``MRMBuildSchemaError`` for others, ``MRMAddSchemaError`` for a second schema.
        """
        schema = Schema(content, desc or "")
        if self._schema is not None:
            raise MRMAddSchemaError("A file has one schema; add all fields to it.")
        self._schema = schema

    def add_index(self, index_fields: list[str]) -> None:
        """Choose the fields that the index has; without a call, all fields but bytes and arrays.

        Raises ``ParamTypeError`` for other types, ``MRMDefineIndexError`` for a field of bytes or an array,
        ``MRMGetMetaError`` before ``add_schema``, ``RuntimeError`` for unknown and for repeated fields.
        """
        if not index_fields or not isinstance(index_fields, list):
            raise ParamTypeError("'index_fields' expect list type.")
        if self._schema is None:
            raise MRMGetMetaError("Call add_schema before add_index.")
        for name in index_fields:
            if not isinstance(name, str):
                raise ParamTypeError("'index field' expect str type.")
            if name in self._schema.blob_fields:
                raise MRMDefineIndexError(f"Failed to set field {name} since it's not primitive type.")
            if name not in self._schema.fields:
                raise ArgRuntimeError(f"Invalid input, 'index_fields': {name} can not found in schema.")
        names = [*self._index_fields, *index_fields]
        if len(set(names)) < len(names) or self._shards:
            raise ArgRuntimeError(f"The 'index_fields': {index_fields} is added repeatedly, or after the first row.")
        self._index_fields = names

    # ---- rows --------------------------------------------------------------------------------------

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Write rows, in equal parts to the shards.

        With ``parallel_writer`` the rows of one call go to one shard; each file is then read alone, or in a list. Rows
        that do not fit the schema are left out with a warning. Raises ``ParamTypeError`` for other types,
        ``RuntimeError`` if no row is left, or one is larger than a page, and after ``commit``.
        """
        if not isinstance(parallel_writer, bool):
            raise ArgTypeError("The parameter `parallel_writer` must be bool.")
        if self._is_parallel not in (None, parallel_writer):
            raise ArgRuntimeError("The parameter `parallel_writer` must be consistent during use.")
        self._is_parallel = parallel_writer
        if self._is_committed:
            raise ArgRuntimeError("Not allowed to call `write_raw_data` on flushed MindRecord files; "
                                  "use FileWriter.open_for_append")  # fmt: skip
        self._open()
        rows = self._valid_rows(raw_data)
        try:
            for shard, part in zip(self._shards, self._parts(rows), strict=True):
                if part:
                    shard.add(part)
        except BaseException:
            self._abandon()
            raise
        self._calls += 1

    def _valid_rows(self, raw_data: Any) -> list[Row]:
        """The rows that fit the schema, with warnings about the others."""
        if not isinstance(raw_data, list):
            raise ParamTypeError("'raw_data' expect list type.")
        if not all(isinstance(row, dict) for row in raw_data):
            raise ParamTypeError("'raw_data item' expect dict type.")
        assert self._schema is not None
        rows = []
        for number, row in enumerate(raw_data):
            if (problem := self._schema.mismatch(row)) is None:
                rows.append(row)
            else:
                warnings.warn(f"FileWriter: row {number} is left out, {problem}", UserWarning, stacklevel=3)
        if not rows:
            raise ArgRuntimeError("There is no valid data which can be written by 'write_raw_data' to mindrecord file.")
        return rows

    def _parts(self, rows: list[Row]) -> list[list[Row]]:
        """The rows of each shard."""
        count = len(self._shards)
        if self._is_parallel:
            return [rows if self._calls % count == shard else [] for shard in range(count)]
        size, remainder = divmod(len(rows), count)
        ends = [(shard + 1) * size + min(shard + 1, remainder) for shard in range(count)]
        return [rows[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def _open(self) -> None:
        """Begin the files, once; they have temporary names."""
        if self._shards:
            return
        if self._schema is None:
            raise ArgRuntimeError(
                "Invalid data, schema is not found in header, please use 'add_schema' to add a schema."
            )
        for path in self._paths:
            if not self._overwrite and (path.exists() or Path(f"{path}{INDEX_SUFFIX}").exists()):
                raise ArgRuntimeError(f"Invalid file, mindrecord file already exist: {path}; set overwrite=True")
            if not path.parent.is_dir():
                raise ArgRuntimeError(f"Invalid dir, failed to get the realpath of mindrecord file dir: {path.parent}")
        headers = self._headers()
        # MindSpore refuses a data set without an index, as we do: all are missing while files of a set are renamed
        names = [*self._paths, *(Path(f"{path}{INDEX_SUFFIX}") for path in self._paths)]
        try:
            temporaries = self._files.enter_context(replace_files(names))
            pairs = zip(temporaries, temporaries[len(headers) :], strict=False)
            for path, pair, header in zip(self._paths, pairs, headers, strict=True):
                self._shards.append(ShardFile(path, *pair, header, self._files, self._old))
        except BaseException:
            self._abandon()
            raise

    def _headers(self) -> Sequence[Header]:
        assert self._schema is not None
        if self._old is not None:
            return [self._old.header]
        fields, names = self._index_fields or self._schema.plain_fields, [path.name for path in self._paths]
        if self._is_parallel:  # as if each file had been written alone
            return [Header(self._schema, fields, [name], **self._sizes) for name in names]
        return [Header(self._schema, fields, names, shard, **self._sizes) for shard in range(len(names))]

    def _abandon(self) -> None:
        """End writing; the files of before stay."""
        self._is_committed = True
        self._shards.clear()
        _remove(self._files)

    def commit(self) -> None:
        """End writing: only now there are files, also for no row. Raises ``OSError`` or ``RuntimeError``."""
        if self._is_committed:
            return
        self._open()
        try:
            for shard in self._shards:
                shard.commit()
        except BaseException:
            self._abandon()
            raise
        self._is_committed = True
        self._files.close()


def _remove(files: ExitStack) -> None:
    """Close and remove temporary files, if they have not become others."""
    files.__exit__(GeneratorExit, GeneratorExit(), None)


def _check_shards(shard_num: Any) -> None:
    if shard_num is None:
        raise ParamValueError("Parameter shard_num is None.")
    if not isinstance(shard_num, int):
        raise ParamValueError("Parameter shard_num's type is not int.")
    if not 1 <= shard_num <= MAX_SHARDS:
        raise ParamValueError(f"Parameter shard_num's value: {shard_num} should between 1 and {MAX_SHARDS}.")
