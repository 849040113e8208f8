"""Reading one MindRecord file, or all files of a data set: rows by number, with positions found in the pages."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from minigraph.core.errors import ArgRuntimeError, MinigraphError, RangeError
from minigraph.mindrecord.header import BLOB, LENGTH_BYTES, RAW, Header, read_header
from minigraph.mindrecord.schema import Row

INDEX_SUFFIX = ".db"  # of the file that MindSpore reads positions from


class RecordFile:
    """The rows of one file; they are read when they are needed, their positions once.

    Raises ``RuntimeError`` for a file that is missing, cut off or damaged, or has no index file next to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        index = Path(f"{path}{INDEX_SUFFIX}")
        if path.is_file() and not index.is_file():  # also while a writer renames the files, or was killed then
            raise ArgRuntimeError(
                f"Invalid file, index file: {index} can not be found. Please restore it, or write {path} again."
            )
        with self._open() as file:
            status = os.fstat(file.fileno())
            self._version = _version(status)
            self.header: Header = read_header(file, path.name, status.st_size)
            # position and length of row i in [2i] and [2i + 1]
            self._blobs, self._maps = (self._spans(file, page_type) for page_type in (BLOB, RAW))
        if len(self._blobs) != len(self._maps):
            raise self._damage_error("its pages have different numbers of rows")

    def __len__(self) -> int:
        return len(self._blobs) // 2

    def __getitem__(self, number: int) -> Row:
        return self.row(number)

    def row(self, number: int, fields: Sequence[str] | None = None) -> Row:
        """A row's fields, all by default."""
        with self._open() as file:
            self._check_version(os.fstat(file.fileno()))
            raw, blob = self._read(file, self._maps, number), self._read(file, self._blobs, number)
        return self.header.schema.decode(raw, blob, fields)

    def span(self, page_type: str, number: int) -> tuple[int, int, int]:
        """(page, first byte, end) of a row in the pages of a type, with its length."""
        spans = self._blobs if page_type == BLOB else self._maps
        start, length = spans[2 * number] - LENGTH_BYTES - self.header.header_size, spans[2 * number + 1]
        page, offset = divmod(start, self.header.page_size)
        return page, offset, offset + LENGTH_BYTES + length

    def _spans(self, file: BinaryIO, page_type: str) -> array[int]:
        spans = array("q")
        for page in self.header.pages_of(page_type):
            position, end = self.header.offset(page), self.header.offset(page) + page.size
            while position < end:
                file.seek(position)
                length = int.from_bytes(file.read(LENGTH_BYTES), "little")
                position += LENGTH_BYTES
                if not 0 < length <= end - position:  # no row is empty: holes of a sparse file are no rows
                    raise self._damage_error(f"a row of {length} bytes at {position} is not inside of its page")
                spans.extend((position, length))
                position += length
        return spans

    def _read(self, file: BinaryIO, spans: array[int], number: int) -> bytes:
        position, length = spans[2 * number], spans[2 * number + 1]
        file.seek(position)
        data = file.read(length)
        if len(data) < length:
            raise self._damage_error("it was cut off after it had been opened")
        return data

    def _open(self) -> BinaryIO:
        """The file itself, opened; raises ``RuntimeError`` if it is missing, as while a writer renames it."""
        try:
            return open(self.path, "rb")
        except (FileNotFoundError, IsADirectoryError):
            raise ArgRuntimeError(f"The input: {self.path} is not exists.") from None

    def check_unchanged(self) -> None:
        """Raises ``RuntimeError`` if there is another file with this name than when it was opened, or none."""
        with self._open() as file:
            self._check_version(os.fstat(file.fileno()))

    def _check_version(self, status: os.stat_result) -> None:
        if _version(status) != self._version:
            raise ArgRuntimeError(f"mindrecord: {self.path} was changed after it had been opened; open it again")

    def _damage_error(self, text: str) -> MinigraphError:
        return ArgRuntimeError(f"mindrecord: {self.path.name!r} is damaged: {text}; write it again")


def _version(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


class RecordFiles:
    """The rows of several files with one schema: of all files of a data set for one name, else of a list.

    Raises ``RuntimeError`` as ``RecordFile`` does, and for files with different schemas or of different data sets.
    """

    def __init__(self, names: str | Path | Sequence[str | Path]) -> None:
        if isinstance(names, str | Path):
            first = RecordFile(Path(names))
            first_name = first.header.files[first.header.shard]
            paths = [first.path.parent / name for name in first.header.files]
            self.files = [first if path.name == first_name else RecordFile(path) for path in paths]
            for number, file in enumerate(self.files):
                if (file.header.files, file.header.shard) != (first.header.files, number):
                    raise ArgRuntimeError(
                        f"mindrecord: {file.path} belongs to another data set than {first.path}: that has the files "
                        f"{', '.join(first.header.files)}, this one {', '.join(file.header.files)}; write them again"
                    )
        else:
            self.files = [RecordFile(Path(name)) for name in names]
        for file in self.files:
            file.check_unchanged()  # a writer that replaced some before they were opened has replaced all by now
        self.header = self.files[0].header
        self.ends = list(accumulate(map(len, self.files)))
        for file in self.files:
            if file.header.schema.fields != self.header.schema.fields:
                raise ArgRuntimeError(
                    f"mindrecord: {file.path.name!r} has another schema than {self.files[0].path.name!r}"
                )

    def __len__(self) -> int:
        return self.ends[-1]

    def row(self, number: int, fields: Sequence[str] | None = None) -> Row:
        """A row of all files together; raises ``IndexError`` if there is none with this number."""
        if not 0 <= number < len(self):
            raise RangeError(f"mindrecord: no row {number} among {len(self)}; use numbers from 0 to {len(self) - 1}")
        file_index = bisect_right(self.ends, number)
        return self.files[file_index].row(number - (self.ends[file_index - 1] if file_index else 0), fields)

    def check_fields(self, fields: Sequence[str] | None) -> None:
        """Raises ``RuntimeError`` for a field that the schema does not have."""
        for name in fields or ():
            if name not in self.header.schema.fields:
                raise ArgRuntimeError(
                    f"Invalid data, column name: {name} can not found in schema. Please check the 'column_list'."
                )
