"""What the tests of optimizers share: a start, gradients, and where an optimizer arrives with them, in both modes."""

import numpy as np

from minigraph import GRAPH_MODE, Parameter, Tensor, set_context
from tests.tables import table

START = np.array([1.0, 2.0, 3.0])
GRADIENTS = [np.array([0.1, -0.2, 0.3]) * k for k in (1, 2, -3, 0.5)]


def single():
    """One Parameter, for what is asked of an optimizer before its first step."""
    return [Parameter(Tensor([1.0]), name="w")]


def stepped(make, gradients=GRADIENTS, name="w"):
    w = Parameter(Tensor(START.astype(np.float32)), name=name)
    optimizer = make([w])
    for g in gradients:
        optimizer((Tensor(g.astype(np.float32)),))
    return w.asnumpy()


def formulas(rows, rtol=1e-5):
    """A test of what makes an optimizer: the steps of a formula in numpy float64, and the same bits in Graph mode."""

    def check(make, wanted):
        eager = stepped(make)
        np.testing.assert_allclose(eager, wanted, rtol=rtol)
        set_context(mode=GRAPH_MODE)
        assert stepped(make).tobytes() == eager.tobytes()

    return table(["make", "wanted"], rows, check)
