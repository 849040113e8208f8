"""Rows of files with separated values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.dataset.arguments import as_column_names
from minigraph.dataset.number_text import begins_with_infinity, leading_float, leading_integer
from minigraph.dataset.readers.reader_arguments import Shuffle, check_instance, matching_files
from minigraph.dataset.readers.text_files import GLOBAL, RowFiles, read_text

BYTE_ORDER_MARK = "\ufeff"


class CSVDataset(RowFiles):
    """The records of files with separated values; a value in quotes may hold separators and line ends.

    The columns are ``column_names``, or the first record of the first file, which every file then begins with.
    ``column_defaults`` has a value per column, and its type (str, int: int32, or float: float32) is the column's; the
    default is str. The other arguments and errors are those of ``TextFileDataset``. Raises ``RuntimeError`` for records
    of unequal length and for values that are no number.

    >>> import tempfile
    >>> file = tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False)
    >>> _, _ = file.write('name,n\\n"a, b",3\\n'), file.close()
    >>> data = CSVDataset(file.name, column_defaults=["", 0], shuffle=False)
    >>> [row["n"].dtype for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)], data.get_col_names()
    ([dtype('int32')], ['name', 'n'])
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        field_delim: str | None = ",",
        column_defaults: Sequence[object] | None = None,
        column_names: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        files, delimiter = matching_files(dataset_files), _check_delimiter(field_delim)
        parsers = _parsers(column_defaults)
        columns = _check_names(column_names) if column_names else _header(files, delimiter)

        def read(path: Path) -> Iterator[list[object]]:
            return read_records(path, delimiter, len(columns), parsers, skip=0 if column_names else 1)

        super().__init__(files, columns, read, num_samples, shuffle, num_shards, shard_id)


# ---- records ---------------------------------------------------------------------------------------


def records(text: str, delimiter: str, name: str = "text") -> Iterator[list[str]]:
    """The records of a text; raises ``RuntimeError`` for a quote inside of a value without quotes.

    >>> list(records('a,"b, c"\\n\\n"a ""b"" c",\\n', ","))
    [['a', 'b, c'], ['a "b" c', '']]
    """
    field = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{re.escape(delimiter)}\r\n]*))({re.escape(delimiter)}|[\r\n]+|\Z)')
    record: list[str] = []
    position = len(text) - len(text.lstrip("\r\n"))
    while position < len(text) or record:
        match = field.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            raise ArgRuntimeError(f"CSVDataset: {name!r}, line {line}: a quote inside of a value, or without its end")
        quoted, unquoted, end = match.groups()
        record.append(unquoted if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if end != delimiter:
            yield record
            record = []


def read_records(
    path: Path, delimiter: str, width: int, parsers: Sequence[Callable[[str], object]] = (), skip: int = 0
) -> Iterator[list[object]]:
    """The records of a file as rows of ``width`` values, from number ``skip`` on; columns without a parser are str.

    Raises ``RuntimeError`` for records of another length.
    """
    parse: list[Callable[[str], object]] = [*parsers, *[str] * (width - len(parsers))]
    if len(parse) != width:
        raise ArgRuntimeError(f"CSVDataset: {len(parse)} column_defaults for {width} columns")
    for number, record in enumerate(records(read_text(path), delimiter, path.name)):
        if number < skip:
            continue
        if len(record) != width:
            raise ArgRuntimeError(f"CSVDataset: {path.name!r}: a record has {len(record)} values for {width} columns")
        yield [function(value) for function, value in zip(parse, record, strict=True)]


def _int32(text: str) -> np.int32:
    number = leading_integer(text)
    if number is None or not -(2**31) <= number < 2**31:
        raise ArgRuntimeError(f"CSVDataset: {text!r} is no int32; the type of column_defaults does not match")
    return np.int32(number)


def _float32(text: str) -> np.float32:
    number = leading_float(text)
    if number is None:
        raise ArgRuntimeError(f"CSVDataset: {text!r} is no number; the type of column_defaults does not match")
    value = call_ignoring_float_errors(np.float32, number)
    if np.isinf(value) and not begins_with_infinity(text):
        raise ArgRuntimeError(f"CSVDataset: {text!r} is too large for float32")
    return value


# ---- arguments -------------------------------------------------------------------------------------

PARSERS: dict[type, Callable[[str], object]] = {str: str, int: _int32, float: _float32}


def _check_delimiter(delimiter: str | None) -> str:
    if delimiter is None:
        return ","
    check_instance("field delim", delimiter, (str,))
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise ArgValueError(f"field_delim is invalid: {delimiter!r} is not one character that separates values.")
    return delimiter


def _parsers(defaults: Sequence[object] | None) -> list[Callable[[str], object]]:
    if defaults is not None and not isinstance(defaults, list):
        raise ArgTypeError(f"column_defaults should be type of list, got {defaults!r}.")
    if any(type(value) not in PARSERS for value in defaults or ()):
        raise ArgTypeError(f"column type in column_defaults is invalid: {defaults} are not str, int or float.")
    return [PARSERS[type(value)] for value in defaults or ()]


def _check_names(names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ArgTypeError(f"column_names should be a list of str, got {names!r}.")
    return _distinct(names)


def _distinct(names: Sequence[str]) -> Sequence[str]:
    """The names; raises ``RuntimeError`` for a repeated or empty one."""
    if len(set(names)) < len(names) or not all(names):
        raise ArgRuntimeError(f"CSVDataset: column names must be distinct and not empty, got {list(names)}")
    return as_column_names(names)


def _header(files: Sequence[Path], delimiter: str) -> Sequence[str]:
    """The first line of the first file, whose quotes are part of the names."""
    line = read_text(files[0]).removeprefix(BYTE_ORDER_MARK).partition("\n")[0].rstrip("\r")
    if not line:
        raise ArgRuntimeError("CSVDataset: there is no header with the names of columns; pass column_names")
    return _distinct(line.split(delimiter))
