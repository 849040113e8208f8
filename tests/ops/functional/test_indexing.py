"""Selecting elements and slices against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, float64, ops
from tests.ops.functional.checks import constants_test, gradient_test, value_test
from tests.tables import cases, error_cases

TENSOR = Tensor(np.arange(24.0).reshape(2, 3, 4))
ARRAY = TENSOR.array


test_values = constants_test(
    (ops.gather(TENSOR, Tensor([2, 0]), 1), ARRAY[:, [2, 0]]),
    (ops.gather(TENSOR, Tensor([[1]]), -1), ARRAY[:, :, [[1]]]),
)


SIGNED = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
SIGNED_ARRAY = SIGNED.array


test_values_of_numbers = constants_test(
    (ops.where(SIGNED > 0, SIGNED, 0), np.where(SIGNED_ARRAY > 0, SIGNED_ARRAY, 0)),
    (ops.masked_fill(SIGNED, SIGNED < 0, 9.0), np.where(SIGNED_ARRAY < 0, 9, SIGNED_ARRAY)),
    rtol=1e-14,
)


@cases(
    (lambda: ops.masked_fill(SIGNED, SIGNED > 0, 1), float64),
)
def test_dtypes(result, dtype):
    assert result().dtype is dtype


test_errors = error_cases(
    (lambda: ops.masked_fill(Tensor([1]), Tensor([True]), 0.5), TypeError, "cast the tensor to a float"),
)


FLOATS = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
COLUMNS, INDICES = np.array([[0, 2], [1, 1]]), np.array([[0, 1], [1, 2]])
ZERO = Tensor([[0]])
INDEX_CASES = [
    (lambda x: ops.gather_elements(x, 1, Tensor(COLUMNS)), np.take_along_axis(FLOATS, COLUMNS, 1)),
    (lambda x: ops.gather_elements(x, 0, Tensor([[1, 0, 1]])), np.take_along_axis(FLOATS, np.array([[1, 0, 1]]), 0)),
    (lambda x: ops.gather_d(x, -1, Tensor(COLUMNS)), np.take_along_axis(FLOATS, COLUMNS, 1)),
    (lambda x: ops.gather_nd(x, Tensor(INDICES)), FLOATS[tuple(INDICES.T)]),
    (lambda x: ops.gather_nd(x, Tensor([[1], [0], [1]])), FLOATS[[1, 0, 1]]),
    (lambda x: ops.index_select(x, 1, Tensor([2, 0])), FLOATS[:, [2, 0]]),
]  # fmt: skip


test_values_of_indices = value_test(INDEX_CASES, FLOATS, rtol=1e-6)


test_gradients = gradient_test([fn for fn, _ in INDEX_CASES], FLOATS)


test_refusals_of_indices = error_cases(
    (
        lambda: ops.gather_elements(Tensor(FLOATS), 1, Tensor([0])),
        errors.ShapeError,
        r"expected an index of rank 2, got i64\[1\]",
    ),
    (lambda: ops.gather_elements(Tensor(FLOATS), 5, ZERO), IndexError, "5"),
)


CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
PLANE, ROW = CUBE[0], CUBE[0, 0]
SLICE_CASES = [
    (lambda x: ops.narrow(x, 2, 1, 2), CUBE, CUBE[:, :, 1:3]),
    (lambda x: ops.slice(x, (0, 1, 2), (2, -1, 1)), CUBE, CUBE[:, 1:, 2:3]),
    (lambda x: ops.strided_slice(x, (0, 2, 0), (2, 0, 4), (1, -1, 2)), CUBE, CUBE[0:2, 2:0:-1, 0:4:2]),
    (lambda x: ops.strided_slice(x, (1, 1), (2, 3), begin_mask=1, end_mask=2), PLANE, PLANE[:2, 1:]),
    (lambda x: ops.strided_slice(x, (0, 1), (1, 2), shrink_axis_mask=2), PLANE, PLANE[0:1, 1]),
    (
        lambda x: ops.strided_slice(x, (0, 0, 1), (0, 0, 2), ellipsis_mask=2, new_axis_mask=1),
        CUBE,
        CUBE[None, ..., 1:2],
    ),
    (lambda x: ops.take(x, Tensor([5, 0])), CUBE, CUBE.take([5, 0])),
]


test_values_of_slices = value_test(SLICE_CASES, rtol=0)


test_gradients_of_slices = gradient_test([(fn, array) for fn, array, _ in SLICE_CASES[::3]])


test_refusals_of_slices = error_cases(
    (lambda: ops.narrow(Tensor(CUBE), 1, 2, 2), errors.UsageError, "narrow: 2 slices from 2 exceed axis 1"),
)
