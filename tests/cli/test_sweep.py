import csv
import os
import signal
import subprocess
import sys
import time
from unittest.mock import Mock

import pytest

from minigraph.cli.main import main
from minigraph.core.op import TABLE
from minigraph.npu import CHIPS
from passes import PASSES
from tests.structure import ROOT
from tests.tables import cases

FAST_OPTIONS = ["--engine", "analytic", "--executor", "serial"]

NARROW = """base = "ascend910b1"
[chip]
title = "A 910B1 with half of its memory bandwidth"
[pool]
gm = {v = 0.75, src = "a what-if", grade = "U"}
"""

EXECUTORS = """
from concurrent.futures import ThreadPoolExecutor

def two():
    return ThreadPoolExecutor(2)

def nothing():
    return 3

class Client:
    closed = 0
    def __enter__(self):
        return self
    def __exit__(self, *error):
        Client.closed += 1
        self.threads.shutdown()
    def get_executor(self):
        self.threads = ThreadPoolExecutor(1)
        return self.threads
"""


@pytest.fixture(autouse=True)
def tables():
    """Removes the registrations of the tests' files."""
    saved = [(table, dict(table)) for table in (PASSES, TABLE, CHIPS)]
    yield
    for table, before in saved:
        for name in set(table) - set(before):
            del table[name]


@pytest.fixture
def run_sweep(program, tmp_path, run_cli):
    """Runs the command on the example program; gives the exit code, the rows, standard output and error."""

    def run(*arguments, models=("attend",), out="sweep.csv"):
        named = [f"{program}:{name}" for name in models]
        code, *streams = run_cli("sweep", "--models", *named, "--out", tmp_path / out, *FAST_OPTIONS, *arguments)
        return code, rows_of(tmp_path / out) if (tmp_path / out).exists() else None, *streams

    return run


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_models_pipelines_chips_and_values_make_one_table(run_sweep):
    code, rows, out, _ = run_sweep(
        "--chips", "ascend910b1", "ascend310", "--pipelines", "default", "", "--set", "mte2.lat=150:250:50",
        "pool.gm=0.5,1", models=("attend", "returns_first"),
    )  # fmt: skip
    assert code == 0 and len(rows) == 2 * 2 * 2 * 3 * 2
    assert {row["mte2.lat"] for row in rows} == {"150", "200", "250"}
    assert "attend: the fastest point of each chip" in out and f"{len(rows)} rows in " in out


