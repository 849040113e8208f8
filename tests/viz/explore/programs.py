"""Example programs and recorded runs for the tests of the explorer."""

import numpy as np

from minigraph import Tensor, jit, nn, ops, set_seed
from viz.explore.api import record_run

HOSTILE_NAMES = (
    "<script>alert(1)</script>", "\"'`--></script>",
    "]]>", "a\\b\nc", "\u202eright to left", "x" * 4000, "", "${1}", "&lt;",
)  # fmt: skip


class Block(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.dense = nn.Dense(size, size)

    def construct(self, x):
        return ops.relu(self.dense(x)) + x


class Network(nn.Cell):
    """``depth`` equal blocks and a head."""

    def __init__(self, depth=4, size=8):
        super().__init__()
        self.blocks = nn.CellList([Block(size) for _ in range(depth)])
        self.head = nn.Dense(size, 3)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def network(depth=4):
    set_seed(0)
    return Network(depth), Tensor(np.ones((2, 8), np.float32))


def graph_of(depth=4):
    """The captured graph of a network."""
    net, x = network(depth)
    return jit(net).graph(x, pipeline=())


def run_of(depth=4, pipeline="default"):
    return record_run(graph_of(depth), pipeline)


def small(x):
    """A double negation, a common subexpression and an elementwise chain, which passes rewrite."""
    y = ops.neg(ops.neg(x)) * 2.0
    z = ops.exp(x) + ops.exp(x)
    return ops.tanh(y + z) * 3.0


def branching(x):
    return ops.cond(x.sum() > 0, lambda v: ops.exp(v) + 1.0, lambda v: v * 2.0, x)


def small_run(fn=small, pipeline="default"):
    return record_run(jit(fn).graph(Tensor([1.0, 2.0]), pipeline=()), pipeline)


def looping(x):
    """A loop with a double negation in its body."""
    return ops.while_loop(lambda v: v.sum() > 1.0, lambda v: ops.neg(ops.neg(v)) / 2.0, x)
