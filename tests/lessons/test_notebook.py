import json

import pytest

from minigraph.core.errors import UsageError
from minigraph.lessons import as_notebook, lessons, notebook_text
from minigraph.lessons.notebook import answer_in

LESSON = lessons()[0]


def test_a_notebook_has_every_cell_in_order_and_no_outputs():
    cells = as_notebook(LESSON)["cells"]
    assert ["".join(cell["source"]) for cell in cells] == [cell.plain_text for cell in LESSON.cells]
    assert [cell["cell_type"] == "markdown" for cell in cells] == [cell.is_prose for cell in LESSON.cells]
    assert not any(cell.get("outputs") for cell in cells)
    assert len({cell["id"] for cell in cells}) == len(cells)


def test_an_answer_takes_the_place_of_the_exercise():
    solved, blank = as_notebook(LESSON, "answer = 1\n"), as_notebook(LESSON)
    changed = [a["source"] for a, b in zip(solved["cells"], blank["cells"], strict=True) if a != b]
    assert changed == [["answer = 1"]]


def test_the_text_is_json_and_the_same_each_time():
    assert json.loads(notebook_text(LESSON)) == as_notebook(LESSON)
    assert notebook_text(LESSON) == notebook_text(LESSON)


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("answer.py", "x = 1\n", "x = 1\n"),
        ("answer.py", "# %%\nimport os\n# %% exercise\nx = 2\n# %%\nx\n", "x = 2\n"),
        ("answer.py", "", ""),
        ("any.ipynb", json.dumps(as_notebook(LESSON, "mine = 1\nyours = 2")), "mine = 1\nyours = 2"),
    ],
    ids=["all of a file", "the exercise", "nothing", "the tagged cell of a notebook"],
)
def test_the_answer_in_a_file_is_its_exercise_or_all_of_it(name, text, answer, tmp_path):
    (tmp_path / name).write_text(text)
    assert answer_in(tmp_path / name) == answer


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": []}', '{"cells": [{}]}', '{"cells": [1]}', "not json",
                                  "[" * 100_000, '{"cells": ' * 100_000])  # fmt: skip
def test_a_notebook_without_the_exercise_is_refused(text, tmp_path):
    (tmp_path / "other.ipynb").write_text(text)
    with pytest.raises(UsageError, match="no cell tagged 'exercise'"):
        answer_in(tmp_path / "other.ipynb")


UNREADABLE = [("nowhere.py", "No such file"), ("bytes.py", "not UTF-8 text"), ("", "cannot read")]


@pytest.mark.parametrize(("name", "message"), UNREADABLE)
def test_a_file_that_cannot_be_read_is_refused(name, message, tmp_path):
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=message):
        answer_in(tmp_path / name)
