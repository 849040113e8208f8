"""Small design spaces to sweep in tests."""

import os

import numpy as np

from minigraph import Tensor, ops
from minigraph.core.processes import SerialExecutor
from minigraph.npu import sweep

X = Tensor(np.zeros((64, 64), np.float16))


def dense(x, w):
    """A matrix product and its softmax."""
    return ops.softmax(x @ w, axis=-1)


def chain(x):
    """Elementwise operators that a pipeline fuses."""
    return ops.exp(ops.tanh(x * 2.0) + 1.0)


def fails(x):
    raise KeyError("no such\nkey")


MODELS = {"dense": (dense, X, X), "chain": (chain, X)}
CHIPS = ("ascend910b1", "ascend310")
CHANGES = {"mte2.lat": [150, 250]}


def kill_worker(work_item):
    """A work function that kills its process."""
    os._exit(1)


def space_arguments():
    """16 points: 2 models, 2 pipelines, 2 chips, 2 values."""
    return MODELS, CHIPS, ("default", ""), CHANGES


SERIAL = SerialExecutor()


def sweep_file(path, executor=SERIAL, **more):
    """The content of the file of the 16 points after a sweep."""
    sweep(*space_arguments(), out=path, executor=executor, **more)
    return path.read_bytes()
