import os
import subprocess
import sys

import pytest

from minigraph._version import __version__
from minigraph.cli import main
from minigraph.cli.main import command_parser


def test_explain_prints_writes_a_folder_and_opens_it(program, tmp_path, run_cli, monkeypatch):
    opened, page = [], tmp_path / "out" / "index.html"
    monkeypatch.setattr("webbrowser.open", opened.append)
    arguments = ["explain", f"{program}:attend", "--out", page.parent, "--pipeline", "lower_depend,cse,dce"]
    code, out, _ = run_cli(*arguments)
    assert code == 0 and "attend" in out and opened == []
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert run_cli(*arguments, "--open")[0] == 0 and opened == [page.as_uri()]


@pytest.mark.parametrize("arguments, message", [
    (["{0}:atend"], "did you mean 'attend'?"),
    (["{0}:attend", "--chip", "ascend910b"], "no chip 'ascend910b'; did you mean"),
    (["{0}:attend", "--pipeline", "dce,csee"], "no pass 'csee'; did you mean 'cse'?"),
    (["{0}:attend", "--compare", "cse,dcee"], "no pass 'dcee'; did you mean 'dce'?"),
    (["nothere.py:f"], "no file 'nothere.py'"),
    (["{0}:identity"], "example_inputs() of {0} returns 2 arguments for 'identity': too many positional arguments"),
    (["{0}:raises_error"], "'raises_error' fails: KeyError: 'no such key' (net.py:"),
    (["{0}:Net"], "'Net' in {0} is a class; name a function or an instance of it"),
])  # fmt: skip
def test_a_mistake_is_a_short_error_and_writes_nothing(program, run_invalid, arguments, message):
    lines = 3 if {"--pipeline", "--compare"} & {*arguments} else 1  # a pipeline is shown with a caret at the place
    run_invalid(message.format(program), "explain", *(a.format(program) for a in arguments), lines=lines)


@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_in_the_way_is_refused_before_anything_runs(program, run_cli, below):
    message = f"minigraph: '{program}' is a file, not a folder; choose another --out\n"
    assert run_cli("explain", f"{program}:attend", "--out", program / below) == (2, "", message)


@pytest.mark.parametrize("name", ["returns_first", "returns_none"])
def test_a_function_that_computes_nothing_is_explained_too(program, tmp_path, run_cli, name):
    code, out, _ = run_cli("explain", f"{program}:{name}", "--out", tmp_path / "o")
    assert code == 0 and "1. Eager execution: 0 operator calls, 0 recorded on a tape\n" in out
    assert (tmp_path / "o" / "index.html").exists()


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit, match="^0$"):
        main(["--help"])
    assert "minigraph explain net.py:train_step" in capsys.readouterr().out


def test_every_help_has_at_most_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    parsers = next(action.choices for action in command_parser()._actions if isinstance(action.choices, dict))
    wide = {}
    for command in ([], *([name] for name in parsers)):
        with pytest.raises(SystemExit, match="^0$"):
            main([*command, "--help"])
        wide[tuple(command)] = [line for line in capsys.readouterr().out.splitlines() if len(line) > 80]
    assert len(wide) > 9 and not {command: lines for command, lines in wide.items() if lines}


