"""Sorting and cumulative operators at special values."""

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core.errors import MinigraphError
from minigraph.core.op import apply
from tests.tables import error_cases


@pytest.mark.parametrize("descending", [False, True])
def test_argsort_is_stable(descending):
    assert apply("argsort", Tensor([1, 1, 1, 1]), descending=descending).tolist() == [0, 1, 2, 3]


def test_nan_and_empty_operands():
    # nan is the largest
    x = Tensor([np.nan, 1.0, -np.inf, np.inf])
    assert apply("argsort", x).tolist() == [2, 1, 3, 0]
    assert apply("argsort", x, descending=True).tolist() == [0, 3, 1, 2]
    assert apply("cummax_at", Tensor([1.0, np.nan, 2.0]), axis=0).tolist() == [0, 1, 1]
    # cumulative operators on empty tensors
    assert apply("cumsum", Tensor(np.zeros((0, 2))), axis=0).shape == (0, 2)
    assert apply("argsort", Tensor(np.zeros((2, 0)))).shape == (2, 0)


NO_AXIS = "axis 2 does not exist in a tensor of rank 1 in .*; use -1 to 0"
NAMES = ["cumsum", "cumprod", "cummax_at", "cummin_at", "argsort"]


test_errors = error_cases(
    *((name, Tensor([1.0]), 2, IndexError, f"{name}: {NO_AXIS}") for name in NAMES),
    ("cumsum", Tensor([True]), 0, MinigraphError, "cumsum: needs integer or float or complex operands, got bool"),
    by=lambda name, x, axis: apply(name, x, axis=axis),
)
