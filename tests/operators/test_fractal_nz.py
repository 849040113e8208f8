"""The format FRACTAL_NZ, element by element."""

import numpy as np
import pytest

from minigraph import Tensor, errors
from minigraph.core.op import apply
from minigraph.core.types import DTYPES
from minigraph.operators.fractal_nz import nz_shape
from tests.tables import every


@every(
    shape=[(1, 1), (16, 8), (17, 33), (2, 5, 40), (3, 2, 31, 16)], dtype=[np.float16, np.float32, np.float64, np.int8]
)
def test_each_element_is_at_its_position_in_the_format(dtype, shape):
    rng = np.random.default_rng(0)
    x = rng.integers(1, 100, shape).astype(dtype)
    result = apply("to_nz", Tensor(x)).asnumpy()
    wide = 32 // x.itemsize
    assert result.shape == nz_shape(shape, x.itemsize)
    for m in range(shape[-2]):
        for n in range(shape[-1]):
            assert (result[..., n // wide, m // 16, m % 16, n % wide] == x[..., m, n]).all()
    assert result.astype(np.float64).sum() == x.astype(np.float64).sum()  # the padding is zero
    assert (apply("to_nd", Tensor(result), shape=shape[-2:]).asnumpy() == x).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_both_conversions_are_the_identity_in_every_dtype(dtype):
    x = Tensor(np.arange(12).reshape(3, 4).astype(dtype.numpy))
    again = apply("to_nd", apply("to_nz", x), shape=(3, 4))
    assert again.dtype is x.dtype and (again.asnumpy() == x.asnumpy()).all()


def test_other_shapes_are_refused():
    with pytest.raises(errors.ShapeError, match=r"to_nz: needs a matrix or a batch of matrices, got \[3\]"):
        apply("to_nz", Tensor(np.zeros(3, np.float32)))
    with pytest.raises(errors.UsageError, match=r"to_nd: \[1, 1, 16, 8\] holds no matrix of shape \[3, 9\]"):
        apply("to_nd", Tensor(np.zeros((1, 1, 16, 8), np.float32)), shape=(3, 9))
