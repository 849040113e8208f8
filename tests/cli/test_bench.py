"""The benchmarks as a command: what is started, where, and what is said where there are none."""

import argparse
import subprocess

import pytest

import benchmarks
from minigraph.cli import bench, main
from minigraph.core.errors import UsageError


def parsed(*words):
    parser = argparse.ArgumentParser()
    bench.add_bench(parser.add_subparsers())
    return parser.parse_args(["bench", *words])


@pytest.mark.parametrize(
    ("words", "passed_on"),
    [
        ([], []),
        (["eager", "step", "--quick"], ["eager", "step", "--quick"]),
        (["--rounds", "2"], ["--rounds", "2"]),
        (["--keep", "/records"], ["--keep", "/records"]),
        (["techniques", "--out", "/there"], ["techniques", "--out", "/there"]),
        (["--condition", "busy", "--condition", "one_thread"], ["--condition", "busy", "--condition", "one_thread"]),
    ],
)
def test_the_benchmarks_of_the_checkout_are_run(words, passed_on, monkeypatch):
    started = []

    def run(command, **rest):
        started.append((command[1:], rest["cwd"]))
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(subprocess, "run", run)
    arguments = parsed(*words)
    assert arguments.run(arguments) == 3
    ((command, folder),) = started
    assert command == ["-m", "benchmarks", *passed_on]
    assert (folder / "benchmarks" / "__init__.py").samefile(benchmarks.__file__)


def test_without_a_checkout_it_says_where_the_benchmarks_are(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "BENCHMARKS", tmp_path)
    with pytest.raises(UsageError, match="the benchmarks come with the source"):
        bench.run_bench(parsed())


def test_it_is_a_command(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "BENCHMARKS", tmp_path)
    assert main(["bench", "eager"]) == 2
    assert "bench: the benchmarks come with the source" in capsys.readouterr().err
