"""``minigraph bench``: the process that it starts, and the error without benchmarks."""

import argparse
import subprocess
from unittest.mock import Mock

import pytest

import benchmarks
from minigraph.cli import bench
from minigraph.core.errors import UsageError


def parse_arguments(*words):
    parser = argparse.ArgumentParser()
    bench.add_bench(parser.add_subparsers())
    return parser.parse_args(["bench", *words])


COMMANDS = [
    [],
    ["eager", "step", "--quick"],
    ["--rounds", "2"],
    ["--keep", "/records"],
    ["techniques", "--out", "/there"],
    ["--condition", "busy", "--condition", "one_thread"],
]


@pytest.mark.parametrize("words", COMMANDS)
def test_the_benchmarks_of_the_checkout_are_run(words, monkeypatch):
    run = Mock(return_value=subprocess.CompletedProcess([], 3))
    monkeypatch.setattr(subprocess, "run", run)
    arguments = parse_arguments(*words)
    assert arguments.run(arguments) == 3
    ((command,), rest) = run.call_args
    assert command[1:] == ["-m", "benchmarks", *words] and run.call_count == 1
    assert (rest["cwd"] / "benchmarks" / "__init__.py").samefile(benchmarks.__file__)


def test_without_a_checkout_the_command_says_where_the_benchmarks_are(monkeypatch, tmp_path, run_cli):
    monkeypatch.setattr(bench, "BENCHMARKS", tmp_path)
    with pytest.raises(UsageError, match="the benchmarks come with the source"):
        bench.run_bench(parse_arguments())
    code, _, error = run_cli("bench", "eager")
    assert code == 2 and "bench: the benchmarks come with the source" in error
