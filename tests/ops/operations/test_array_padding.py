"""Primitives of padding, against numpy."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


def test_padding():
    padded = in_both_modes(ops.Pad(((1, 0), (0, 2))), Tensor(ROWS))
    np.testing.assert_array_equal(padded, np.pad(ROWS, ((1, 0), (0, 2))))
