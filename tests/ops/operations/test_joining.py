"""Primitives that join and split, against numpy."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.checks import constants_test, in_both_modes

FIRST, SECOND = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
FIRST_ARRAY, SECOND_ARRAY = FIRST.array, SECOND.array


test_values = constants_test(
    (ops.Concat(axis=1)((FIRST, SECOND)), np.concatenate([FIRST_ARRAY, SECOND_ARRAY], 1)),
    (ops.Stack()([FIRST, SECOND]), np.stack([FIRST_ARRAY, SECOND_ARRAY])),
)


ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


def test_splitting():
    chunks = in_both_modes(lambda x: ops.Split(axis=1, output_num=3)(x), Tensor(ROWS))
    np.testing.assert_array_equal(np.concatenate(chunks, 1), ROWS)
    for kind in (ops.Unstack, ops.Unpack):
        np.testing.assert_array_equal(np.stack(in_both_modes(kind(axis=-1), Tensor(ROWS)), -1), ROWS)
