"""Records of separated values; tests/differential compares ``CSVDataset`` with MindSpore."""

from pathlib import Path

import pytest

import minigraph.dataset as ds
from minigraph.dataset.readers.csv_files import read_records, records
from tests.tables import error_cases

test_refusals_of_text = error_cases(
    '1" ,2\n', '"1" ,2\n', '1,2\n"1,2\n', by=lambda text: list(records(text, ",")),
    error=RuntimeError, text="a quote inside of a value",
)  # fmt: skip


def test_delimiters_in_regular_expressions() -> None:
    assert list(records("a|b\nc^|d", "|")) == [["a", "b"], ["c^", "d"]] and list(records("a^b", "^")) == [["a", "b"]]


def test_records_with_types(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('name,n\n"two\nlines",3\n\nplain,-4 apples\n')
    data = ds.CSVDataset(str(path), column_defaults=["", 0], shuffle=False)
    rows = list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert [(name.item(), n.item(), str(n.dtype)) for name, n in rows] == [
        ("two\nlines", 3, "int32"), ("plain", -4, "int32"),
    ]  # fmt: skip
    assert data.get_dataset_size() == 2
    with pytest.raises(RuntimeError, match="a record has 2 values for 3 columns"):
        list(read_records(path, ",", 3))
