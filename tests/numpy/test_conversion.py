"""Conversion of array-like arguments and dtypes."""

from functools import partial

import numpy as np

from minigraph import Tensor, bool_, errors, float16, float32, float64, grad, int8, int32, jit, uint8
from minigraph.numpy.conversion import as_dtype, as_ints, as_tensor, cast_to, has_tensors, normalize_axis
from tests.tables import cases, error_cases


@cases(
    (3, np.int32(3)),
    (2.5, np.float32(2.5)),
    (True, np.True_),
    ([1, 2], np.array([1, 2], np.int32)),
    ([1, 2.5], np.array([1, 2.5], np.float32)),
    ([[True], [False]], np.array([[True], [False]])),
    (np.arange(2), np.arange(2)),
    (np.float64(1.5), np.float64(1.5)),
    ([Tensor([1.0]), Tensor([2.0])], np.array([[1], [2]], np.float32)),
    ([Tensor(1.0), 2.5], np.array([1, 2.5], np.float32)),
)
def test_conversion_to_tensors(value, expected):
    result = as_tensor(value).asnumpy()
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_tensors_are_returned_unchanged_and_axes_normalized():
    # a tensor is returned unchanged unless it needs another dtype
    x = Tensor([1.0])
    assert as_tensor(x) is x
    assert as_tensor(x, float32) is x
    assert as_tensor(x, "int8").dtype is int8
    assert cast_to(x, None) is x
    # axes
    assert [normalize_axis(axis, 3) for axis in (0, 2, -1, -3)] == [0, 2, 2, 0]


def test_a_list_of_tensors_in_a_graph_carries_gradients():
    def total(x):
        return as_tensor([x, x * 2]).sum()

    for run in (lambda fn: fn, jit):
        assert grad(run(total))(Tensor([1.0, 2.0])).asnumpy().tolist() == [3.0, 3.0]


def test_integers_and_nested_tensors():
    # nested tensors
    assert has_tensors((1, [Tensor(2)]))
    assert not has_tensors([1, 2])
    assert not has_tensors(Tensor(1))
    # integers
    assert as_ints(3) == as_ints((3,)) == as_ints([3]) == as_ints(Tensor([3])) == (3,)
    assert as_ints(np.int64(4)) == (4,)


@cases(
    (None, None), (int8, int8), ("float16", float16), (int, int32), (float, float32),
    (bool, bool_), (np.float64, float64), ("i4", int32), (np.dtype(np.uint8), uint8),
)  # fmt: skip
def test_dtypes_by_any_name(dtype, expected):
    assert as_dtype(dtype) is expected


NO_DTYPE = "dtype must be a minigraph dtype such as ms.float32 or its name, got"


test_errors = error_cases(
    *((partial(as_dtype, dtype), TypeError, NO_DTYPE) for dtype in ("float31", "O", object(), 5)),
    (partial(normalize_axis, 3, 3), errors.ShapeError, "axis 3 is out of bounds for array of dimension 3"),
)
