"""``MindPage``: the rows of MindRecord files by the values of an index field."""

from __future__ import annotations

import json
from typing import Any

from minigraph.core.errors import ArgRuntimeError
from minigraph.core.lazy import cached_property
from minigraph.mindrecord.arguments import check_reader
from minigraph.mindrecord.errors import MRMDefineCategoryError, ParamTypeError, ParamValueError
from minigraph.mindrecord.record_file import RecordFiles


class MindPage:
    """Rows grouped by the value of the field ``category_field``, one of ``candidate_fields``, as pages of rows.

    Raises ``ParamValueError`` for other arguments, ``RuntimeError`` for files that are missing or damaged.

    >>> import tempfile
    >>> from minigraph.mindrecord import FileWriter
    >>> writer = FileWriter(name := tempfile.mkdtemp() + "/labels.mindrecord")
    >>> writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}})
    >>> writer.write_raw_data([{"label": i % 2, "data": bytes([i])} for i in range(1, 4)])
    >>> writer.commit()
    >>> pages = MindPage(name)
    >>> pages.category_field = "label"
    >>> pages.read_category_info()
    '{"categories":[{"count":1,"id":0,"name":"0"},{"count":2,"id":1,"name":"1"}],"key":"label_0"}'
    >>> pages.read_at_page_by_name("1", 0, 10)
    [{'label': 1, 'data': b'\\x01'}, {'label': 1, 'data': b'\\x03'}]
    """

    def __init__(self, file_name: str | list[str], num_consumer: int = 4) -> None:
        check_reader(file_name, num_consumer)
        self._files = RecordFiles(file_name)
        self._category_field: str | None = None

    @property
    def candidate_fields(self) -> list[str]:
        """The index fields of the files."""
        return list(self._files.header.index_fields)

    @property
    def category_field(self) -> str | None:
        """The field that groups the rows; raises ``MRMDefineCategoryError`` for one that is no index field."""
        return self._category_field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not category_field or not isinstance(category_field, str):
            raise ParamTypeError("'category_fields' expect str type.")
        if category_field not in self.candidate_fields:
            raise MRMDefineCategoryError(f"Field '{category_field}' is not a candidate category field.")
        self._category_field = category_field
        self.__dict__.pop("_rows_by_name", None)

    @cached_property
    def _rows_by_name(self) -> dict[str, list[int]]:
        """The numbers of the rows of each value, as text, in the order of the texts."""
        field = self._category_field
        if field is None:
            raise ArgRuntimeError("Invalid data, field: is invalid; set category_field to one of candidate_fields.")
        rows: dict[str, list[int]] = {}
        for number in range(len(self._files)):
            rows.setdefault(_as_text(self._files.row(number, [field])[field]), []).append(number)
        return dict(sorted(rows.items()))

    def read_category_info(self) -> str:
        """The values, with their numbers and how many rows they have, as JSON."""
        categories = [
            {"count": len(rows), "id": number, "name": name}
            for number, (name, rows) in enumerate(self._rows_by_name.items())
        ]
        content = {"categories": categories, "key": f"{self._category_field}_0"}
        return json.dumps(content, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """The rows of a page of ``num_row`` rows of the category with this number; both numbers begin with 0.

        Raises ``ParamValueError`` for other arguments, ``RuntimeError`` for a category or page that does not exist.
        """
        _check_numbers("Category id", category_id, page, num_row)
        names = list(self._rows_by_name)
        if category_id >= len(names):
            raise ArgRuntimeError(
                f"Invalid data, category_id: {category_id} must be in the range [0, {len(names) - 1}]."
            )
        return self._page(names[category_id], page, num_row)

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        """The rows of a page of the category with this value; raises as ``read_at_page_by_id`` does."""
        if not isinstance(category_name, str):
            raise ParamValueError("Category name should be str.")
        _check_numbers("Category id", 0, page, num_row)
        if category_name not in self._rows_by_name:
            raise ArgRuntimeError(f"category_name: {category_name} could not found.")
        return self._page(category_name, page, num_row)

    def _page(self, name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        rows = self._rows_by_name[name][page * num_row : (page + 1) * num_row]
        if not rows:
            raise ArgRuntimeError(f"Invalid data, page no: {page} or page size: {num_row} is invalid.")
        return [self._files.row(number) for number in rows]


def _as_text(value: Any) -> str:
    """The value as SQLite writes it, which MindSpore uses: floats with 15 digits.

    >>> _as_text(1 / 3), _as_text(2.0), _as_text(7)
    ('0.333333333333333', '2.0', '7')
    """
    text = f"{value:.15g}" if isinstance(value, float) else str(value)
    return f"{text}.0" if isinstance(value, float) and text.lstrip("-").isdigit() else text


def _check_numbers(name: str, number: Any, page: Any, num_row: Any) -> None:
    for text, value, least in ((name, number, 0), ("Page", page, 0)):
        if not isinstance(value, int) or value < least:
            raise ParamValueError(f"{text} should be int and greater than or equal to 0.")
    if not isinstance(num_row, int) or num_row <= 0:
        raise ParamValueError("num_row should be int and greater than 0.")
