"""Casts and queries of dtypes."""

import numpy as np

from minigraph import Tensor, float32, int32, ops
from tests.ops.functional.checks import constants_test, value_test

SIGNED = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
SIGNED_ARRAY = SIGNED.array


test_values = constants_test(
    (ops.cast(SIGNED, int32), SIGNED_ARRAY.astype(np.int32)),
    rtol=1e-14,
)


CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
MATRIX, VECTOR = CUBE[0], np.array([1.0, -2.0, 3.0], np.float32)
ARRAY_CASES = [
    (lambda x: ops.type_as(x, Tensor([1])), MATRIX, MATRIX.astype(np.int64)),
]


test_values_of_grids = value_test(ARRAY_CASES, rtol=1e-6)


def test_deepcopy_copies_values():
    copied = ops.deepcopy(x := Tensor([1.0]))
    x[0] = 2.0
    assert copied.item() == 1


def test_queries():
    x = Tensor(MATRIX)
    assert (ops.dtype(x), str(ops.typeof(x))) == (float32, "Tensor[Float32]")
    assert [ops.is_tensor(x), ops.is_floating_point(x), ops.is_complex(x)] == [True, True, False]
    assert ops.is_complex(Tensor([1j]))
    assert not ops.is_floating_point(Tensor([1]))
