import json
import os
import subprocess
import sys

import pytest

from minigraph.cli import main
from minigraph.lessons import lesson_named, lessons
from tests.structure import ROOT


def output_of(capsys, *words, code=0):
    assert main(["learn", *map(str, words)]) == code
    captured = capsys.readouterr()
    return captured.out if code < 2 else captured.err


def test_alone_it_lists_every_lesson(capsys):
    out = output_of(capsys)
    assert [line.split()[0] for line in out.splitlines()[: len(lessons())]] == [str(n.number) for n in lessons()]
    assert all(lesson.title in out for lesson in lessons())


@pytest.mark.parametrize("words", [("1",), ("tape",), ("open", "01_tape")])
def test_a_lesson_is_printed_as_prose_and_code_without_colour_when_output_is_redirected(words, capsys):
    out = output_of(capsys, *words)
    assert "# %%" not in out and "\x1b" not in out
    assert "A tape is a list" in out and "from minigraph" in out


def test_on_a_terminal_its_prose_is_formatted(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = output_of(capsys, "1")
    assert "# %%" not in out
    assert "A tape is a list" in out
    assert "minigraph learn 1 --to ." in out


def test_it_is_written_as_a_notebook_or_a_file(capsys, tmp_path):
    output_of(capsys, "1", "--to", tmp_path)
    output_of(capsys, "1", "--to", tmp_path / "new" / "folder")
    output_of(capsys, "1", "--to", tmp_path / "tape.py")
    text = (tmp_path / "01_tape.ipynb").read_text()
    assert (tmp_path / "new" / "folder" / "01_tape.ipynb").read_text() == text
    assert json.loads(text)["nbformat"] == 4
    assert (tmp_path / "tape.py").read_text() == lesson_named("1").path.read_text()


def test_an_existing_file_is_not_overwritten(capsys, tmp_path):
    (tmp_path / "01_tape.ipynb").write_text("mine")
    assert "may hold your answer" in output_of(capsys, "1", "--to", tmp_path, code=2)
    assert (tmp_path / "01_tape.ipynb").read_text() == "mine"


def test_open_runs_it_and_opens_its_page(capsys, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("minigraph.cli.learn.webbrowser.open", opened.append)
    monkeypatch.setattr("minigraph.cli.learn.pictures_folder", lambda: tmp_path)
    output_of(capsys, "1", "--open")
    assert opened == [(tmp_path / "01_tape.html").as_uri()]


# ---- answers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_the_answer_passes_its_check(suffix, capsys, tmp_path):
    file = tmp_path / f"mine{suffix}"
    if suffix == ".py":
        file.write_text(output_of(capsys, "answer", "1"))
    else:
        output_of(capsys, "1", "--to", file)
        notebook = json.loads(file.read_text())
        (cell,) = (cell for cell in notebook["cells"] if "exercise" in cell["metadata"].get("tags", ()))
        cell["source"] = lesson_named("1").solution
        file.write_text(json.dumps(notebook))
    assert output_of(capsys, "check", "1", file).startswith("Right: ")


def test_a_wrong_answer_names_the_mistake_and_the_hints(capsys, tmp_path):
    _, answer = lesson_named("1").wrong[-1]
    (tmp_path / "mine.py").write_text(answer)
    out = output_of(capsys, "check", "1", tmp_path / "mine.py", code=1)
    assert out.startswith("Not yet: ")
    assert "minigraph learn hint 1" in out


def test_hints_come_one_by_one_and_lead_to_the_answer(capsys):
    hints = lesson_named("1").hints
    assert output_of(capsys, "hint", "1").startswith(hints[0])
    assert "hint 1 2" in output_of(capsys, "hint", "1")
    assert output_of(capsys, "hint", "1", len(hints)).startswith(hints[-1])
    assert "answer 1" in output_of(capsys, "hint", "1", len(hints))


MISTAKES = [
    (("taep",), "did you mean 'tape'"),
    (("chekc", "1"), "did you mean 'check'"),
    (("check", "1"), "takes 2 arguments, not 1: minigraph learn check LESSON FILE"),
    (("hint",), "learn hint LESSON"),
    (("answer", "1", "2"), "takes 1 argument, not 2"),
    (("hint", "1", "99"), "hints, not '99'"),
    (("hint", "1", "x"), "hints, not 'x'"),
    (("check", "1", "nowhere.py"), "cannot read 'nowhere.py'"),
    (("1", "--to", "lesson.pdf"), "cannot write a lesson as '.pdf'"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_a_mistake_is_an_error_of_one_line(words, message, capsys):
    err = output_of(capsys, *words, code=2)
    assert message in err
    assert err.count("\n") == 1


def test_from_a_shell(tmp_path):
    learn = [sys.executable, "-m", "minigraph", "learn"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.run(learn, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert "A tape is a list" in process.stdout
