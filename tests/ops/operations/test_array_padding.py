"""Primitives of padding, against numpy."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


def test_padding():
    padded = in_both_modes(ops.Pad(((1, 0), (0, 2))), Tensor(ROWS))
    np.testing.assert_array_equal(padded, np.pad(ROWS, ((1, 0), (0, 2))))


def test_widths_from_the_last_axis_on():
    edge = ops.PadV3("edge")(Tensor(ROWS), Tensor([1, 2, 0, 1])).asnumpy()
    np.testing.assert_array_equal(edge, np.pad(ROWS, ((0, 1), (1, 2)), "edge"))
    filled = ops.PadV3(paddings_contiguous=False)(Tensor(ROWS), (1, 0, 2, 1), Tensor(7.0)).asnumpy()
    np.testing.assert_array_equal(filled, np.pad(ROWS, ((0, 1), (1, 2)), constant_values=7.0))
