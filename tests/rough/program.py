"""A program that uses every part once; run as a module, it prints a digest of all its results."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import numpy as np

import minigraph as ms
from minigraph import Tensor, grad, jit, nn, ops, value_and_grad
from minigraph.capture.trace import trace
from minigraph.common.seed import set_seed
from minigraph.core.pytree import leaves_of
from minigraph.npu import simulate
from passes import as_pipeline

X = np.float32([[1, -2, 3], [0.5, 0.25, -1]])


def train(steps: int, compiled: bool) -> list[np.ndarray]:
    """The loss and the weights after some steps of a small network."""
    set_seed(3)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    forward = value_and_grad(lambda x: ops.softmax(net(x)).log().mean() * -1, None, optimizer.parameters)

    def step(x: Tensor) -> Tensor:
        loss, grads = forward(x)
        optimizer(grads)
        return loss

    run, loss = jit(step) if compiled else step, Tensor(0.0)
    for _ in range(steps):
        loss = run(Tensor(X))
    return [loss.asnumpy(), *(parameter.asnumpy() for parameter in net.trainable_params())]


def branches(x: Tensor) -> Tensor:
    """Control flow on a tensor."""
    total = x * 0
    while total.sum() < 3:
        total = total + 1 if x.mean() > 0 else total + 2
    return total


def results() -> list[np.ndarray]:
    """The results of eager, compiled, traced, optimised, saved and simulated programs."""
    arrays = [*train(3, compiled=False), *train(3, compiled=True)]
    arrays += [jit(branches)(Tensor(X)).asnumpy(), grad(grad(lambda x: (x**3).sum()))(Tensor(X)).asnumpy()]
    graph = trace(lambda x: ops.softmax(x * 1.0 + 0.0) @ x.T, Tensor(X))
    as_pipeline("default").run(graph)
    arrays += [np.array(simulate(graph, chip="ascend910b1").cycles), np.frombuffer(str(graph).encode(), np.uint8)]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "net.ckpt")
        ms.save_checkpoint([{"name": "ü", "data": Tensor(X)}], path)
        arrays += [
            leaf.asnumpy() for leaf in leaves_of(ms.load_checkpoint(path), lambda value: isinstance(value, Tensor))
        ]
    return arrays


def digest() -> str:
    """A hash of the bits of all results."""
    parts = [array.dtype.str.encode() + repr(array.shape).encode() + array.tobytes() for array in results()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


if __name__ == "__main__":
    print(digest())
