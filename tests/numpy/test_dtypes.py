"""Constants and dtypes of ``ms.numpy``."""

import math

from minigraph import Tensor, bool_, errors, float16, float32, float64, int8, int16, int32, int64, uint32
from minigraph import numpy as mnp
from tests.tables import cases, error_cases, every


def test_constants_and_result_types():
    # constants
    assert (mnp.pi, mnp.inf, mnp.PINF, mnp.NINF) == (math.pi, math.inf, math.inf, -math.inf)
    assert math.isnan(mnp.nan)
    assert (mnp.int_, mnp.uint, mnp.float_, mnp.bool_) == (int32, uint32, float32, bool_)
    assert all(isinstance(getattr(mnp, name), type(int32)) for name in mnp.numeric_types)
    # result types
    x, i = Tensor([1.0]), Tensor([1], int32)
    assert mnp.result_type(x, i) is float32
    assert mnp.result_type(i, 2.0) is float32
    assert mnp.result_type(i, True) is int32
    assert mnp.result_type("i4", [1, 2]) is int32


@cases(
    (int32, float32, float32), (int32, float16, float16), (int32, "int64", int64),
    ("uint8", "int8", int16), (bool_, int8, int8), (float, float64, float64),
)  # fmt: skip
def test_promotion(first, second, expected):
    assert mnp.promote_types(first, second) is mnp.promote_types(second, first) is expected


@every(value=[1, 1.5, True, "a", 1j, [1], ()])
def test_scalars(value):
    assert mnp.isscalar(value) is not isinstance(value, list | tuple)
    assert not mnp.isscalar(Tensor(1))


test_errors = error_cases(
    (mnp.result_type, errors.UsageError, "needs at least one tensor, number or dtype"),
)
