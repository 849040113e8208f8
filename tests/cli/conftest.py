from functools import partial

import pytest

from minigraph.cli.main import main
from minigraph.cli.story import collect_story
from minigraph.cli.target import load_target
from passes import as_pipeline

PROGRAM = '''
import numpy as np
import minigraph as ms
from minigraph import Parameter, Tensor, ops

w = Parameter(Tensor([[1.0, 2.0]]), name="w")


def attend(q, k):
    """Scores of two rows."""
    return ops.softmax(ops.relu(q @ k + 1.0) * 2.0, axis=-1)


def count(x, k=None):
    return ops.depend(x * 2.0, ops.assign(w, w + x))


def returns_first(q, k):
    return q


def returns_none(q, k):
    """Has no return statement."""


def raises_error(q, k):
    raise KeyError("no such key")


def identity(x):
    return x


class Net(ms.nn.Cell):
    pass


def example_inputs():
    return Tensor([[1.0, 2.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]])
'''


TEXT = """graph tail(%0)
  %0 = input() {name="x"} : f32[2,2]
  %1 = neg(%0) : f32[2,2]  # net.py:3
  %2 = neg(%1) : f32[2,2]  # net.py:4
  %3 = exp(%2) : f32[2,2]  # net.py:5
  %4 = exp(%2) : f32[2,2]  # net.py:6
  %5 = add(%3, %4) : f32[2,2]  # net.py:7
  return %5
"""


@pytest.fixture
def program(write_file):
    return write_file("net.py", PROGRAM)


@pytest.fixture
def story(program):
    return collect_story(load_target(f"{program}:attend"), "ascend910b1", as_pipeline("default"), lambda text: None)


@pytest.fixture
def write_file(tmp_path):
    """Writes a file with this name and text."""

    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def tail(write_file):
    """A file with the graph ``TEXT``."""
    return write_file("tail.ir", TEXT)


@pytest.fixture
def rules(request, write_file):
    """A file with the ``RULES`` of the test module, named after it: ``rules_of_opt.py`` for ``test_opt``."""
    return write_file(f"rules_of_{request.module.__name__.rpartition('test_')[2]}.py", request.module.RULES)


@pytest.fixture
def run_cli(capsys):
    """Runs a command line; returns its exit code, standard output and standard error."""
    return lambda *arguments: (main(list(map(str, arguments))), *capsys.readouterr())


@pytest.fixture
def opt(run_cli):
    """Runs ``minigraph opt``; returns the exit code, the printed graph, and standard error."""
    return partial(run_cli, "opt")


@pytest.fixture
def run_invalid(run_cli, tmp_path):
    """Runs an invalid command line: it writes nothing, and its error has ``lines`` lines and contains ``message``."""

    def check(message, *arguments, lines=1):
        code, out, error = run_cli(*arguments, "--out", tmp_path / "out")
        assert (code, out) == (2, "") and not (tmp_path / "out").exists()
        assert message in error and error.count("\n") == lines and error.startswith("minigraph: ")

    return check
