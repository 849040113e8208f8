"""``FileReader``: the rows of MindRecord files, in order, as dicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minigraph.mindrecord.arguments import check_reader
from minigraph.mindrecord.errors import ParamTypeError
from minigraph.mindrecord.record_file import RecordFiles


class FileReader:
    """Reads all files that were written with one file, or only those in a list; ``columns`` selects fields.

    A field is an int, a float, a str, bytes, or a numpy array. ``num_consumer`` has no effect. Raises
    ``ParamValueError`` or ``ParamTypeError`` for other arguments, ``RuntimeError`` for unknown columns and for files
    that are missing or damaged.

    >>> import tempfile
    >>> from minigraph.mindrecord import FileWriter
    >>> writer = FileWriter(name := tempfile.mkdtemp() + "/words.mindrecord")
    >>> writer.add_schema({"word": {"type": "string"}, "n": {"type": "int64"}})
    >>> writer.write_raw_data([{"word": "one", "n": 1}])
    >>> writer.commit()
    >>> reader = FileReader(name, columns=["word"])
    >>> list(reader.get_next()), reader.len(), reader.schema()
    ([{'word': 'one'}], 1, {'n': {'type': 'int64'}, 'word': {'type': 'string'}})
    """

    def __init__(
        self,
        file_name: str | list[str],
        num_consumer: int = 4,
        columns: list[str] | None = None,
        operator: object = None,
    ) -> None:
        check_reader(file_name, num_consumer)
        if columns and not isinstance(columns, list):
            raise ParamTypeError("'columns' expect list type.")
        self._columns = columns or None
        self._files = RecordFiles(file_name)
        self._files.check_fields(self._columns)

    def get_next(self) -> Iterator[dict[str, Any]]:
        """All rows, one after the other."""
        return (self._files.row(number, self._columns) for number in range(len(self._files)))

    def close(self) -> None:
        """Nothing to do: a file is open only while a row is read."""

    def schema(self) -> dict[str, dict[str, Any]]:
        """The type and shape of each field, in the form of ``FileWriter.add_schema``."""
        return {name: dict(sorted(field.items())) for name, field in self._files.header.schema.fields.items()}

    def len(self) -> int:
        """The number of rows."""
        return len(self._files)
