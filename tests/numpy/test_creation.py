"""Array creation: shapes, dtypes and values against numpy."""

import numpy as np

import minigraph as ms
from minigraph import numpy as mnp
from minigraph.core.errors import ShapeError
from tests.numpy.checks import INTEGERS, V, X, check, check_each
from tests.ops.functional.checks import check_gradient
from tests.tables import cases, error_cases, every


@cases(
    (lambda: mnp.array([1, 2]), np.array([1, 2], np.int32)),
    (lambda: mnp.array(np.ones(2), ms.float16), np.ones(2, np.float16)),
    (lambda: mnp.zeros((2, 3)), np.zeros((2, 3), np.float32)),
    (lambda: mnp.zeros(2, ms.int32), np.zeros(2, np.int32)),
    (lambda: mnp.ones((2, 0)), np.ones((2, 0), np.float32)),
    (lambda: mnp.full((2,), 7), np.full(2, 7, np.int32)),
    (lambda: mnp.full((2,), 1.5), np.full(2, 1.5, np.float32)),
    (lambda: mnp.eye(2, 3), np.eye(2, 3, dtype=np.float32)),
    (lambda: mnp.eye(3, 2, -1, ms.int8), np.eye(3, 2, -1, np.int8)),
    (lambda: mnp.array(ms.Tensor([1, 2])), np.array([1, 2])),
    (lambda: mnp.array(np.arange(2)), np.arange(2)),
    (lambda: mnp.arange(4), np.arange(4, dtype=np.int32)),
    (lambda: mnp.arange(1, 7, 2), np.arange(1, 7, 2, np.int32)),
    (lambda: mnp.arange(0.0, 1.0, 0.25), np.arange(0, 1, 0.25, np.float32)),
)
def test_shapes_dtypes_and_values(result, expected):
    array = result().asnumpy()
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


def test_an_array_is_a_copy_that_passes_gradients():
    x = ms.Tensor([1.0, 2.0])
    copied = mnp.array(x)
    copied[0] = 5.0
    assert x.asnumpy().tolist() == [1.0, 2.0]
    for run in (lambda fn: fn, ms.jit):
        assert ms.grad(run(lambda x: mnp.array(x) * 3))(x).asnumpy().tolist() == [3.0, 3.0]


def test_arrays():
    assert mnp.array([1, 2], ndmin=3).shape == (1, 1, 2)
    assert mnp.array((ms.Tensor(X), ms.Tensor(X))).shape == (2, 2, 3)
    x = ms.Tensor(X)
    assert mnp.asarray(x) is x
    assert mnp.array(x) is not x
    assert mnp.array(x, copy=False) is x
    assert mnp.copy(x) is not x
    assert mnp.asarray([1, 2], "float16").dtype is ms.float16
    assert mnp.asfarray([1, 2]).dtype is mnp.asfarray(ms.Tensor(INTEGERS), ms.int32).dtype is ms.float32
    assert mnp.asfarray([1, 2], ms.float64).dtype is ms.float64
    assert mnp.array_str(ms.Tensor(INTEGERS)) == str(INTEGERS)


@every(name=["zeros", "ones"])
def test_sizes(name):
    check_each(name, (3,), ((2, 3),), ([2],), ((),))
    assert getattr(mnp, name)(ms.Tensor([2, 3]), "int8").dtype is ms.int8
    check_each(f"{name}_like", (X,), (INTEGERS,))
    like = getattr(mnp, f"{name}_like")
    assert (like(ms.Tensor(INTEGERS), ms.float16, (4,)).shape, like([1, 2]).dtype) == ((4,), ms.int32)


def test_empty_full_and_identity():
    # empty
    assert mnp.empty((2, 3)).shape == mnp.empty_like(ms.Tensor(X)).shape == (2, 3)
    assert mnp.empty(2, ms.int32).dtype is ms.int32
    # full
    check("full", (2, 3), 7)
    assert mnp.full((2, 3), [1, 2, 3]).asnumpy().tolist() == [[1, 2, 3]] * 2
    check("full_like", INTEGERS, 2)
    assert mnp.full_like(ms.Tensor(INTEGERS), 2.5).dtype is ms.int32
    assert mnp.full_like(ms.Tensor(X), 2, shape=(4,)).shape == (4,)
    # identity
    check("identity", 3)
    assert mnp.identity(2, ms.int32).dtype is ms.int32


@cases(
    ((0, 5, 6), {}), ((0, 1), {}), ((0, 5, 4), {"endpoint": False}), ((1, 5, 1), {}), ((5.0, -5.0, 7), {}),
    ((V, V + 2, 3), {}), ((V, V + 2, 3), {"axis": -1}), ((0, V, 4), {"endpoint": False}),
    ((0, 5, 6), {"retstep": True}),
)  # fmt: skip
def test_linspace(args, kwargs):
    check("linspace", *args, **kwargs)


def test_the_end_of_linspace_and_geometric_ranges():
    # the last value is the end
    for stop in (0.1, 1 / 3, 1e-7, 123.456):
        assert mnp.linspace(-1, stop, 37)[-1].asnumpy() == np.float32(stop)
    assert mnp.linspace(0, 5, 6, dtype=ms.int32).asnumpy().tolist() == [0, 1, 2, 3, 4, 5]
    # geometric ranges
    check("logspace", 0, 2, 5)
    check("logspace", 0, 5, 6, base=2.0)
    check("logspace", 0, 2, 5, endpoint=False)
    check("geomspace", 1, 256, 9)
    check("geomspace", 1, 256, 8, endpoint=False)


@every(args=[(V,), (V, 3), (V, 3, True), (INTEGERS[0], 4)])
def test_vander(args):
    check("vander", *args)
    check_gradient(mnp.vander, V, tolerance=1e-4)


@every(name=["bartlett", "blackman", "hamming", "hanning"])
def test_windows(name):
    check_each(name, (1,), (2,), (5,), (12,))


test_errors = error_cases(
    (lambda: mnp.eye(-1), ShapeError, "eye: sizes must not be negative, got -1 by None"),
    (lambda: mnp.linspace(0, 1, 0), ValueError, "linspace: num must be 1 or more, got 0"),
)
