"""Primitives of Bessel functions equal the functions of ``ops`` in both modes."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes


@pytest.mark.parametrize("kind", ["I0", "I0e", "I1", "I1e", "J0", "J1", "K0", "K0e", "K1", "K1e", "Y0", "Y1"])
def test_bessel_functions(kind):
    x = Tensor(np.array([1.5, 2.5]))
    expected = getattr(ops, f"bessel_{kind.lower()}")(x).asnumpy()
    np.testing.assert_array_equal(in_both_modes(getattr(ops, f"Bessel{kind}")(), x), expected)
