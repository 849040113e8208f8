"""Processes forked while another thread works: what a fork copies is whole, and no lock of it stays held."""

import os
import subprocess
import sys

import pytest

from tests.structure import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def run_forks(*arguments):
    """What ``tests.rough.forks`` prints."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-m", "tests.rough.forks", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    timeout = 300 + float(arguments[1])
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize(("state", "most"), [("cold", 4), ("warm", 12)])
def test_a_fork_while_another_thread_compiles(state, most, effort, report):
    """Cold: the thread's first compilation, which imports modules and builds tables."""
    for _ in effort.rounds(seconds=1, most=1):
        forks = run_forks(state, "4", str(most))
    report(f"forks while a thread compiles, {state}", f"{forks} in a process", "the child compiles and simulates")
