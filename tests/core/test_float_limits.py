import numpy as np
import pytest

from minigraph.core.float_limits import float_limits
from minigraph.core.types import DTYPES

FLOATS = [dtype for dtype in DTYPES if dtype.kind == "f"]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_limits_of_the_format(dtype):
    limits, one = float_limits(dtype.numpy), np.ones((), dtype.numpy)
    assert np.isfinite(np.asarray(limits.max, dtype.numpy)) and float(np.asarray(limits.max, dtype.numpy)) == limits.max
    assert float(one + np.asarray(limits.eps, dtype.numpy)) == 1 + limits.eps
    assert float(one + np.asarray(limits.eps / 2, dtype.numpy)) == 1
    assert float(np.asarray(limits.tiny, dtype.numpy)) == limits.tiny
