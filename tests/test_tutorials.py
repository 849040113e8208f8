"""Every lesson runs solved, says what is missing when it is blank, and names the wrong node of a wrong answer."""

import ast
import importlib
import re
import runpy
import sys
from pathlib import Path

import pytest

from viz.backends import graphviz_bytes

FOLDER = Path(__file__).parents[1] / "tutorials"
LESSONS = sorted(FOLDER.glob("[0-9]*.py"))
WORDS, LINES = 1000, 45  # of prose: well below fifteen minutes; of code, imports not counted


def cells(path):
    """(heading, text) of the cells of a file in percent format; text before the first cell belongs to none."""
    parts = re.split(r"^# %%(.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return list(zip([heading.strip() for heading in parts[1::2]], parts[2::2], strict=True))


def solution(path):
    return FOLDER / "solutions" / path.name


def answers(path, kind):
    """The answers of one kind, "solution" or "wrong", each with what the checker should say (a regular expression)."""
    found = ((heading, text) for heading, text in cells(solution(path)) if heading.startswith(kind))
    return [(heading.removeprefix(kind).removeprefix(":").strip(), text) for heading, text in found]


WRONG = [(path, says, text) for path in LESSONS for says, text in answers(path, "wrong")]


@pytest.fixture
def lesson(monkeypatch, tmp_path):
    """The lessons' helper module, as a lesson finds it, with pictures going to a folder of this test."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)
    lesson = importlib.import_module("lesson")
    monkeypatch.setattr(lesson, "FOLDER", tmp_path)
    yield lesson
    for name in {"lesson", "checks"} - before:
        sys.modules.pop(name, None)


def run_with(path, answer, folder):
    """Run a lesson with its exercise replaced by an answer, as a learner would have typed it in."""
    parts = [answer if heading == "exercise" else text for heading, text in cells(path)]
    file = folder / path.name
    file.write_text("\n".join(parts), encoding="utf-8")
    runpy.run_path(str(file), run_name="__main__")


# ---- answers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_the_solution_passes_and_the_picture_is_drawn(path, lesson, tmp_path, capsys):
    ((_, text),) = answers(path, "solution")
    run_with(path, text, tmp_path)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Right: ")
    (picture,) = tmp_path.glob("*.svg")
    assert picture.stem == path.stem
    assert picture.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_a_blank_exercise_fails_and_says_what_is_missing(path, lesson):
    with pytest.raises(lesson.NotYet) as told:
        runpy.run_path(str(path), run_name="__main__")
    assert re.search(r"returns nothing yet|no prediction yet|nothing was erased yet|is None", str(told.value))


@pytest.mark.parametrize(("path", "says", "text"), WRONG, ids=lambda v: v.stem if isinstance(v, Path) else None)
def test_a_wrong_answer_fails_by_name(path, says, text, lesson, tmp_path):
    with pytest.raises(lesson.NotYet) as told:
        run_with(path, text, tmp_path)
    assert re.search(says, str(told.value))


def test_every_lesson_has_one_solution_and_wrong_answers_that_say_what_is_wrong():
    assert LESSONS
    for path in LESSONS:
        assert len(answers(path, "solution")) == 1
        assert len(answers(path, "wrong")) >= 2
        assert all(len(says) > 8 for says, _ in answers(path, "wrong"))


def test_every_lesson_has_a_wrong_answer_refused_at_a_node_by_name():
    named = {path for path, says, _ in WRONG if re.search(r"%\S+ = ", says)}
    assert named == set(LESSONS)


# ---- form ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_lessons_are_short(path):
    prose = [text for heading, text in cells(path) if heading == "[markdown]"]
    code = "\n".join(text for heading, text in cells(path) if heading != "[markdown]")
    imports = [n for n in ast.parse(code).body if isinstance(n, ast.Import | ast.ImportFrom)]
    lines = [line for line in code.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert sum(len(text.split()) for text in prose) <= WORDS
    assert len(lines) - len(imports) <= LINES


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_a_lesson_has_a_title_one_picture_one_exercise_and_its_check_at_the_end(path):
    found = cells(path)
    number, title = re.match(r"# # (\d+)\. (.+)\n", found[0][1]).groups()
    assert path.name.startswith(f"{int(number):02d}_")
    assert title
    assert sum(f'"{path.stem}")' in text for heading, text in found if heading != "[markdown]") == 1
    assert [heading for heading, _ in found].count("exercise") == 1
    assert re.fullmatch(r"check_\w+\(.*\)\n", found[-1][1])


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_prose_is_prose_and_no_output_is_pasted(path):
    for heading, text in cells(path):
        if heading == "[markdown]":
            assert all(line.startswith("#") for line in text.splitlines() if line)
            assert not re.search(r"^# (?:>>>|\[\d|    )", text, re.MULTILINE)
        else:
            assert not re.search(r"^ *# ", text, re.MULTILINE)


def test_the_readme_lists_every_lesson_in_order():
    listed = re.findall(r"\]\((\d\d_\w+\.py)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert listed == [path.name for path in LESSONS]


# ---- helpers -------------------------------------------------------------------------------------------


def test_pictures_are_shown_in_a_notebook(lesson, monkeypatch, tmp_path):
    shown = []

    class Display:
        SVG = staticmethod(lambda text: text)
        display = staticmethod(shown.append)

    class Notebook:
        display = Display
        get_ipython = staticmethod(lambda: object())

    monkeypatch.setitem(sys.modules, "IPython", Notebook)
    lesson.show("<svg/>", "any")
    assert shown == ["<svg/>"]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(graphviz_bytes("digraph {}", "svg") is None, reason="drawn by Graphviz, which is not here")
def test_the_picture_of_the_readme_is_what_the_tool_draws_today(tmp_path):
    runpy.run_path(str(FOLDER / "make_pictures.py"))["make"](tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [file.name for file in (FOLDER / "pictures").iterdir()]
    (drawn,), (kept,) = ([words_of(file) for file in folder.iterdir()] for folder in (tmp_path, FOLDER / "pictures"))
    assert drawn == kept, "run python tutorials/make_pictures.py"


def words_of(picture):
    """All text of an SVG picture, by place in the file; how far letters stand apart does not matter."""
    return re.findall(r"<text[^>]*>([^<]*)<", picture.read_text(encoding="utf-8"))
