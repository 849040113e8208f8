"""Primitives of shapes and axes, against numpy."""

import numpy as np

from minigraph import Tensor, jit, ops
from tests.ops.functional.checks import constants_test

FIRST = Tensor([[1.0, 2.0], [3.0, 4.0]])
FIRST_ARRAY = FIRST.array


test_values = constants_test(
    (ops.Reshape()(FIRST, (4,)), FIRST_ARRAY.reshape(4)),
    (ops.Transpose()(FIRST, (1, 0)), FIRST_ARRAY.T),
    (ops.ExpandDims()(FIRST, 0), FIRST_ARRAY[None]),
    (ops.Squeeze()(ops.ExpandDims()(FIRST, 0)), FIRST_ARRAY),
    (ops.Tile()(FIRST, (1, 2)), np.tile(FIRST_ARRAY, (1, 2))),
    (ops.BroadcastTo((2, 2, 2))(FIRST), np.broadcast_to(FIRST_ARRAY, (2, 2, 2))),
)


ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


def test_sizes_are_python_numbers_in_both_modes():
    for fn in (ops.Shape(), ops.Size(), ops.Rank()):
        eager = fn(Tensor(ROWS))
        result = jit(lambda x, fn=fn: x * (fn(x) if isinstance(fn(x), int) else sum(fn(x))))(Tensor(ROWS))
        np.testing.assert_allclose(result.asnumpy(), ROWS * (eager if isinstance(eager, int) else sum(eager)))
    assert (ops.Shape()(Tensor(ROWS)), ops.Size()(Tensor(ROWS)), ops.Rank()(Tensor(ROWS))) == ((2, 3), 6, 2)
    assert ops.Expand()(Tensor([[1.0], [2.0]]), Tensor([2, 3])).shape == (2, 3)
