"""The spacing of floating-point numbers is numpy's."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_spacing(dtype):
    x = np.array([1.0, -2.0, 0.0], dtype)
    assert ops.eps(Tensor(x)).tolist() == [np.finfo(dtype).eps] * 3


def test_next_number():
    x, y = np.array([1.0, -2.0, 0.0]), np.array([2.0, -3.0, 1.0])
    np.testing.assert_array_equal(in_both_modes(ops.nextafter, Tensor(x), Tensor(y)), np.nextafter(x, y))
    with pytest.raises(TypeError, match="needs a float tensor"):
        ops.nextafter(Tensor([1]), Tensor([2]))
