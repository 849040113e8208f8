"""Transposes that cancel, and transposes that must stay."""

import numpy as np

from minigraph import Tensor, jit, ops
from minigraph.npu import cycles
from tests.passes.comparison import optimize_exactly
from tests.tables import cases

RNG = np.random.default_rng(0)
X, Y = (Tensor(RNG.normal(size=(4, 5)).astype(np.float32)) for _ in range(2))
IMAGES, KERNELS, BIAS = (
    Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((2, 8, 8, 4), (4, 4, 3, 3), (4,))
)  # fmt: skip
PIPELINE = "sink_transposes,dce"


def transpose(x):
    """The transposed matrix."""
    return x.swapaxes(0, 1)


def count_transposes(graph):
    """The number of transposes."""
    return sum(str(graph.op(node)) == "transpose" for node in graph)


@cases(
    (lambda x, y: transpose(ops.exp(transpose(x))), 2, 0),
    (lambda x, y: transpose(transpose(x) * transpose(y) + 2.0), 3, 0),
    (lambda x, y: transpose(x) - transpose(y), 2, 1),
    (lambda x, y: transpose(transpose(x) + y.sum(0).reshape((5, 1))), 2, 0),
    (lambda x, y: transpose(transpose(x) + y.sum(1)), 2, 0),
    (lambda x, y: transpose(x) * x.sum(), 1, 1),
    (lambda x, y: transpose(x) + transpose(y).exp().swapaxes(0, 1).swapaxes(0, 1), 4, 1),
    (lambda x, y: (lambda t: (t.exp(), t.sin()))(transpose(x)), 1, 1),
    (lambda x, y: transpose(x).sum(0), 1, 1),
    (lambda x, y: ops.relu(transpose(x)) @ y, 1, 1),
)
def test_how_many_are_left_and_the_bits_stay(fn, before, after):
    assert count_transposes(jit(fn, pipeline="dce").graph(X, Y)) == before
    assert count_transposes(optimize_exactly(PIPELINE, fn, X, Y)) == after


def test_channels_last_layouts_around_convolutions():
    """Every layer transposes its images for the convolution and back."""

    def net(x, w, b):
        for _ in range(3):
            channels_first = x.transpose(0, 3, 1, 2)
            x = ops.relu(ops.conv2d(channels_first, w, pad_mode="same").transpose(0, 2, 3, 1) + b)
        return x

    plain, sunk = (jit(net, pipeline=p) for p in ("dce", PIPELINE))
    arguments = IMAGES, KERNELS, BIAS
    assert [count_transposes(jitted.graph(*arguments)) for jitted in (plain, sunk)] == [6, 2]
    assert cycles(sunk.graph(*arguments)) < cycles(plain.graph(*arguments))
    assert sunk(*arguments).asnumpy().tobytes() == plain(*arguments).asnumpy().tobytes()
