"""Functions of square matrices: errors, and float16."""

import numpy as np
import pytest

from minigraph import Tensor, errors
from minigraph.core.op import apply
from minigraph.core.types import TensorType, float16, float32, int32
from minigraph.operators.matrix import check_square


@pytest.mark.parametrize("name", ["det", "log_abs_det", "det_sign", "inverse", "cholesky"])
def test_matrices_that_are_not_square_are_refused(name, wrapped):
    with pytest.raises(errors.ShapeError, match=rf"{name}: needs square matrices, got f32\[2,3\].*; the last two axes"):
        wrapped(lambda x: apply(name, x))(Tensor(np.ones((2, 3), np.float32)))
    with pytest.raises(errors.DTypeError, match=f"{name}: needs floats, got i64"):
        wrapped(lambda x: apply(name, x))(Tensor([[1]]))


def test_singular_and_indefinite_matrices_are_refused(wrapped):
    with pytest.raises(ValueError, match="inverse: singular matrix"):
        wrapped(lambda x: apply("inverse", x))(Tensor([[1.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(ValueError, match="cholesky: matrix is not positive definite"):
        wrapped(lambda x: apply("cholesky", x))(Tensor([[-1.0]]))


def test_checks_alone():
    check_square("x", TensorType((5, 2, 2), float32))
    with pytest.raises(errors.ShapeError, match="x: needs square matrices"):
        check_square("x", TensorType((2,), float32))
    with pytest.raises(errors.DTypeError, match="x: needs floats"):
        check_square("x", TensorType((2, 2), int32))


@pytest.mark.parametrize("name", ["det", "log_abs_det", "det_sign", "inverse", "cholesky"])
def test_float16_is_done_in_float32(name):
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]], np.float16)
    result = apply(name, Tensor(matrix))
    assert result.dtype is float16
    assert np.allclose(result.asnumpy(), apply(name, Tensor(matrix.astype(np.float32))).asnumpy(), rtol=1e-3)
