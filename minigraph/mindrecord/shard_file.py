"""Writing one MindRecord file and its index, under temporary names until all files are complete."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from minigraph.core.errors import ArgRuntimeError
from minigraph.core.files import named_errors
from minigraph.mindrecord.header import BLOB, LENGTH_BYTES, RAW, Header, Page
from minigraph.mindrecord.index_file import IndexFile
from minigraph.mindrecord.record_file import RecordFile

EncodedRow = tuple[bytes, bytes, int]  # its map, its blob, and the bytes saved by compression
ROWS_PER_BATCH = 1000  # of an old file whose index is written again


class ShardFile:
    """The file ``path``, which is being written under the name ``temporary``, and its index ``index``.

    ``files`` closes them. ``old`` is a file to which rows are appended: a copy of it is written to.
    """

    def __init__(
        self, path: Path, temporary: Path, index: Path, header: Header, files: ExitStack, old: RecordFile | None = None
    ) -> None:
        self.header, self.rows = header, 0
        self._blobs, self._raws = header.pages_of(BLOB), header.pages_of(RAW)
        self._path = path
        with named_errors(path):
            if old is not None:
                shutil.copyfile(path, temporary)
            self._file = open(temporary, "x+b" if old is None else "r+b")  # noqa: SIM115 - ``files`` closes it
            files.callback(self._close)
            self._index = IndexFile(index, path.name, header.schema, header.index_fields)
        files.callback(self._index.close, keep=False)
        for start in range(0, len(old or ()), ROWS_PER_BATCH):
            self._add_old_rows(old, range(start, min(start + ROWS_PER_BATCH, len(old or ()))))

    def _add_old_rows(self, old: Any, numbers: range) -> None:
        groups = {page.number: group for group, page in enumerate(self._blobs)}
        spans = ((old.span(RAW, number), old.span(BLOB, number)) for number in numbers)
        positions = [(*raw, groups[blob[0]], *blob) for raw, blob in spans]
        self._add_to_index(positions, [old.row(number, self.header.index_fields) for number in numbers])

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows; raises ``RuntimeError`` for one that is larger than a page, ``OSError`` on a full disk."""
        with named_errors(self._path):
            self._add(rows)

    def _add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        encoded = [self.header.schema.encode(row) for row in rows]
        for raw, blob, _ in encoded:
            for page_type, data in (("blob", blob), ("raw", raw)):
                if len(data) + LENGTH_BYTES > self.header.page_size:
                    raise ArgRuntimeError(
                        f"Invalid data, Page size: {self.header.page_size} is too small to save a {page_type} row. "
                        "Please try to use the mindrecord api 'set_page_size(value)' to enable larger page size."
                    )
        groups = self._row_groups(encoded)
        blobs = [self._append_blobs(*item) for item in enumerate(groups)]
        if groups[0]:
            self._move_last_group(sum(LENGTH_BYTES + len(raw) for raw, _, _ in groups[0]))
        raws = [self._append_maps(*item) for item in enumerate(groups)]
        positions = [
            (*raw, *blob)
            for raw_spans, blob_spans in zip(raws, blobs, strict=True)
            for raw, blob in zip(raw_spans, blob_spans, strict=True)
        ]
        self.header.compression_size += sum(saved for _, _, saved in encoded)
        self._add_to_index(positions, rows)

    def _add_to_index(self, positions: Sequence[tuple[int, ...]], rows: Sequence[Mapping[str, Any]]) -> None:
        numbered = ([self.rows + i, *position] for i, position in enumerate(positions))
        self._index.add(zip(numbered, rows, strict=True))
        self.rows += len(rows)

    def commit(self) -> None:
        """Write the header and close the files, which then are complete; raises ``OSError`` on a full disk."""
        content = self.header.as_bytes()
        with named_errors(self._path):
            self._file.seek(0)
            self._file.write(content)
            self._file.close()
            self._index.close()

    def _close(self) -> None:
        with named_errors(self._path):
            self._file.close()

    # ---- pages -------------------------------------------------------------------------------------

    def _row_groups(self, rows: Sequence[EncodedRow]) -> list[list[EncodedRow]]:
        """The rows by row group, of which the first continues the last one of the file.

        The blobs of a group are one page, and its maps are part of one.
        """
        groups: list[list[EncodedRow]] = [[]]
        blob_size = self._blobs[-1].size if self._blobs else self.header.page_size
        raw_size = self._raws[-1].size - self._raws[-1].groups[-1][1] if self._raws else 0
        for row in rows:
            sizes = [LENGTH_BYTES + len(data) for data in row[1::-1]]
            if max(blob_size + sizes[0], raw_size + sizes[1]) > self.header.page_size:
                groups.append([])
                blob_size = raw_size = 0
            groups[-1].append(row)
            blob_size, raw_size = blob_size + sizes[0], raw_size + sizes[1]
        return groups

    def _append_blobs(self, number: int, group: Sequence[EncodedRow]) -> list[tuple[int, int, int, int]]:
        """(row group, page, first byte, end) of the written blobs of group ``number`` of a call."""
        if number > 0:
            page = self._new_page(self._blobs, BLOB, len(self._blobs), [(0, 0)])
            page.first_row = page.end_row = self._blobs[-2].end_row if len(self._blobs) > 1 else 0
        if group:
            self._blobs[-1].end_row += len(group)
        return [(len(self._blobs) - 1, *self._write(self._blobs[-1], blob)) for _, blob, _ in group]

    def _append_maps(self, number: int, group: Sequence[EncodedRow]) -> list[tuple[int, int, int]]:
        """(page, first byte, end) of the written maps of group ``number`` of a call."""
        size = sum(LENGTH_BYTES + len(raw) for raw, _, _ in group)
        if number > 0:
            previous = self._raws[-1].groups[-1][0] if self._raws else -1
            if not self._raws or self._raws[-1].size + size > self.header.page_size:
                self._new_page(self._raws, RAW, self._raws[-1].number + 1 if self._raws else 0, [])
            self._raws[-1].groups.append((previous + 1, self._raws[-1].size))
        return [self._write(self._raws[-1], raw) for raw, _, _ in group]

    def _move_last_group(self, more: int) -> None:
        """Move the last row group to a raw page of its own if its page has no room for ``more`` bytes."""
        page = self._raws[-1]
        if page.size + more <= self.header.page_size:
            return
        group, start = page.groups.pop()
        self._file.seek(self.header.offset(page) + start)
        data = self._file.read(page.size - start)
        page.size = start
        new = self._new_page(self._raws, RAW, page.number + 1, [(group, 0)])
        self._file.seek(self.header.offset(new))
        self._file.write(data)
        new.size = len(data)
        self._index.move_group(group, new.number, start)

    def _new_page(self, pages: list[Page], page_type: str, page_type_id: int, groups: list[tuple[int, int]]) -> Page:
        number = max((page.number for page in self.header.pages), default=-1) + 1
        page = Page(number, page_type, page_type_id, self.header.shard, groups)
        self.header.pages.append(page)
        pages.append(page)
        return page

    def _write(self, page: Page, data: bytes) -> tuple[int, int, int]:
        """(page, first byte, end)."""
        start = page.size
        self._file.seek(self.header.offset(page) + start)
        self._file.write(len(data).to_bytes(LENGTH_BYTES, "little") + data)
        page.size += LENGTH_BYTES + len(data)
        return page.number, start, page.size
