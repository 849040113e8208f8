"""Values of two Parameters after some steps of an optimizer."""

import numpy as np

from minigraph import Parameter, Tensor


def parameters():
    """A vector and a matrix of one element."""
    return [Parameter(Tensor([1.0, 2.0, -3.0]), name="w"), Parameter(Tensor([[0.5]]), name="b")]


def check_values(kind, settings, expected, wrap):
    """Compares the four elements after steps 1, 3 and 8 with those of MindSpore 2.10."""
    params = parameters()
    optimizer, rows = wrap(kind(params, **settings)), []
    for step in range(8):
        optimizer((Tensor([1.0, -1.0, 2.0]) * (-1 if step == 1 else 1), Tensor([[3.0]]) / (step + 1)))
        rows.append(np.concatenate([p.asnumpy().ravel() for p in params]))
    for values, row in zip((rows[0], rows[2], rows[7]), expected, strict=True):
        np.testing.assert_allclose(values, row, atol=2e-5)
