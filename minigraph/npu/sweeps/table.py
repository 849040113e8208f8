"""The table of a sweep: one row per point, appended to a CSV file as soon as it is known.

A row is written by one call and ends with a newline, so a killed run leaves complete rows and at most one partial line,
which the next run truncates. The last cell of a row is a checksum of the others, so a row that was changed is refused.
When the sweep is complete, the rows are sorted into the order of the space, so that the file is identical to the byte
for every executor and any number of interruptions.
"""

from __future__ import annotations

import csv
import io
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.errors import UsageError
from minigraph.core.files import decode_surrogates, replace_file
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor.conversion import short_repr
from minigraph.npu.sweeps.axes import parse_number
from minigraph.npu.sweeps.parquet import write_parquet
from minigraph.npu.sweeps.space import Point, Space
from minigraph.npu.sweeps.work_item import Metrics

INTEGER_COLUMNS, TEXT_COLUMNS = ("tasks", "cycles", "notes"), ("standing", "memory", "error")
CHECK = "crc32"  # the last column of the file
OTHER_FILE_HINT = "choose another file, or sweep what it holds"


class Row(NamedTuple):
    """The result at a point, and the digest of the work item that was ``sent``."""

    metrics: Metrics
    sent: str


class Table:
    """The rows of a sweep by point, in memory and, with a ``path``, in a CSV file; ``settings`` are equal in all rows.

    The constructor reads the file and writes nothing. Raises ``UsageError``, with file and line, for a file that is no
    table of this space and these settings.
    """

    def __init__(self, space: Space, settings: Mapping[str, str], path: Path | None = None) -> None:
        self.space, self.path = space, path
        self.settings = {name: decode_surrogates(value) for name, value in settings.items()}
        kinds = {"model": space.models, "pipeline": space.pipelines, "chip": space.chips}
        self._names = {kind: {decode_surrogates(name): name for name in names} for kind, names in kinds.items()}
        parameters = tuple(axis.parameter for axis in space.axes)
        self.columns = ("model", "pipeline", "chip", *parameters, *settings, *Metrics._fields[:-1], "sent", "error")
        self.rows: dict[Point, Row] = {}
        self._valid_bytes = 0  # length of the file up to its last complete line
        self._file: BinaryIO | None = None
        if path is not None:
            self._read(path)

    # ---- results -----------------------------------------------------------------------------------

    failed = DeprecatedAttribute("failures")

    @property
    def failures(self) -> list[tuple[Point, str]]:
        """The points with an error, and the error."""
        return [(point, self.rows[point].metrics.error) for point in self._points() if self.rows[point].metrics.error]

    def records(self) -> list[dict[str, Any]]:
        """The rows in the order of the space, as dictionaries by column, for ``pandas.DataFrame``."""
        return [dict(zip(self.columns, self._values(point, self.rows[point]), strict=True)) for point in self._points()]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        metrics = [row.metrics for row in self.rows.values()]
        counts = {
            "what-if": sum(m.standing.startswith("what-if") for m in metrics),
            "not fitting the memory": sum(bool(m.memory) for m in metrics),
        }
        more = "".join(f", {count:,} {name}" for name, count in counts.items() if count)
        return f"<sweep: {len(self):,} of {self.space.size:,} points, {len(self.failures):,} with an error{more}>"

    # ---- writing -----------------------------------------------------------------------------------

    def __enter__(self) -> Table:
        if self.path is not None:
            with _file_errors(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = open(self.path, "ab")
                self._file.truncate(self._valid_bytes)
            if not self._valid_bytes:
                try:
                    self._write(_csv_line((*self.columns, CHECK)))
                except UsageError:
                    with suppress(UsageError):
                        self.__exit__()
                    raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            with _file_errors(Path(file.name)):
                file.close()  # after a full disk it writes once more what it could not

    def add(self, point: Point, row: Row) -> None:
        """Add the row of a point, and append it to the file."""
        self.rows[point] = row
        self._write(_checked_line(self._values(point, self.rows[point])))

    def _write(self, line: bytes) -> None:
        if self._file is not None:
            with _file_errors(Path(self._file.name)):
                self._file.write(line)
                self._file.flush()

    def finish(self) -> None:
        """Sort the file's rows into the order of the space, and write a Parquet file if pyarrow is installed."""
        if self.path is None:
            return
        with _file_errors(self.path):
            with replace_file(self.path) as temporary, open(temporary, "xb") as file:
                file.write(_csv_line((*self.columns, CHECK)))
                file.writelines(_checked_line(self._values(point, self.rows[point])) for point in self._points())
                file.flush()
                os.fsync(file.fileno())
            write_parquet(self.path.with_suffix(".parquet"), self.columns, self.records())

    def _points(self) -> Iterator[Point]:
        return (point for point in self.space if point in self.rows)

    def _values(self, point: Point, row: Row) -> tuple[object, ...]:
        (*metrics, error), sent = row
        return *point[:3], *point.values, *self.settings.values(), *metrics, sent, error

    # ---- reading -----------------------------------------------------------------------------------

    def _read(self, path: Path) -> None:
        with _file_errors(path):
            content = path.read_bytes() if path.exists() else b""
        kinds = self.space.models, self.space.pipelines, self.space.chips
        breaks = sum(max(name.count("\n") for name in names) for names in kinds)
        header, *lines = [*_lines(content, breaks)] or [b""]
        self._valid_bytes = sum(len(line) + 1 for line in (header, *lines)) if header else 0
        if not _csv_line((*self.columns, CHECK)).startswith(content if not self._valid_bytes else header + b"\n"):
            raise UsageError(f"{path}: {self._other_columns(header or content)}; {OTHER_FILE_HINT}")
        for line_number, line in enumerate(lines, 2):
            self._read_row(f"{path}, line {line_number}", line)

    def _other_columns(self, header: bytes) -> str:
        try:
            names = _parse_line(header)
        except (UnicodeDecodeError, csv.Error):
            return "this is not a table of a sweep"
        if not {"model", "chip", "sent"} <= set(names):
            return "this is not a table of a sweep"
        columns = (*self.columns, CHECK)
        extra, missing = ([x for x in a if x not in b] for a, b in ((names, columns), (columns, names)))
        differences = [
            f"{verb} {', '.join(map(_short_name, x))}" for verb, x in (("it has", extra), ("it lacks", missing)) if x
        ]
        return f"the columns are another sweep's: {' and '.join(differences) or 'in another order'}"

    def _read_row(self, where: str, line: bytes) -> None:
        try:
            *texts, check = _parse_line(line)
            cells = dict(zip(self.columns, texts, strict=True))
            values = {axis.parameter: parse_number(cells[axis.parameter]) for axis in self.space.axes}
            metrics = Metrics(*(_parse_metric(name, cells[name]) for name in Metrics._fields))
        except (ValueError, csv.Error):
            raise UsageError(f"{where}: this is not a row of a sweep; {OTHER_FILE_HINT}") from None
        self._check_cells(where, cells | values)
        model, pipeline, chip = (names[cells[kind]] for kind, names in self._names.items())
        point = Point(model, pipeline, chip, self._axis_values(values))
        row, previous = Row(metrics, cells["sent"]), self.rows.get(point)
        if check != _checksum(self._values(point, row)):
            raise UsageError(f"{where}: the row was changed after it was written; delete the line, and it is run again")
        if previous is not None and previous != row and not previous.metrics.error:
            raise UsageError(f"{where}: another row of the same point is different; {OTHER_FILE_HINT}")
        self.rows[point] = row

    def _axis_values(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """The values as written on the axes: 150 for 150.0 in the file."""
        return tuple(axis.values[axis.values.index(values[axis.parameter])] for axis in self.space.axes)

    def _check_cells(self, where: str, cells: Mapping[str, Any]) -> None:
        """Raise ``UsageError`` for a cell that is not in this sweep."""
        for name, value in self.settings.items():
            if cells[name] != value:
                raise UsageError(
                    f"{where}: {name} is {short_repr(cells[name])}, this sweep's is '{value}'; {OTHER_FILE_HINT}"
                )
        for name, choices in {**self._names, **{axis.parameter: axis.values for axis in self.space.axes}}.items():
            if cells[name] not in choices:
                text = cells[name] if isinstance(cells[name], str) else str(cells[name])
                raise UsageError(f"{where}: {name} {short_repr(text)} is not in this sweep; {OTHER_FILE_HINT}")


def _short_name(column: str) -> str:
    return short_repr(column)[1:-1]


def _parse_metric(name: str, cell: str) -> Any:
    if name in TEXT_COLUMNS:
        return cell
    return (int(cell) if name in INTEGER_COLUMNS else float(cell)) if cell else None


def _lines(content: bytes, breaks: int) -> Iterator[bytes]:
    """The complete rows of CSV; a row goes on after a line feed within quotes, of which it has ``breaks`` at most."""
    line = b""
    for part in content.split(b"\n")[:-1]:
        line += part
        if line.count(b'"') % 2 and line.count(b"\n") < breaks:
            line += b"\n"
        else:
            yield line
            line = b""


def _parse_line(line: bytes) -> list[str]:
    return next(csv.reader(io.StringIO(line.decode(errors="surrogateescape"), newline=""), strict=True), [])


def _checked_line(values: tuple[object, ...]) -> bytes:
    """A row's line of CSV, with the checksum of its other cells."""
    return _csv_line((*values, _checksum(values)))


def _checksum(values: tuple[object, ...]) -> str:
    """The checksum of the values in canonical form, so that a file may contain 150.0 for 150."""
    return f"{zlib.crc32(_csv_line(values)):08x}"


def _csv_line(values: tuple[object, ...]) -> bytes:
    """One line of CSV; floats by ``repr``, which reads back to the same number; names of files as their bytes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(values)  # which puts a cell with a "\r" in it into quotes
    return text.getvalue().removesuffix("\r\n").encode(errors="surrogateescape") + b"\n"


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Within the block, an error of the file system is a ``UsageError`` that names the file."""
    try:
        yield
    except OSError as error:
        reraise_handler_error(error)
        raise UsageError(f"sweep: cannot use '{path}': {error.strerror}; choose another file") from None
