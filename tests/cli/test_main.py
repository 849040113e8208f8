import os
import subprocess
import sys

import pytest

from minigraph._version import __version__
from minigraph.cli import main


def test_explain_writes_a_folder_and_tells(program, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["explain", f"{program}:attend", "--out", str(out), "--pipeline", "lower_depend,cse,dce"]) == 0
    assert "attend" in capsys.readouterr().out
    assert (out / "index.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("arguments, told", [
    (["{0}:atend"], "did you mean 'attend'?"),
    (["{0}:attend", "--chip", "ascend910b"], "no chip 'ascend910b'; did you mean"),
    (["{0}:attend", "--pipeline", "dce,csee"], "no pass 'csee'; did you mean 'cse'?"),
    (["nothere.py:f"], "no file 'nothere.py'"),
    (["{0}:alone"], "example_inputs() of {0} gives 'alone' 2 arguments: too many positional arguments"),
    (["{0}:stumbles"], "'stumbles' fails: KeyError: 'no such key' (net.py:"),
    (["{0}:Net"], "'Net' in {0} is a class; name a function or an instance of it"),
])  # fmt: skip
def test_a_mistake_is_told_shortly_and_writes_nothing(program, tmp_path, capsys, arguments, told):
    out = tmp_path / "out"
    code = main(["explain", *(a.format(program) for a in arguments), "--out", str(out)])
    error = capsys.readouterr().err
    assert code == 2 and not out.exists()
    lines = 3 if "--pipeline" in arguments else 1  # a pipeline is shown with a caret at the place
    assert told.format(program) in error and error.count("\n") == lines and error.startswith("minigraph: ")


def test_a_file_in_the_way_is_refused_before_anything_runs(program, capsys):
    for out in (program, program / "below"):
        assert main(["explain", f"{program}:attend", "--out", str(out)]) == 2
        told = f"minigraph: '{program}' is a file, not a folder; choose another --out\n"
        assert capsys.readouterr() == ("", told)


@pytest.mark.parametrize("name", ["first", "nothing"])
def test_a_function_that_computes_nothing_has_a_story_too(program, tmp_path, capsys, name):
    assert main(["explain", f"{program}:{name}", "--out", str(tmp_path / "o")]) == 0
    assert "1. One eager step: 0 operators, one by one; a tape kept 0 of them\n" in capsys.readouterr().out
    assert (tmp_path / "o" / "index.html").exists()


def test_open_shows_the_page(program, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["explain", f"{program}:attend", "--out", str(tmp_path / "o"), "--open"]) == 0
    assert opened == [(tmp_path / "o" / "index.html").as_uri()]


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0 and "minigraph explain net.py:train_step" in capsys.readouterr().out


def test_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "minigraph", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"minigraph {__version__}"


def test_a_reader_that_has_seen_enough_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as closed:
        command = [sys.executable, "-m", "minigraph", "list", "operators"]
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_runs_to_compare_are_in_the_explorer(program, tmp_path, capsys):
    out = tmp_path / "out"
    asked = ["--compare", "ascend310p3", "--compare", "cse,dce"]
    assert main(["explain", f"{program}:attend", "--out", str(out), *asked]) == 0
    data = (out / "explorer.html").read_text("utf-8")
    for name, chip in (("without passes", "ascend910b1"), ("ascend310p3", "ascend310p3"), ("cse,dce", "ascend910b1")):
        assert f'"name":"{name}","kind":"graph","chip":"{chip}"' in data
    assert main(["explain", f"{program}:attend", "--out", str(tmp_path / "two"), "--compare", "cse,dcee"]) == 2
    assert "no pass 'dcee'; did you mean 'dce'?" in capsys.readouterr().err and not (tmp_path / "two").exists()