def test_without_arguments_it_sweeps_the_digits_on_the_contexts_chip(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", *FAST_OPTIONS]) == 0
    (row,) = rows_of(tmp_path / "sweep.csv")
    assert (row["model"], row["pipeline"], row["chip"]) == ("digits", "default", "ascend910b1")


def test_every_chip_there_is(run_sweep):
    _, rows, out, _ = run_sweep("--chips", "all")
    assert [row["chip"] for row in rows] == sorted(CHIPS)
    assert all(chip in out for chip in CHIPS)


def test_a_chip_and_passes_from_a_users_file(run_sweep, write_file):
    _, rows, *_ = run_sweep("--chips", write_file("narrow.toml", NARROW), "ascend910b1")
    assert [row["chip"] for row in rows] == ["narrow", "ascend910b1"]
    rules = write_file("mine.py", "from passes import graph_pass\n@graph_pass\ndef swept_pass(graph):\n    'No.'\n")
    code, rows, *_ = run_sweep("--load", rules, "--pipelines", "swept_pass,dce", out="passes.csv")
    assert code == 0 and rows[0]["pipeline"] == "swept_pass,dce"


def test_failed_points_are_listed_and_give_exit_code_1(run_sweep):
    code, rows, out, _ = run_sweep("--chips", "all", models=("raises_error", "returns_first"))
    assert code == 1 and len(rows) == 2 * len(CHIPS)
    assert f"{len(CHIPS)} with errors:" in out and "no such key" in out
    assert f"and {len(CHIPS) - 5} more; see the column 'error'" in out
    assert all("no such key" in row["error"] for row in rows if row["model"].endswith("raises_error"))


@cases(
    (["--set", "mte2.latt=1"], "no parameter 'mte2.latt'; did you mean 'mte2.lat'?"),
    (["--set", "mte2.lat=fast"], "names no values"),
    (["--set", "mte2.lat=1", "--set", "mte2.lat=2"], "--set mte2.lat is given twice"),
    (["--chips", "ascend910b"], "no chip 'ascend910b'; did you mean 'ascend910b4'?"),
    (["--chips", "nowhere.toml"], "cannot read the chip file"),
    (["--pipelines", "dec"], "no pass 'dec'; did you mean 'dce'?"),
    (["--executor", "procesess"], "no executor 'procesess'; did you mean 'processes'?"),
    (["--executor", "no.such.module:Client"], "no module 'no.such.module'"),
    (["--executor", "os:nothing"], "module 'os' has no 'nothing'"),
    (["--executor", "builtins:dict"], "'builtins:dict' returns a dict, not a concurrent.futures.Executor"),
    (["--models", "digit"], "or an example: digits, vit"),
    (["--models", "{}:atend"], "did you mean 'attend'"),
    (["--models", "nowhere.py:f"], "no file 'nowhere.py'"),
    (["--workers", "0"], "0 workers; give at least 1"),
)
def test_a_mistake_is_one_line_and_writes_nothing(program, run_invalid, arguments, message):
    lines = 3 if "--pipelines" in arguments else 1  # a pipeline is shown with a caret at the place
    arguments = [argument.format(program) for argument in arguments]
    run_invalid(message, "sweep", "--models", f"{program}:attend", *FAST_OPTIONS, *arguments, lines=lines)


def test_a_table_of_other_settings_is_refused_by_name_and_kept(run_sweep):
    _, rows, *_ = run_sweep()
    code, kept, _, error = run_sweep("--engine", "event")
    assert code == 2 and kept == rows and "engine is 'analytic', this sweep's is 'event'" in error


@cases(
    *((name, "") for name in ("threads", "two", "Client", "processes")),
    ("nothing", "returns a int, not a concurrent"),
    ("tow", "did you mean 'two'"),
)
def test_executors_by_name(run_sweep, write_file, name, message):
    text = name if name in ("threads", "processes") else f"{write_file('mine.py', EXECUTORS)}:{name}"
    code, rows, _, error = run_sweep("--chips", "all", "--executor", text, "--workers", "2")
    assert message in error
    assert (code, rows) == (2, None) if message else code == 0 and len(rows) == len(CHIPS)


OWN = """
from concurrent.futures import ThreadPoolExecutor
from minigraph import Tensor, ops
from minigraph.operators.families import elementwise
from passes import graph_pass

half = elementwise("swept_half", lambda x: x / 2, vjp=(lambda g, out, x: g / 2.0,), lanes=("simple",), into=False,
                   doc="x / 2")

@graph_pass
def swept_nothing(graph):
    "Nothing."

def one(x):
    return half(x @ x)

def two(x):
    return half(half(x))

def example_inputs():
    return Tensor([[1.0, 2.0], [3.0, 4.0]])
"""


def test_a_file_with_models_operators_passes_and_an_executor_runs_once(tmp_path, monkeypatch, write_file, run_cli):
    """A second time the names it defines would be taken; and a worker has neither the file nor the operator."""
    monkeypatch.chdir(tmp_path)
    write_file("own.py", OWN)
    code, _, error = run_cli(
        "sweep", "--models", "own.py:one", "own.py:two", "--load", "own.py", "--pipelines", "swept_nothing",
        "--chips", "ascend910b1", "--executor", "own.py:ThreadPoolExecutor", "--engine", "analytic",
    )  # fmt: skip
    assert (code, error) == (0, "")
    assert [row["error"] for row in rows_of(tmp_path / "sweep.csv")] == ["", ""]


def test_a_worker_needs_no_file_of_the_users(tmp_path, monkeypatch, write_file, run_cli):
    """An operator and a chip that only this process knows."""
    monkeypatch.chdir(tmp_path)
    write_file("own.py", OWN.replace("swept_", "far_"))
    write_file("far.toml", NARROW)
    code, *_ = run_cli("sweep", "--models", "own.py:one", "own.py:two", "--chips", "far.toml", "--workers", "1")
    rows = rows_of(tmp_path / "sweep.csv")
    assert code == 0 and [(row["chip"], row["error"]) for row in rows] == [("far", "")] * 2
    assert float(rows[0]["us"]) > 0


def test_an_interrupt_is_one_line_that_says_how_to_resume(run_sweep, monkeypatch):
    monkeypatch.setattr("minigraph.cli.sweep.sweep", Mock(side_effect=KeyboardInterrupt))
    code, _, _, error = run_sweep()
    assert code == 130 and error.startswith("minigraph: sweep: interrupted; finished rows are in")


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_a_killed_command_is_resumed(program, tmp_path):
    """Its processes end, a half-written row is dropped, and the final file is that of an uninterrupted run."""
    path, complete = tmp_path / "s.csv", tmp_path / "whole.csv"
    arguments = [
        "sweep", "--models", f"{program}:attend", "--chips", "all", "--set", "mte2.lat=1:40:1", "--engine", "analytic",
    ]  # fmt: skip
    command = [sys.executable, "-m", "minigraph", *arguments, "--workers", "2", "--out", str(path)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and (not path.exists() or path.stat().st_size < 4096):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    kept = path.read_text().splitlines()
    assert len(kept) > 10
    path.write_text("\n".join(kept[:-1]) + "\n" + kept[-1][:30])
    for file in (path, complete):
        assert main([*arguments, "--executor", "serial", "--out", str(file)]) == 0
    assert path.read_bytes() == complete.read_bytes()


def test_the_help_shows_the_executors(capsys):
    with pytest.raises(SystemExit, match="^0$"):
        main(["sweep", "--help"])
    assert "dask.distributed:Client" in capsys.readouterr().out
