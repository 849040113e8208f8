"""Every lesson runs when solved, names the missing part when it is blank, and the wrong node of a wrong answer."""

import ast
import json
import os
import re
import runpy
import subprocess
import sys

import pytest

from minigraph import lessons
from minigraph.lessons import WrongAnswerError, as_notebook, folder, run
from tests.structure import ROOT
from viz.common.backends import graphviz_bytes

FOLDER = ROOT / "tutorials"
LESSONS = lessons.lessons()
MAX_WORDS, MAX_LINES = 1000, 45  # of prose: well below fifteen minutes; of code, imports not counted
BLANK = r"returns nothing yet|no prediction yet|nothing was erased yet|is None"
WRONG = [(lesson, says, text) for lesson in LESSONS for says, *text in (*lesson.wrong, (BLANK,))]


def each(values):
    return pytest.mark.parametrize("lesson", values, ids=lambda lesson: lesson.name)


@pytest.fixture(autouse=True)
def pictures(monkeypatch, tmp_path):
    """Pictures go to a folder of this test."""
    monkeypatch.setattr("minigraph.lessons.picture.folder", lambda: tmp_path)
    return tmp_path


# ---- answers -------------------------------------------------------------------------------------------


@each(LESSONS)
def test_the_solution_passes_and_the_picture_is_drawn(lesson, pictures):
    assert list(run(lesson, lesson.solution))[-1].printed.splitlines()[-1].startswith("Right: ")
    (picture,) = pictures.glob("*.svg")
    assert picture.stem == lesson.name
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "cannot draw this picture" not in text


@pytest.mark.parametrize(("lesson", "says", "text"), WRONG, ids=lambda v: getattr(v, "name", None))
def test_a_wrong_answer_fails_with_the_mistake_and_a_blank_one_with_the_task(lesson, says, text):
    with pytest.raises(WrongAnswerError, match=says):
        list(run(lesson, *text))


@each(LESSONS)
def test_every_lesson_has_hints_one_solution_and_wrong_answers_with_their_mistake(lesson):
    kinds = [cell.heading.partition(":")[0] for cell in lesson.answers]
    assert set(kinds) == {"hint", "solution", "wrong"}
    assert kinds == sorted(kinds)
    assert kinds.count("solution") == 1
    assert len(lesson.wrong) >= 2
    assert all(len(says) > 8 for says, _ in lesson.wrong)
    assert len(lesson.hints) >= 2
    assert lesson.solution.strip() not in "\n".join(lesson.hints)


def test_a_lesson_is_a_script_too(tmp_path):
    """As a script, from the checkout alone, it stops at its exercise."""
    script = [sys.executable, str(LESSONS[0].path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    process = subprocess.run(script, capture_output=True, text=True, check=False, env=environment)
    assert process.returncode == 1
    assert re.search(rf"WrongAnswerError: .*(?:{BLANK})", process.stderr)
    assert len([*tmp_path.glob(f"minigraph-lessons*/{LESSONS[0].name}.svg")]) == 1  # one folder for each user


# ---- form ----------------------------------------------------------------------------------------------


def test_the_lessons_are_numbered_in_order_and_so_are_they_in_the_readme():
    assert [lesson.number for lesson in LESSONS] == sorted({lesson.number for lesson in LESSONS})
    assert folder() == FOLDER
    names = re.findall(r"\]\((\d\d_\w+\.py)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert names == [lesson.path.name for lesson in LESSONS]


@each(LESSONS)
def test_lessons_are_short_with_a_title_one_picture_one_exercise_and_its_check_at_the_end(lesson):
    prose, cells = ([cell.text for cell in lesson.cells if cell.is_prose is kind] for kind in (True, False))
    code = "\n".join(cells)
    imports = [n for n in ast.parse(code).body if isinstance(n, ast.Import | ast.ImportFrom)]
    lines = [line for line in code.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert sum(len(text.split()) for text in prose) <= MAX_WORDS
    assert len(lines) - len(imports) <= MAX_LINES
    number, title = re.match(r"# # (\d+)\. (.+)\n", lesson.cells[0].text).groups()
    assert (int(number), title) == (lesson.number, lesson.title)
    assert sum(f'"{lesson.name}")' in text for text in cells) == 1
    assert [cell.heading for cell in lesson.cells].count("exercise") == 1
    assert re.fullmatch(r"check_\w+\(.*\)\n", lesson.cells[-1].text)


@each(LESSONS)
def test_prose_is_prose_and_no_output_is_pasted(lesson):
    for cell in lesson.cells:
        if cell.is_prose:
            assert all(line.startswith("#") for line in cell.text.splitlines() if line)
            assert not re.search(r"^# (?:>>>|\[\d|    )", cell.text, re.MULTILINE)
        else:
            assert not re.search(r"^ *# ", cell.text, re.MULTILINE)


# ---- notebooks -----------------------------------------------------------------------------------------


@each(LESSONS)
def test_the_notebook_runs_in_jupyter(lesson):
    """Where Jupyter's packages are installed (the extra ``notebook``): solved, with its picture among the outputs."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.reads(json.dumps(as_notebook(lesson, lesson.solution)), as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert printed_text(outputs).splitlines()[-1].startswith("Right: ")
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)


def test_every_cell_may_be_run_again():
    """Also one that defines an operator: in a notebook cells are run until they are right."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    (lesson,) = (lesson for lesson in LESSONS if "elementwise(" in lesson.path.read_text(encoding="utf-8"))
    notebook = nbformat.reads(json.dumps(as_notebook(lesson, lesson.solution)), as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in code for _ in range(2)]
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    assert printed_text(notebook.cells[-1].outputs).startswith("Right: ")


def printed_text(outputs):
    """The printed text of all outputs; one ``print`` may be split into several outputs."""
    return "".join(output["text"] for output in outputs if output["output_type"] == "stream")


# ---- pictures ------------------------------------------------------------------------------------------


@pytest.mark.skipif(graphviz_bytes("digraph {}", "svg") is None, reason="drawn by Graphviz, which is not here")
def test_the_picture_of_the_readme_is_up_to_date(tmp_path):
    runpy.run_path(str(FOLDER / "make_pictures.py"))["make"](tmp_path / "drawn")
    folders = tmp_path / "drawn", FOLDER / "pictures"
    drawn, kept = ({file.name: words_of(file) for file in at.glob("*.svg")} for at in folders)
    assert drawn == kept, "run python tutorials/make_pictures.py"


def words_of(picture):
    """All text of an SVG picture, in the order of the file; letter spacing does not matter."""
    return re.findall(r"<text[^>]*>([^<]*)<", picture.read_text(encoding="utf-8"))
