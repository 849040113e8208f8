"""Lessons as files: cells, answers, names and the folder."""

from importlib import metadata
from pathlib import Path

import pytest

from minigraph.core.errors import UnknownNameError, UsageError
from minigraph.lessons import lesson_files
from minigraph.lessons.lesson_files import Cell, Lesson, cells_of, folder, lesson_named, lessons
from tests.tables import error_cases

TEXT = """\
# %% [markdown]
# # 7. A title
#
# Prose.

# %%
x = 1

# %% exercise
answer = None  # your line

# %%
check_it(answer)
"""
ANSWERS = """\
# %% hint
# First hint,
# second line.

# %% hint
# Another hint.

# %% solution
answer = 1


# %% wrong: too large
answer = 2
"""


@pytest.fixture
def lesson(tmp_path):
    (tmp_path / "solutions").mkdir()
    (tmp_path / "07_words_here.py").write_text(TEXT)
    (tmp_path / "solutions" / "07_words_here.py").write_text(ANSWERS)
    return Lesson(tmp_path / "07_words_here.py")


def test_cells_have_their_heading_text_and_line():
    assert [cell.heading for cell in cells_of(TEXT)] == ["[markdown]", "", "exercise", ""]
    lines = TEXT.splitlines(keepends=True)
    assert all("".join(lines[cell.line :]).startswith(cell.text) for cell in cells_of(TEXT))
    assert cells_of("print(1)\n") == []
    assert cells_of("before\n# %%\nafter\n") == [Cell("", "after\n", 2)]


def test_prose_loses_its_comment_signs_and_code_stays(lesson):
    prose, code = lesson.cells[:2]
    assert prose.plain_text == "# 7. A title\n\nProse."
    assert code.plain_text == "x = 1"


def test_a_lesson_has_named_parts(lesson):
    assert (lesson.number, lesson.name, lesson.title) == (7, "07_words_here", "A title")
    assert lesson.exercise.text.startswith("answer = None")
    assert lesson.hints == ["First hint,\nsecond line.", "Another hint."]
    assert lesson.solution == "answer = 1\n"
    assert lesson.wrong == [("too large", "answer = 2\n")]


@pytest.mark.parametrize("text", ["1", "01", "tape", "01_tape", "01_tape.py", "01_tape.ipynb", "TAPE"])
def test_a_lesson_has_many_names(text):
    assert lesson_named(text).name == "01_tape"


def test_a_part_of_a_name_is_enough_if_unique(monkeypatch, lesson):
    monkeypatch.setattr(lesson_files, "lessons", lambda: [lesson, Lesson(Path("08_words_there.py"))])
    assert lesson_named("words_h").number == 7
    with pytest.raises(UnknownNameError, match="no lesson 'words'"):
        lesson_named("words")


test_an_unknown_lesson_is_refused_with_the_nearest = error_cases(
    ("taep", "did you mean 'tape'"),
    ("99", "; lessons have the numbers 1 to 15$"),
    ("", "; known: .*kernel, model"),
    by=lesson_named,
    error=UnknownNameError,
)


# ---- their folder -------------------------------------------------------------------------------------


class Installed:
    """A file of an installed wheel's record."""

    def __init__(self, path):
        self.path, self.name, self.parent = path, path.name, path.parent

    def locate(self):
        return self.path


def test_in_a_checkout_they_are_next_to_the_package():
    assert folder().name == "tutorials"
    assert lessons()[0].name == "01_tape"


def test_the_file_record_of_a_wheel_names_the_folder(monkeypatch, tmp_path):
    installed = tmp_path / "lib" / "minigraph"
    monkeypatch.setattr("minigraph.__file__", str(installed / "__init__.py"))
    share = tmp_path / "share" / "minigraph" / "tutorials"
    record = [Installed(share / "solutions" / "01_tape.py"), Installed(share / "01_tape.py")]
    monkeypatch.setattr(metadata, "files", lambda name: record)
    assert folder() == share


def no_record(name):
    raise metadata.PackageNotFoundError(name)


@pytest.mark.parametrize("files", [no_record, lambda name: None, lambda name: []])
def test_an_installation_without_lessons_raises(files, monkeypatch, tmp_path):
    monkeypatch.setattr("minigraph.__file__", str(tmp_path / "minigraph" / "__init__.py"))
    monkeypatch.setattr(metadata, "files", files)
    with pytest.raises(UsageError, match="has no lessons"):
        folder()
