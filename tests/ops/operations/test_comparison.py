"""Primitives of comparison, logic, and tests for NaN and infinity, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

X = np.array([0.3, np.nan, -np.inf])
UNARY = [
    ("IsNan", np.isnan),
    ("IsInf", np.isinf),
    ("IsFinite", np.isfinite),
]  # fmt: skip


@pytest.mark.parametrize(("name", "function"), UNARY)
def test_unary_primitives(name, function):
    np.testing.assert_allclose(in_both_modes(getattr(ops, name)(), Tensor(X)), function(X), rtol=1e-9)
