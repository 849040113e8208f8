"""Shared by tests of optimizers: a start, gradients, and the resulting Parameters in both modes."""

import numpy as np

from minigraph import GRAPH_MODE, Parameter, Tensor, set_context
from tests.tables import table

START = np.array([1.0, 2.0, 3.0])
GRADIENTS = [np.array([0.1, -0.2, 0.3]) * k for k in (1, 2, -3, 0.5)]


def single():
    """One Parameter, for tests before the first step."""
    return [Parameter(Tensor([1.0]), name="w")]


def run_steps(create, gradients=GRADIENTS, name="w"):
    w = Parameter(Tensor(START.astype(np.float32)), name=name)
    optimizer = create([w])
    for g in gradients:
        optimizer((Tensor(g.astype(np.float32)),))
    return w.asnumpy()


def formulas(rows, rtol=1e-5):
    """A test of optimizers: the steps of a formula in numpy float64, and the same bits in Graph mode."""

    def check(create, expected):
        eager = run_steps(create)
        np.testing.assert_allclose(eager, expected, rtol=rtol)
        set_context(mode=GRAPH_MODE)
        assert run_steps(create).tobytes() == eager.tobytes()

    return table(["create", "wanted"], rows, check)
