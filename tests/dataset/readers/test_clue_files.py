"""CLUE: tasks, and lines that do not fit them; tests/differential compares the rows with MindSpore's."""

from pathlib import Path

import pytest

import minigraph.dataset as ds
from minigraph.dataset.readers.clue_files import TASKS


def test_columns_are_sorted() -> None:
    assert all(columns.split() == sorted(columns.split()) for pair in TASKS.values() for columns in pair)


@pytest.mark.parametrize(
    "line", ["words", "[]", "3", "{}", '{"target": 3}', '{"id": 7, "sentence": null}', '{"id": 7.5, "sentence": "x"}',
             '{"id": 99999999999, "sentence": "x"}', '{"id": 1, "sentence": []}', "[" * 99999])  # fmt: skip
def test_lines_that_do_not_fit_are_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": 7, "sentence": "x"}\n\n' + line)
    with pytest.raises(RuntimeError, match=r"'a\.json': a line does not fit the task"):
        list(ds.CLUEDataset(str(tmp_path / "a.json"), "IFLYTEK", "test"))
