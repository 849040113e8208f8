"""The table of a sweep: one row per point, on disk as soon as it is known.

A row is written by one call and ends with a newline, so a run that was killed leaves whole rows and at most one
half-written line, which the next run cuts off. When every point is there the rows are put into the order of the
space, by which the file is the same to the byte whatever executor ran and however often the run was interrupted.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from minigraph.core.errors import UsageError
from minigraph.npu.sweeps.axes import number
from minigraph.npu.sweeps.parquet import write_parquet
from minigraph.npu.sweeps.space import Point, Space
from minigraph.npu.sweeps.work_item import Figures

INTEGERS, WORDS = ("tasks", "cycles", "notes"), ("standing", "error")
OTHERWISE = "choose another file, or sweep what it holds"


class Row(NamedTuple):
    """What was found at a point, and the digest of what had been asked."""

    figures: Figures
    sent: str


class Table:
    """The rows of a sweep by point, in memory and, with a ``path``, in a CSV file; ``settings`` hold for every row.

    Making one reads what the file holds and writes nothing. Raises ``UsageError``, naming file and line, for a file
    that is no table of this space and these settings.
    """

    def __init__(self, space: Space, settings: Mapping[str, str], path: Path | None = None) -> None:
        self.space, self.settings, self.path = space, settings, path
        figures = tuple(axis.figure for axis in space.axes)
        self.columns = ("model", "pipeline", "chip", *figures, *settings, *Figures._fields[:-1], "sent", "error")
        self.rows: dict[Point, Row] = {}
        self._whole = 0  # bytes of the file up to the end of its last whole line
        self._file: BinaryIO | None = None
        if path is not None:
            self._read(path)

    # ---- what a caller reads -----------------------------------------------------------------------

    @property
    def failed(self) -> list[tuple[Point, str]]:
        """The points with an error, and the error."""
        return [(point, self.rows[point].figures.error) for point in self._order() if self.rows[point].figures.error]

    def records(self) -> list[dict[str, Any]]:
        """The rows in the order of the space, as dicts by column: what ``pandas.DataFrame`` takes."""
        return [dict(zip(self.columns, self._values(point), strict=True)) for point in self._order()]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<sweep: {len(self):,} of {self.space.size:,} points, {len(self.failed):,} with an error>"

    # ---- writing -----------------------------------------------------------------------------------

    def __enter__(self) -> Table:
        if self.path is not None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = open(self.path, "ab")
                self._file.truncate(self._whole)
            except OSError as error:
                raise _unusable(self.path, error) from None
            if not self._whole:
                self._write(self.columns)
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def add(self, point: Point, row: Row) -> None:
        """Keep the row of a point, and write it if there is a file."""
        self.rows[point] = row
        self._write(self._values(point))

    def _write(self, values: tuple[Any, ...]) -> None:
        if self._file is not None:
            self._file.write(_line(values))
            self._file.flush()

    def finish(self) -> None:
        """Put the file's rows into the order of the space, and write a Parquet file beside it where pyarrow is."""
        if self.path is None:
            return
        beside = self.path.with_name(f".{self.path.name}.part")
        with open(beside, "wb") as file:
            file.write(_line(self.columns))
            file.writelines(_line(self._values(point)) for point in self._order())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.path)
        write_parquet(self.path.with_suffix(".parquet"), self.columns, self.records())

    def _order(self) -> Iterator[Point]:
        return (point for point in self.space if point in self.rows)

    def _values(self, point: Point) -> tuple[Any, ...]:
        (*figures, error), sent = self.rows[point]
        return *point[:3], *point.values, *self.settings.values(), *figures, sent, error

    # ---- reading -----------------------------------------------------------------------------------

    def _read(self, path: Path) -> None:
        try:
            content = path.read_bytes() if path.exists() else b""
        except OSError as error:
            raise _unusable(path, error) from None
        self._whole = content.rfind(b"\n") + 1
        header, *lines = content[: self._whole].split(b"\n")[:-1] or [b""]
        if not _line(self.columns).startswith(content if not self._whole else header + b"\n"):
            raise UsageError(f"{path}: {self._other_columns(header or content)}; {OTHERWISE}")
        for line_number, line in enumerate(lines, 2):
            self._take(f"{path}, line {line_number}", line)

    def _other_columns(self, header: bytes) -> str:
        try:
            found = _cells(header)
        except (UnicodeDecodeError, csv.Error):
            return "this is no table of a sweep"
        if not {"model", "chip", "sent"} <= set(found):
            return "this is no table of a sweep"
        more, less = ([name for name in a if name not in b] for a, b in ((found, self.columns), (self.columns, found)))
        told = [f"{what} {', '.join(names)}" for what, names in (("it has", more), ("it lacks", less)) if names]
        return f"the columns are another sweep's: {' and '.join(told) or 'in another order'}"

    def _take(self, where: str, line: bytes) -> None:
        try:
            cells = dict(zip(self.columns, _cells(line), strict=True))
            values = {axis.figure: number(cells[axis.figure]) for axis in self.space.axes}
            figures = Figures(*(_figure(name, cells[name]) for name in Figures._fields))
        except (ValueError, csv.Error):
            raise UsageError(f"{where}: this is no row of a sweep; {OTHERWISE}") from None
        self._check(where, cells | values)
        point = Point(cells["model"], cells["pipeline"], cells["chip"], self._given(values))
        row, before = Row(figures, cells["sent"]), self.rows.get(point)
        if before is not None and before != row and not before.figures.error:
            raise UsageError(f"{where}: another row of the same point says something else; {OTHERWISE}")
        self.rows[point] = row

    def _given(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """The values as the axes have them: 150 where the file says 150.0."""
        return tuple(axis.values[axis.values.index(values[axis.figure])] for axis in self.space.axes)

    def _check(self, where: str, cells: Mapping[str, Any]) -> None:
        """Raise ``UsageError`` for a cell that no row of this sweep has."""
        for name, value in self.settings.items():
            if cells[name] != value:
                raise UsageError(f"{where}: {name} is '{cells[name]}', this sweep's is '{value}'; {OTHERWISE}")
        names = {"model": self.space.models, "pipeline": self.space.pipelines, "chip": self.space.chips}
        for name, known in {**names, **{axis.figure: axis.values for axis in self.space.axes}}.items():
            if cells[name] not in known:
                raise UsageError(f"{where}: {name} '{cells[name]}' is not in this sweep; {OTHERWISE}")


def _figure(name: str, cell: str) -> Any:
    if name in WORDS:
        return cell
    return (int(cell) if name in INTEGERS else float(cell)) if cell else None


def _cells(line: bytes) -> list[str]:
    return next(csv.reader([line.decode()], strict=True), [])


def _line(values: tuple[Any, ...]) -> bytes:
    """One line of CSV; floats as Python writes them, which reads back to the same number."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue().encode()


def _unusable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"sweep: cannot use '{path}': {error.strerror}; choose another file")