def test_runs_as_a_module():
    process = subprocess.run(
        [sys.executable, "-m", "minigraph", "--version"], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == f"minigraph {__version__}"


def test_a_closed_pipe_raises_nothing():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as closed:
        command = [sys.executable, "-m", "minigraph", "list", "operators"]
        process = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")


def test_output_that_is_closed_from_the_beginning_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # as after `>&-`
    assert main(["list", "chips"]) == main(["npu", "--chip", "ascend310"]) == 0


WRITING = {
    "explain": (["explain", "{0}:attend", "--out", "{1}/out"], "out/index.html"),
    "explain, the example": (["explain", "--out", "{1}/out"], "out/index.html"),
    "npu": (["npu", "{0}:attend", "--out", "{1}/out"], "out/trace.json"),
    "opt": (["opt", "{0}:attend", "--stats", "--picture", "{1}/a.svg"], "a.svg"),
    "sweep": (["sweep", "--models", "{0}:attend", "--executor", "serial", "--out", "{1}/a.csv"], "a.csv"),
    "workbench": (["workbench", "{0}:attend", "--save", "{1}/a.html"], "a.html"),
    "learn": (["learn", "2", "--to", "{1}"], "02_tracing.ipynb"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_closed_pipe_does_not_keep_files_from_being_written(name, program, tmp_path):
    arguments, file = WRITING[name]
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as closed:
        command = [sys.executable, "-m", "minigraph", *(text.format(program, tmp_path) for text in arguments)]
        process = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, check=False)
    assert process.returncode == 0 and (name == "opt" or process.stderr == ""), process.stderr
    assert (tmp_path / file).stat().st_size > 0


def test_control_c_is_one_line(write_file, run_cli, tmp_path):
    program = write_file("slow.py", "def f(): raise KeyboardInterrupt\ndef example_inputs(): return ()\n")
    code, _, error = run_cli("explain", f"{program}:f", "--out", tmp_path / "out")
    assert (code, error) == (130, "minigraph: interrupted\n") and not (tmp_path / "out").exists()


RULES = """import passes

@passes.rule
def double(x):
    return x * 2.0, x + x
"""


def test_a_pipeline_may_name_rules_of_a_loaded_file(program, write_file, tmp_path, run_cli):
    rules = write_file("rules.py", RULES)
    arguments = ["--load", rules, "--pipeline", "double", "--out", tmp_path / "out"]
    code, out, _ = run_cli("explain", f"{program}:attend", *arguments)
    assert code == 0 and "-1 mul" in " ".join(out.split())


def test_an_error_names_the_rule_and_the_pass_that_it_is_in(program, write_file, run_cli):
    rules = write_file("wrong.py", RULES.replace("@passes.rule", "@passes.rule(where=lambda x: x.nothing)"))
    code, _, error = run_cli("opt", f"{program}:attend", "--load", rules, "-p", "double")
    assert code == 2 and "wrong.py" in error and "in pass 'double'" in error and error.count("\n") <= 3


def test_runs_to_compare_are_in_the_explorer(program, tmp_path, run_cli):
    arguments = ["--compare", "ascend310p3", "--compare", "cse,dce", "--compare", "default,numpy"]
    assert run_cli("explain", f"{program}:attend", "--out", tmp_path / "out", *arguments)[0] == 0
    data = (tmp_path / "out" / "explorer.html").read_text("utf-8")
    for name in ("without passes", "ascend310p3", "cse,dce", "default,numpy"):
        chip = "ascend310p3" if name == "ascend310p3" else "ascend910b1"
        assert f'"name":"{name}","kind":"graph","chip":"{chip}"' in data


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "ascii:surrogateescape"])  # the last is the C locale's
def test_output_whose_encoding_lacks_characters_gets_replacements(program, tmp_path, encoding):
    command = [sys.executable, "-m", "minigraph", "explain", f"{program}:attend", "--out", str(tmp_path / "out")]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "PYTHONPATH": os.getcwd()}
    process = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    assert (process.returncode, process.stderr) == (0, b"")
    assert "attend" in process.stdout.decode(encoding.split(":")[0])
    assert (tmp_path / "out" / "index.html").exists()


def test_names_that_the_c_locale_cannot_show(write_file):
    program = write_file("net.py", "def größe(x): return x + x\ndef example_inputs(): return (1.5,)\n")
    c_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment = {**os.environ, **c_locale, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-m", "minigraph", "opt", f"{program}:größe", "-p", ""]
    process = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    assert (process.returncode, process.stderr) == (0, b"") and process.stdout


def test_a_file_error_of_ours_is_one_line_and_the_users_keeps_its_traceback(program, tmp_path, run_cli, monkeypatch):
    (tmp_path / "file").write_text("")
    code, out, err = run_cli("learn", "1", "--to", tmp_path / "file" / "below" / "x.py")
    assert (code, out, err.count("\n")) == (2, "", 1) and err.startswith("minigraph: learn: cannot write")

    problems = iter([OSError(28, "No space left on device", "page.html"), MemoryError("10 GiB"), OSError("No space")])

    def full(*args):
        raise next(problems)

    module = sys.modules["minigraph.cli.main"]  # the package's name `main` is the function
    monkeypatch.setattr(module, "collect_story", full)
    monkeypatch.setattr(module, "raise_location", lambda error: None)
    assert run_cli("explain", f"{program}:attend") == (2, "", "minigraph: 'page.html': No space left on device\n")
    memory = "minigraph: not enough memory: 10 GiB; use smaller sizes\n"
    assert run_cli("explain", f"{program}:attend") == (2, "", memory)
    monkeypatch.setattr(module, "raise_location", lambda error: "net.py:3")
    with pytest.raises(OSError, match="No space"):
        run_cli("explain", f"{program}:attend")


def test_a_sweep_on_a_full_disk_is_one_line(program, tmp_path, run_cli, full_disk):
    code, _, err = run_cli(
        "sweep", "--models", f"{program}:attend", "--executor", "serial", "--out", tmp_path / "x.csv"
    )
    problem = f"cannot use '{tmp_path / 'x.csv'}': No space left on device; choose another file"
    assert (code, err) == (2, f"minigraph: sweep: {problem}\n")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
