import pytest

from minigraph.cli.story import gathered
from minigraph.cli.target import target_named
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


def first(q, k):
    return q


def nothing(q, k):
    """Forgets to return."""


def stumbles(q, k):
    raise KeyError("no such key")


def alone(x):
    return x


class Net(ms.nn.Cell):
    pass


def example_inputs():
    return Tensor([[1.0, 2.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]])
'''


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "net.py"
    file.write_text(PROGRAM)
    return file


@pytest.fixture
def story(program):
    return gathered(target_named(f"{program}:attend"), "ascend910b1", as_pipeline("default"), lambda text: None)
